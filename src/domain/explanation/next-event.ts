/** What Pombo does next with a message, and when. */
import type { Instant } from '../../lib/time.ts'
import type { Circumstances } from './circumstances.ts'
import { dueOf, nextAttempt, nextCallAt, providerName, reportWaitOf, unknownWaitOf } from './numbers.ts'
import type { Situation } from './situation.ts'
import { POLICY_TEXTS } from './summary.ts'
import { anyOf, toTime } from './words.ts'

/** `at` is missing where nobody knows it. */
export type Next = Readonly<{ text: string; at?: Instant }>

/** Undefined once nothing more happens by itself. */
export function nextOf(situation: Situation, circumstances: Circumstances): Next | undefined {
  const next = planned(situation, circumstances)
  const { expiresAt, phase } = circumstances.state
  if (next === undefined || expiresAt === undefined || phase === 'open' || !isBeforeHandoff(situation)) return next
  return next.at !== undefined && next.at < expiresAt
    ? next
    : { text: 'The message expires, unless it is sent before.', at: expiresAt }
}

const AFTER_HANDOFF: ReadonlySet<Situation> = new Set(['awaiting_report', 'deadline_passed'])
const isBeforeHandoff = (situation: Situation): boolean => !AFTER_HANDOFF.has(situation)

function planned(situation: Situation, circumstances: Circumstances): Next | undefined {
  const { state, now, providers, lease } = circumstances
  const due = dueOf(state, now)
  switch (situation) {
    case 'queued':
    case 'retry_scheduled':
    case 'waiting_for_account':
      return { text: `Pombo makes ${nextAttempt(circumstances)}${via(circumstances)}.`, at: due }
    case 'no_provider': {
      const names = anyOf(providers.map(({ name }) => name))
      return at(
        `Pombo makes ${nextAttempt(circumstances)} as soon as ${names} can be called.`,
        nextCallAt(circumstances),
      )
    }
    case 'no_route':
    case 'content_erased':
      return { text: 'The message fails, without a call to a provider.', at: due }
    case 'tenant_suspended':
      return { text: 'The message becomes a dead letter, without a call to a provider.', at: due }
    case 'gateway_starting':
      return { text: 'Pombo looks for the route again, every second.' }
    case 'deadline_passed':
      return { text: 'The message expires.', at: now }
    case 'sending':
      return at(
        `${providerName(circumstances)} answers, or the call ends without an outcome.`,
        state.attemptedAt && ((state.attemptedAt + lease) as Instant),
      )
    case 'attempt_abandoned':
      return { text: 'Pombo records the outcome as unknown and looks for evidence.', at: now }
    case 'unknown_outcome':
    case 'unknown_held':
      return undecided(circumstances)
    case 'awaiting_report':
      return reportAwaited(circumstances)
    default:
      return undefined
  }
}

const at = (text: string, time: Instant | undefined): Next => (time === undefined ? { text } : { text, at: time })

/** The first provider of the route that can be called. */
function via({ providers }: Circumstances): string {
  const first = providers.find(({ isConfigured, isConnected, heldUntil }) => isConfigured && isConnected && !heldUntil)
  return first === undefined ? '' : ` with ${first.name}`
}

function undecided(circumstances: Circumstances): Next | undefined {
  const { asked, unknownRule, now, state } = circumstances
  const wait = unknownWaitOf(circumstances)
  if (wait === undefined) return undefined
  const { nextCheckAt, givesUpAt } = wait
  if (nextCheckAt === givesUpAt) return { text: 'Pombo gives the message up, as a dead letter.', at: givesUpAt }
  const ask =
    asked?.canBeAsked === true && !state.erased ? `asks ${providerName(circumstances)} for it` : 'looks for a report'
  const end = ` It gives the message up at ${toTime(givesUpAt, now)}.`
  return { text: `Pombo ${ask} and, without evidence, ${POLICY_TEXTS[unknownRule.policy]}.${end}`, at: nextCheckAt }
}

function reportAwaited(circumstances: Circumstances): Next | undefined {
  const { asked, state, now } = circumstances
  const wait = reportWaitOf(circumstances)
  if (wait === undefined) return undefined
  const { nextPollAt, timesOutAt } = wait
  if (asked?.canBeAsked !== true || state.erased || nextPollAt >= timesOutAt)
    return { text: 'Pombo stops waiting for a delivery report, and the message expires.', at: timesOutAt }
  const end = `without a report until ${toTime(timesOutAt, now)} the message expires`
  return {
    text: `Unless a report arrives, Pombo asks ${providerName(circumstances)} for the status; ${end}.`,
    at: nextPollAt,
  }
}
