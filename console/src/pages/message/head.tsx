/** The header of a message: recipient, status, ids and actions. */
import { ChevronDown, ChevronUp } from 'lucide-react'
import { Link } from 'wouter'
import type { MessageDetails } from '../../api/client.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge, Status } from '../../ui/parts.tsx'
import { toRecipient } from '../../ui/recipient.ts'
import { RecipientName } from '../../ui/recipient-name.tsx'
import { useTitle } from '../../ui/title.ts'
import { listAddress } from '../messages/list-position.ts'
import { Actions } from './actions.tsx'
import { DatedTime } from './dated-time.tsx'
import { Id } from './id.tsx'
import { useNeighbours } from './neighbours.ts'

const T = MESSAGE_TEXTS

export function MessageHead({ details }: Readonly<{ details: MessageDetails }>) {
  useTitle(T.title(T.types[details.type], toRecipient(details)))
  return (
    <header className="message-head">
      <MessageNav id={details.id} />
      <div className="message-title">
        <div className="row">
          <h1>
            <RecipientName of={details} />
          </h1>
          <Status status={details.status} />
          {details.unknown && <Badge tone="warn">{T.badges.unknown}</Badge>}
          {details.dead_letter && <Badge tone="bad">{T.badges.dead}</Badge>}
          {details.erased && <Badge tone="quiet">{T.badges.erased}</Badge>}
        </div>
        <Actions details={details} />
      </div>
      <div className="row soft message-about">
        <span>{T.types[details.type]}</span>
        <span aria-hidden="true">·</span>
        <DatedTime at={details.created_at} />
        <span aria-hidden="true">·</span>
        <Id id={details.id} name={T.details.id} isShort />
      </div>
    </header>
  )
}

/** Back to the list as it was, and on to its next message. */
export function MessageNav({ id }: Readonly<{ id: string }>) {
  const { previous, next } = useNeighbours(id)
  return (
    <nav className="message-nav" aria-label={T.navigation}>
      <BackLink href={listAddress()}>{T.back}</BackLink>
      {(previous !== undefined || next !== undefined) && (
        <span className="message-neighbours">
          <Neighbour to={previous} name={T.previous} icon={<ChevronUp aria-hidden="true" />} />
          <Neighbour to={next} name={T.next} icon={<ChevronDown aria-hidden="true" />} />
        </span>
      )}
    </nav>
  )
}

type NeighbourProps = Readonly<{ to: string | undefined; name: string; icon: React.ReactNode }>

const Neighbour = ({ to, name, icon }: NeighbourProps) =>
  to === undefined ? (
    <span className="button plain icon-only" data-disabled="">
      {icon}
    </span>
  ) : (
    <Link href={`/messages/${to}`} className="button plain icon-only" aria-label={name} title={name}>
      {icon}
    </Link>
  )
