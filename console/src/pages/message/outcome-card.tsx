/** What happened to the message, in one sentence. */
import type { MessageDetails } from '../../api/client.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { useSecond } from '../../ui/second.ts'
import { toSpan } from '../../ui/time.tsx'
import { wasDeliveredBefore } from './cycles.ts'
import { isInFlight } from './data.ts'
import { type Spans, toOutcome } from './outcome.ts'
import { toPreciseSpan } from './spans.ts'

const T = MESSAGE_TEXTS
const SPANS: Spans = { toSpan, toPreciseSpan }

export function OutcomeCard({ details }: Readonly<{ details: MessageDetails }>) {
  const now = useSecond(isInFlight(details))
  const { tone, text } = toOutcome(details, now, SPANS)
  const { cycle, dead_letter, unknown, events, erased, to } = details
  return (
    <section className={`message-outcome ${tone}`} aria-label={T.outcome.title}>
      <p className="message-outcome-text">{text}</p>
      {dead_letter && !unknown && <p>{T.outcome.deadLetter}</p>}
      {wasDeliveredBefore(events, cycle) && <p>{T.outcome.deliveredBefore}</p>}
      {erased && <p>{to === null ? T.notes.erased : T.notes.ended}</p>}
    </section>
  )
}
