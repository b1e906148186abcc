/** Compares the attempts in timelines with the messages on the handsets. */
import type { MessageDetails, TimelineEvent } from '../../src/api/messages/message-schemas.ts'
import type { Reception } from '../e2e/kill-checks.ts'
import { magic, payloadField } from '../support/sms.ts'
import type { TimedMessage } from './load.ts'

const LIMBO = magic('0005')
/** Facts that state that the provider does not have the attempt. */
const DENIALS = new Set(['RetryScheduled', 'HandoffFailed', 'DeadLettered'])

export function problemsOfAttempts(
  accepted: readonly TimedMessage[],
  found: ReadonlyMap<string, MessageDetails>,
  receptions: readonly Reception[],
): string[] {
  const received = new Set(receptions.map(({ attemptId }) => attemptId))
  return accepted.flatMap(({ id, sms }) => {
    const { events } = found.get(id) ?? { events: [] }
    const errors = events.flatMap((event) => errorOf(event, received) ?? [])
    // A call in limbo is never answered, so its outcome must come from a receipt or a lookup.
    const isInvented = sms.to === LIMBO && events.some((event) => payloadField(event, 'by') === 'answer')
    return [...errors, ...(isInvented ? ['an answer that was never given'] : [])].map(
      (error) => `${id} records ${error}`,
    )
  })
}

function errorOf(event: TimelineEvent, received: ReadonlySet<string>): string | undefined {
  const { event_type: kind, payload } = event
  const hasIt = received.has(String(payloadField(event, 'attempt_id')))
  if (kind === 'HandoffAccepted' && !hasIt) return `that attempt ${payload.attempt} was accepted, and it never arrived`
  if (DENIALS.has(kind) && hasIt) return `${kind} for attempt ${payload.attempt}, which arrived`
  return undefined
}
