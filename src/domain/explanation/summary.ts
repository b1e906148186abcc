/** What happened to a message, or what it waits for, in one sentence. Total: every situation has one. */
import { lastFact } from './attempts.ts'
import type { Circumstances, ProviderStanding } from './circumstances.ts'
import {
  attemptsCounted,
  attemptsMade,
  dueOf,
  nextAttempt,
  nextCallAt,
  providerName,
  reporterOf,
  reportWaitOf,
  tookOf,
  unknownWaitOf,
} from './numbers.ts'
import type { Situation } from './situation.ts'
import { anyOf, plural, toCount, toSpan, toTime, whyOf } from './words.ts'

type Sentence = (circumstances: Circumstances) => string

const always =
  (text: string): Sentence =>
  () =>
    text

export const summaryOf = (situation: Situation, circumstances: Circumstances): string =>
  SENTENCES[situation](circumstances)

/** ` after 3 attempts, in 3.2 s` */
function effort(circumstances: Circumstances): string {
  const [attempts, took] = [attemptsMade(circumstances), tookOf(circumstances)]
  const after = attempts > 1 ? ` after ${plural(attempts, 'attempt')}${took === undefined ? '' : ','}` : ''
  return took === undefined ? after : `${after} in ${toSpan(took)}`
}

/** Longer than a free worker needs to take a message. */
const LONG_OVERDUE = 2_000

function queued(circumstances: Circumstances): string {
  const { state, lane, now } = circumstances
  const head =
    attemptsCounted(circumstances) > 0
      ? `Retrying: ${nextAttempt(circumstances)} is due`
      : state.cycle > 1
        ? 'Queued again'
        : 'Queued'
  if (lane !== undefined && lane.ready > 1)
    return `${head}; ${toCount(lane.ready)} messages of the tenant are due in the lane ${state.lane}, and workers take them in turn.`
  const since = state.dueAt ?? state.updatedAt
  return now - since > LONG_OVERDUE
    ? `${head}; it has been due since ${toTime(since, now)}, so the workers or the calls to its provider are busy.`
    : `${head}; a worker is about to take it.`
}

/** What keeps a provider from being called, to follow its name and a colon. */
export function obstacleOf(
  { isConfigured, isConnected, breaker, heldUntil }: ProviderStanding,
  at: (time: NonNullable<typeof heldUntil>) => string,
): string {
  if (!isConfigured) return 'it is not configured'
  if (!isConnected) return 'none of its connections is up'
  if (heldUntil === undefined || breaker.kind === 'closed') return 'it can be called'
  if (breaker.kind === 'half_open')
    return `its circuit breaker has been open since ${at(breaker.openedAt)}, and a trial call is being made`
  return breaker.pausedAt === undefined
    ? `its circuit breaker has been open since ${at(breaker.openedAt)}`
    : `an operator opened its circuit breaker at ${at(breaker.pausedAt)}`
}

function withoutProvider(circumstances: Circumstances): string {
  const { providers, now } = circumstances
  const [only, ...others] = providers
  if (only === undefined) return 'Waiting: the route names no provider that is configured.'
  const at = nextCallAt(circumstances)
  const next = at === undefined ? '' : `; the next try is at ${toTime(at, now)}`
  if (others.length > 0) return `Waiting for ${anyOf(providers.map(({ name }) => name))}: none can be called${next}.`
  const obstacle = obstacleOf(only, (time) => toTime(time, now))
  return `Waiting for ${only.name}: ${obstacle}${next}${at === undefined ? '' : ' or when it closes'}.`
}

const WITHOUT_ROUTE = {
  unmatched: 'no route matches it',
  not_allowed: 'the route that matches it names no provider that the tenant may use',
  no_simulator: 'no simulator is configured for messages in test mode',
  unloaded: 'the routes are not loaded yet',
} as const

export const whyNoRoute = ({ route }: Circumstances): string =>
  typeof route === 'string' ? WITHOUT_ROUTE[route] : 'no route matches it'

/** What the route does about an unknown outcome once the wait for evidence is over. */
export const POLICY_TEXTS = {
  hold: 'holds it until a report, a look-up or a person decides',
  resend: 'sends it again',
  failover: 'sends it by another provider',
} as const

function unknownOutcome(circumstances: Circumstances): string {
  const { now, unknownRule } = circumstances
  const name = providerName(circumstances)
  const wait = unknownWaitOf(circumstances)
  const until = wait === undefined ? '' : ` until ${toTime(wait.nextCheckAt, now)}`
  return `Outcome unknown: ${name} may or may not have the message; Pombo waits for evidence${until} and then ${POLICY_TEXTS[unknownRule.policy]}.`
}

