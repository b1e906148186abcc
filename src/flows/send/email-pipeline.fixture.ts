/**
 * Scenarios of one email, and a small model that is independent of the flows and predicts the events of each
 * scenario.
 */

import type { UnknownPolicy } from '../../domain/routing/unknown.ts'
import { seconds } from '../../lib/time.ts'
import { PAUSES } from '../email.fixture.ts'
import { ACCEPTS, BLAMES_ITSELF, DEFERS, OUTCOME_UNKNOWN, REJECTS } from '../gateway.fixture.ts'

/** A provider's response to one call; `lost` stays unknown, `late` is resolved by a receipt. */
export const OUTCOMES = {
  accepted: ACCEPTS,
  rejected: REJECTS,
  unable: BLAMES_ITSELF,
  paused: PAUSES,
  deferred: DEFERS,
  patient: { ...DEFERS, retryAfter: seconds(60) },
  lost: OUTCOME_UNKNOWN,
  late: OUTCOME_UNKNOWN,
}
export type Outcome = keyof typeof OUTCOMES

export type Scenario = Readonly<{
  /** The outcomes of the calls in order; later calls are accepted. */
  outcomes: readonly Outcome[]
  providers: number
  policy: UnknownPolicy
  /** The random number for each retry delay. */
  rolls: readonly number[]
  /** The HTML fails its check after this many calls. */
  flawedAfter: number
  /** A worker crashes once after this many calls, between the checks and the claim. */
  crashesAfter: number
  /** In milliseconds from the start. */
  expiresIn?: number
}>

export const NEVER = 99
export const PLAIN = { providers: 1, policy: 'resend', flawedAfter: NEVER, crashesAfter: NEVER } as const

/** The kind of an event and its attempt; for a retry also its delay. */
export type EventLine = readonly [kind: string, attempt: number, wait?: number]

export const BASE_SECONDS = [1, 5, 30, 120, 600]
export const UNKNOWN_SECONDS = 30
const PAUSE_SECONDS = 3_600
const LEAST_PAUSE_SECONDS = 60
const ADVICE_MS = 60_000

/** The progress of an email. Excluded providers are not called again; avoided providers come last. */
type Mail = Readonly<{
  now: number
  calls: number
  uncounted: number
  excluded: readonly number[]
  avoided: readonly number[]
}>
/** `next` is missing after the last step. */
type Step = Readonly<{ lines: readonly EventLine[]; next?: Mail }>

export function predict(scenario: Scenario): readonly EventLine[] {
  const lines: EventLine[] = [['MessageCreated', 0]]
  let mail: Mail | undefined = { now: 0, calls: 0, uncounted: 0, excluded: [], avoided: [] }
  while (mail !== undefined) {
    const step: Step = stepOf(scenario, mail)
    lines.push(...step.lines)
    mail = step.next
  }
  return lines
}

function stepOf(scenario: Scenario, mail: Mail): Step {
  if (mail.now >= deadlineOf(scenario)) return ends(mail, 'MessageExpired')
  if (mail.calls >= scenario.flawedAfter) return ends(mail, 'ValidationFailed')
  const called = { ...mail, calls: mail.calls + 1 }
  const step = afterCall(scenario, called, scenario.outcomes[mail.calls] ?? 'accepted')
  return { ...step, lines: [['MessageValidated', mail.calls], ['HandoffAttempted', called.calls], ...step.lines] }
}

