/** The page of one message: what happened, content, error, timeline, webhooks and states; details at the side. */
import '../styles/message.css'
import '../styles/message-parts.css'
import '../styles/message-timeline.css'
import '../styles/message-why.css'
import { Link } from 'wouter'
import { isNotFound, type MessageDetails, Problem } from '../api/client.ts'
import { MESSAGE_TEXTS } from '../texts/message.ts'
import { Empty, Failure, PageHead } from '../ui/parts.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Content } from './message/content.tsx'
import { useMessage } from './message/data.ts'
import { Decisions } from './message/decisions.tsx'
import { Details } from './message/details.tsx'
import { ErrorCard } from './message/error-card.tsx'
import { MessageHead, MessageNav } from './message/head.tsx'
import { Machines } from './message/machines.tsx'
import { OutcomeCard } from './message/outcome-card.tsx'
import { Timeline } from './message/timeline.tsx'
import { WebhookDeliveries } from './message/webhook-deliveries.tsx'
import { Why } from './message/why.tsx'
import { listAddress } from './messages/list-position.ts'

const T = MESSAGE_TEXTS

export function Message({ id }: Readonly<{ id: string }>) {
  const { data: details, error } = useMessage(id)
  if (details !== undefined) return <Shown details={details} error={error} />
  return error === null ? <Opening id={id} /> : <Missing id={id} error={error} />
}

type ShownProps = Readonly<{ details: MessageDetails; error: Error | null }>

const Shown = ({ details, error }: ShownProps) => (
  <article className="message">
    <MessageHead details={details} />
    {error !== null && <Failure error={error} />}
    <div className="message-layout">
      <div className="stack">
        <OutcomeCard details={details} />
        <Why id={details.id} />
        <Content details={details} />
        <ErrorCard details={details} />
        <Timeline details={details} />
        <WebhookDeliveries details={details} />
        <Machines details={details} />
      </div>
      <aside className="stack" aria-label={T.details.title}>
        <Details details={details} />
        <Decisions details={details} />
      </aside>
    </div>
  </article>
)

/** In the places of what is loading. */
const Opening = ({ id }: Readonly<{ id: string }>) => (
  <article className="message">
    <header className="message-head">
      <MessageNav id={id} />
      <Skeleton height={32} />
      <Skeleton height={24} />
    </header>
    <div className="message-layout">
      <div className="stack">
        <Skeleton height={54} />
        <Skeleton height={108} />
        <Skeleton height={480} />
      </div>
      <div className="stack">
        <Skeleton height={420} />
      </div>
    </div>
  </article>
)

/** Why it cannot be shown. */
function Missing({ id, error }: Readonly<{ id: string; error: Error }>) {
  const status = error instanceof Problem ? error.status : undefined
  const reason = isNotFound(error) || status === 400 ? T.missing : status === 403 ? T.forbidden : undefined
  return (
    <>
      <PageHead title={id} />
      {reason === undefined ? (
        <Failure error={error} />
      ) : (
        <Empty>
          {reason}
          <Link href={listAddress()}>{T.back}</Link>
        </Empty>
      )}
    </>
  )
}
