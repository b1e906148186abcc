/** What timelines say of attempts, held against what the handsets really got. */
import type { MessageDetails, TimelineEvent } from '../../src/api/messages/message-schemas.ts'
import type { Reception } from '../e2e/kill-checks.ts'
import { magic, told } from '../support/sms.ts'
import type { Kept } from './load.ts'

const LIMBO = magic('0005')
/** They say that the provider certainly does not have the attempt. */
const DENIALS = new Set(['RetryScheduled', 'HandoffFailed', 'DeadLettered'])

export function problemsOfHonesty(
  promised: readonly Kept[],
  found: ReadonlyMap<string, MessageDetails>,
  receptions: readonly Reception[],
): string[] {
  const received = new Set(receptions.map(({ attemptId }) => attemptId))
  return promised.flatMap(({ id, sms }) => {
    const { events } = found.get(id) ?? { events: [] }
    const lies = events.flatMap((event) => lieOf(event, received) ?? [])
    // A call in limbo is never answered: who knows of it knows it from elsewhere.
    const pretends = sms.to === LIMBO && events.some((event) => told(event, 'by') === 'answer')
    return [...lies, ...(pretends ? ['an answer that nobody gave'] : [])].map((lie) => `${id} pretends ${lie}`)
  })
}

function lieOf(event: TimelineEvent, received: ReadonlySet<string>): string | undefined {
  const { event_type: kind, payload } = event
  const hasIt = received.has(String(told(event, 'attempt_id')))
  if (kind === 'HandoffAccepted' && !hasIt) return `that attempt ${payload.attempt} was taken, and it never arrived`
  if (DENIALS.has(kind) && hasIt) return `by ${kind} that attempt ${payload.attempt} never arrived, and it did`
  return undefined
}
