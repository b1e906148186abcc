/** The header of a message: recipient, status, ids and actions. */
import { Link } from 'wouter'
import type { MessageDetails } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Badge, Status } from '../../ui/parts.tsx'
import { Ago } from '../../ui/time.tsx'
import { useTitle } from '../../ui/title.ts'
import { listAddress } from '../messages/list-position.ts'
import { Actions } from './actions.tsx'
import { Due } from './due.tsx'

const T = TEXTS.message

export function MessageHead({ details }: Readonly<{ details: MessageDetails }>) {
  const title = T.title(T.types[details.type], details.to ?? T.erasedRecipient)
  useTitle(title)
  return (
    <header className="message-head">
      <Link href={listAddress()} className="message-back">
        ← {T.back}
      </Link>
      <div className="row">
        <h1>{title}</h1>
        <Status status={details.status} />
        {details.unknown && <Badge tone="warn">{T.badges.unknown}</Badge>}
        {details.dead_letter && <Badge tone="bad">{T.badges.dead}</Badge>}
        {details.erased && <Badge tone="quiet">{T.badges.erased}</Badge>}
      </div>
      <div className="row soft">
        <span>{details.provider ?? T.unsent}</span>
        <span aria-hidden="true">·</span>
        <span className="nums">{TEXTS.common.attempts(details.attempts)}</span>
        <span aria-hidden="true">·</span>
        <span>
          <Ago at={details.created_at} />
        </span>
        <span className="id">
          <code>{details.id}</code>
          <CopyButton text={details.id} what={T.details.id} />
        </span>
      </div>
      <Actions details={details} />
    </header>
  )
}

/** The notes above everything else: unknown outcome, error, dead letter, erasure. */
export function Notes({ details }: Readonly<{ details: MessageDetails }>) {
  const { error_code: code, error_detail: detail } = details
  return (
    <>
      {details.unknown && (
        <p className="note warn">
          {T.notes.unknown(details.provider ?? '')}
          {details.due_at !== null && <Due at={details.due_at} format={T.notes.nextCheckIn} />}
        </p>
      )}
      {code !== null && (
        <p className={details.status === 'failed' || details.status === 'expired' ? 'note bad' : 'note'}>
          <strong className="mono">{code}</strong> {detail}
          {!details.unknown && details.due_at !== null && <Due at={details.due_at} />}
        </p>
      )}
      {details.dead_letter && <p className="note">{T.notes.dead}</p>}
      {details.erased && <p className="note">{details.to === null ? T.notes.erased : T.notes.ended}</p>}
    </>
  )
}