function afterCall(scenario: Scenario, mail: Mail, outcome: Outcome): Step {
  switch (outcome) {
    case 'accepted':
      return ends(mail, 'HandoffAccepted')
    case 'rejected':
      return ends(mail, 'HandoffFailed')
    case 'unable':
      return elsewhere(scenario, mail)
    case 'paused': {
      const uncounted = { ...mail, uncounted: mail.uncounted + 1 }
      const advised = mail.now + PAUSE_SECONDS * 1000 < deadlineOf(scenario) ? PAUSE_SECONDS : LEAST_PAUSE_SECONDS
      return (
        byAnother(scenario, uncounted) ?? wait(scenario, { ...uncounted, excluded: [], avoided: [] }, advised * 1000)
      )
    }
    case 'deferred':
      return again(scenario, mail, 0)
    case 'patient':
      return again(scenario, mail, ADVICE_MS)
    case 'late':
      return ends(mail, 'HandoffUnknown', 'HandoffAccepted', 'ProviderDelivered')
    case 'lost': {
      const now = Math.min(mail.now + UNKNOWN_SECONDS * 1000, deadlineOf(scenario))
      const step = withoutEvidence(scenario, { ...mail, now })
      return { ...step, lines: [['HandoffUnknown', mail.calls], ...step.lines] }
    }
  }
}

/** Sends again at once while there is time and an attempt left; otherwise the email is dead-lettered. */
function withoutEvidence(scenario: Scenario, mail: Mail): Step {
  if (mail.now >= deadlineOf(scenario)) return ends(mail, 'DeadLettered')
  const other = scenario.policy === 'failover' ? byAnother(scenario, mail) : undefined
  if (other !== undefined) return other
  if (mail.calls - mail.uncounted >= 5) return ends(mail, 'DeadLettered')
  return { lines: [['RetryScheduled', mail.calls, 0]], next: mail }
}

const ends = ({ calls }: Mail, ...kinds: readonly string[]): Step => ({
  lines: kinds.map((kind): EventLine => [kind, calls]),
})

const deadlineOf = ({ expiresIn = Number.POSITIVE_INFINITY }: Scenario): number => expiresIn

const allOf = ({ providers }: Scenario): readonly number[] => Array.from({ length: providers }, (_, index) => index)

/** The provider of the next call. */
function nextProvider(scenario: Scenario, { excluded, avoided }: Mail): number {
  const left = allOf(scenario).filter((one) => !excluded.includes(one))
  return left.find((one) => !avoided.includes(one)) ?? left[0] ?? 0
}

function elsewhere(scenario: Scenario, mail: Mail): Step {
  const excluded = [...mail.excluded, nextProvider(scenario, mail)]
  if (allOf(scenario).every((one) => excluded.includes(one))) return ends(mail, 'HandoffFailed')
  return { lines: [['RetryScheduled', mail.calls, 0]], next: { ...mail, excluded } }
}

/** Sends at once through a provider that was not called yet; undefined when all were. */
function byAnother(scenario: Scenario, mail: Mail): Step | undefined {
  const avoided = [...mail.avoided, nextProvider(scenario, mail)]
  const isAnotherLeft = allOf(scenario).some((one) => ![...mail.excluded, ...avoided].includes(one))
  if (!isAnotherLeft || mail.now >= deadlineOf(scenario)) return undefined
  return { lines: [['RetryScheduled', mail.calls, 0]], next: { ...mail, avoided } }
}

/**
 * Five attempts count, with growing delays, plus or minus a quarter. A longer Retry-After leads to another provider,
 * and is ignored when the email would expire first.
 */
function again(scenario: Scenario, mail: Mail, advice: number): Step {
  const counted = mail.calls - mail.uncounted
  if (counted >= 5) return ends(mail, 'DeadLettered')
  const share = 0.75 + (scenario.rolls[mail.calls - 1] ?? 0) / 2
  const own = Math.round((BASE_SECONDS[counted - 1] ?? 0) * 1000 * share)
  const startsOver = { ...mail, avoided: [] }
  if (advice <= own) return wait(scenario, startsOver, own)
  return (
    byAnother(scenario, mail) ?? wait(scenario, startsOver, mail.now + advice < deadlineOf(scenario) ? advice : own)
  )
}

function wait(scenario: Scenario, mail: Mail, by: number): Step {
  const now = mail.now + by
  if (now >= deadlineOf(scenario)) return ends(mail, 'MessageExpired')
  return { lines: [['RetryScheduled', mail.calls, by]], next: { ...mail, now } }
}