function unknownHeld(circumstances: Circumstances): string {
  const wait = unknownWaitOf(circumstances)
  const end = wait === undefined ? '' : `, at most until ${toTime(wait.givesUpAt, circumstances.now)}`
  return `Outcome unknown: ${providerName(circumstances)} may or may not have the message, so Pombo holds it until a report, a look-up or a person decides${end}.`
}

function awaitingReport(circumstances: Circumstances): string {
  const { state, events, asked, now } = circumstances
  const name = providerName(circumstances)
  const wait = reportWaitOf(circumstances)
  const isByPerson = lastFact(events, state.cycle, 'HandoffAccepted')?.fact.by === 'person'
  const sent = isByPerson ? `Sent by ${name}, as a person recorded` : `Sent by ${name}${effort(circumstances)}`
  if (asked?.reports === 'never' && wait !== undefined)
    return `${sent}; it never reports deliveries, so the message ends at ${toTime(wait.timesOutAt, now)} without one.`
  return `${sent}; waiting for its delivery report.`
}

function expired(circumstances: Circumstances): string {
  const attempts = attemptsMade(circumstances)
  const after = attempts === 0 ? '' : `, after ${plural(attempts, 'failed attempt')}`
  return `Expired before it was sent${after}.`
}

function deadLetter(circumstances: Circumstances): string {
  const attempts = attemptsMade(circumstances)
  const after = attempts === 0 ? '' : ` after ${plural(attempts, 'attempt')}`
  return `Failed${after}: ${whyOf(circumstances.state)}; it is in the dead letters.`
}

const SENTENCES: Readonly<Record<Situation, Sentence>> = {
  queued,
  retry_scheduled: (c) =>
    `Waiting to retry: ${nextAttempt(c)} is due at ${toTime(dueOf(c.state, c.now), c.now)}, because ${whyOf(c.state)}.`,
  waiting_for_account: (c) =>
    `Waiting for the account with ${providerName(c)}: ${whyOf(c.state)}; the next try is at ${toTime(dueOf(c.state, c.now), c.now)}.`,
  no_provider: withoutProvider,
  no_route: (c) => `Queued, but ${whyNoRoute(c)}, so it fails when a worker takes it.`,
  tenant_suspended: always('Queued, but the tenant is suspended, so it becomes a dead letter when a worker takes it.'),
  content_erased: always('Queued, but its content was erased, so it fails when a worker takes it.'),
  gateway_starting: always('Queued; Pombo has not loaded the routes yet and tries again every second.'),
  deadline_passed: (c) =>
    `Its expires_at passed at ${toTime(c.state.expiresAt ?? c.now, c.now)} before it was sent; Pombo is about to record that.`,
  sending: (c) =>
    `Sending: attempt ${c.state.attempt} has been calling ${providerName(c)} since ${toTime(c.state.attemptedAt ?? c.state.updatedAt, c.now)}.`,
  attempt_abandoned: (c) =>
    `The process that called ${providerName(c)} stopped before the answer; Pombo is about to find out what became of the attempt.`,
  unknown_outcome: unknownOutcome,
  unknown_held: unknownHeld,
  unresolved: (c) =>
    `Given up: there is no evidence whether ${providerName(c)} has the message, so it counts as failed until a report or a person says otherwise.`,
  awaiting_report: awaitingReport,
  sent_without_reports: (c) => `Sent by ${providerName(c)}${effort(c)}, which sends no delivery reports.`,
  delivered: (c) => `Delivered by ${reporterOf(c, 'ProviderDelivered')}${effort(c)}.`,
  bounced: (c) =>
    lastFact(c.events, c.state.cycle, 'ProviderDelivered') === undefined
      ? `Bounced: ${whyOf(c.state)}.`
      : `Bounced after it was reported as delivered: ${whyOf(c.state)}.`,
  dropped: (c) => `Not delivered by ${reporterOf(c, 'ProviderDropped')}: ${whyOf(c.state)}.`,
  complaint: always('Delivered, but the recipient reported it as spam.'),
  report_timed_out: (c) =>
    `Sent, but no delivery report arrived from ${providerName(c)} in time; it may have been delivered.`,
  expired,
  resolved_not_sent: always('Failed: a person recorded that it was not sent.'),
  invalid: (c) => `Not sent: ${whyOf(c.state)}.`,
  dead_letter: deadLetter,
  failed: (c) => `Failed: ${whyOf(c.state)}.`,
}
