/** The page of one message: state, timeline, decisions, details, content and actions. */
import '../styles/message.css'
import '../styles/message-timeline.css'
import { Link } from 'wouter'
import { isNotFound, Problem } from '../api/client.ts'
import { TEXTS } from '../texts.ts'
import { Empty, Failure, Loading, PageHead } from '../ui/parts.tsx'
import { Content } from './message/content.tsx'
import { useMessage } from './message/data.ts'
import { Decisions } from './message/decisions.tsx'
import { Details } from './message/details.tsx'
import { MessageHead, Notes } from './message/head.tsx'
import { Machines } from './message/machines.tsx'
import { Timeline } from './message/timeline.tsx'
import { WebhookDeliveries } from './message/webhook-deliveries.tsx'
import { listAddress } from './messages/list-position.ts'

const T = TEXTS.message

export function Message({ id }: Readonly<{ id: string }>) {
  const { data: details, error } = useMessage(id)
  if (details === undefined) return <Missing id={id} error={error} />
  return (
    <article className="stack message">
      <MessageHead details={details} />
      {error !== null && <Failure error={error} />}
      <Notes details={details} />
      <Machines details={details} />
      <Timeline details={details} />
      <div className="message-columns">
        <Decisions details={details} />
        <Details details={details} />
      </div>
      <Content details={details} />
      <WebhookDeliveries id={id} />
    </article>
  )
}

function Missing({ id, error }: Readonly<{ id: string; error: Error | null }>) {
  const isGone = isNotFound(error) || (error instanceof Problem && error.status === 400)
  return (
    <>
      <PageHead title={id} />
      {error === null && <Loading />}
      {isGone && (
        <Empty>
          {T.missing}
          <Link href={listAddress()}>{T.back}</Link>
        </Empty>
      )}
      {error !== null && !isGone && <Failure error={error} />}
    </>
  )
}
