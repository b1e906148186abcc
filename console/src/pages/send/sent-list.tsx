/** The messages sent from this page, and their progress. */
import { Link } from 'wouter'
import type { MessageDetails } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { SEND_TEXTS } from '../../texts/send.ts'
import { CheckCode } from '../../ui/check-code.tsx'
import { Badge, Button, Status } from '../../ui/parts.tsx'
import { toStateText } from '../../ui/state-text.ts'
import { toSpan } from '../../ui/time.tsx'
import { useMessage } from '../message/data.ts'
import { clearSent, type Sent, useSent } from './sent.ts'

const T = SEND_TEXTS.sent

export function SentList() {
  const sent = useSent()
  return (
    <section className="card sent" aria-labelledby="sent-title">
      <div className="sent-head">
        <h2 id="sent-title">{T.title}</h2>
        {sent.length > 0 && (
          <Button kind="plain" onClick={clearSent}>
            {T.clear}
          </Button>
        )}
      </div>
      {sent.length === 0 ? (
        <p className="soft">{T.none}</p>
      ) : (
        <ul className="sent-all">
          {sent.map((one) => (
            <SentItem key={`${one.id} ${one.at}`} sent={one} />
          ))}
        </ul>
      )}
    </section>
  )
}

function SentItem({ sent }: Readonly<{ sent: Sent }>) {
  const { data: message } = useMessage(sent.id)
  const steps = message === undefined ? [] : toSteps(message)
  return (
    <li>
      <div className="sent-line">
        <Link href={`/messages/${sent.id}`} aria-label={T.open(sent.to)}>
          {sent.to}
        </Link>
        <span aria-live="polite">
          <Status status={message?.status ?? 'accepted'} />
        </span>
      </div>
      <div className="sent-way nums">
        <ol aria-label={T.trail}>
          {steps.map(({ name, after, key }) => (
            <li key={key}>
              {name} <span className="soft">{toSpan(after)}</span>
            </li>
          ))}
        </ol>
        <SentNotes sent={sent} message={message} />
      </div>
      {sent.challengeId !== undefined && <CheckCode challengeId={sent.challengeId} />}
    </li>
  )
}

function SentNotes({ sent, message }: Readonly<{ sent: Sent; message: MessageDetails | undefined }>) {
  const words = [
    sent.segments !== undefined && COMMON_TEXTS.parts(sent.segments),
    message !== undefined && message.attempts > 0 && COMMON_TEXTS.attempts(message.attempts),
    sent.isReplayed && T.replayed,
    message?.error_code !== null && message?.error_code,
  ].filter((word) => typeof word === 'string')
  return (
    <div className="sent-notes">
      <span className="soft">{words.join(' · ')}</span>
      {message?.unknown === true && <Badge tone="warn">{T.unknown}</Badge>}
      {message?.dead_letter === true && <Link href="/dead-letters">{T.dead}</Link>}
    </div>
  )
}

type Step = Readonly<{ key: number; name: string; after: number }>

/** Each status and interruption, with the time since acceptance. */
function toSteps({ events, created_at }: MessageDetails): readonly Step[] {
  const steps: Step[] = []
  for (const [key, { event_type, at, payload }] of events.entries()) {
    const name = T.interruptions[event_type] ?? toStateText(payload.status)
    if (name === steps.at(-1)?.name) continue
    steps.push({ key, name, after: Math.max(0, Date.parse(at) - Date.parse(created_at)) })
  }
  return steps
}
