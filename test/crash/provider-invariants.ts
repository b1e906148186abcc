/** Checks the result of every case: the timeline contains what happened, completely and correctly. */
import type { Fact, FactKind, MessageEvent } from '../../src/domain/message/events.ts'
import type { SendOutcome } from '../../src/domain/message/outcome.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { toStatus } from '../../src/domain/message/states.ts'
import { millis } from '../../src/lib/time.ts'
import type { Receipt } from '../../src/ports/provider.ts'
import { type Case, canLookUp, type End, endOf, type Traits } from './provider-cases.ts'
import type { CallRecord } from './provider-process.ts'
import { type CaseResult, RETRY } from './provider-run.ts'

/** Describes what is wrong with a case; empty if nothing is. */
export function problemsOf(result: CaseResult, given: Case, traits: Traits): readonly string[] {
  const attempts = toAttempts(result)
  return [
    ...problemsOfEnd(result, endOf(given, traits)),
    ...problemsOfCalls(result, attempts, given, traits),
    ...attempts.flatMap((attempt) => problemsOfAttempt(attempt, given, traits)),
    ...problemsOfSecrecy(result),
  ]
}

/** One attempt in the timeline, and what really happened to it. */
type AttemptRecord = Readonly<{
  number: number
  /** Its events from the claim on, without later reports and without the validation of the next attempt. */
  own: readonly MessageEvent[]
  /** Missing if the provider was not called. */
  call: CallRecord | undefined
  /** How often the provider accepted it, how often it reported it, and how often the timeline records the delivery. */
  accepted: number
  reported: number
  delivered: number
}>

function toAttempts({ events, calls, acceptedAttempts, reports }: CaseResult): readonly AttemptRecord[] {
  const claims = events.filter(({ fact }) => fact.kind === 'HandoffAttempted')
  return claims.map(({ attempt: number }) => ({
    number,
    own: events.filter(({ attempt, fact }) => attempt === number && isOwn(fact)),
    call: calls.find(({ attempt }) => attempt === number),
    accepted: acceptedAttempts.filter((attempt) => attempt === number).length,
    reported: new Set(reports.filter(({ ref }) => ref.attempt === number).map(toName)).size,
    delivered: events.filter(({ attempt, fact }) => attempt === number && fact.kind === 'ProviderDelivered').length,
  }))
}

const isOwn = ({ kind }: Fact): boolean => kind !== 'MessageValidated' && !kind.startsWith('Provider')

const toName = ({ providerMessageId, state }: Receipt): string => `${providerMessageId} ${state}`

function problemsOfEnd({ state, events, reports }: CaseResult, expected: End): readonly string[] {
  const end = outcomeOf(state)
  const twice = events.length - new Set(events.map(({ id }) => id)).size
  const isDelivered = toStatus(state) === 'delivered'
  return [
    ...problemIf(end !== expected, `it ended ${end}, expected ${expected}`),
    ...problemIf(isDelivered && reports.length === 0, 'it is delivered without a report of the provider'),
    ...problemIf(!isDelivered && reports.length > 0, 'the provider delivered it, and it is not recorded'),
    ...problemIf(twice > 0, `${twice} events are duplicates`),
  ]
}

function outcomeOf(state: MessageState): End | 'unsettled' {
  const { phase, dead, handoffState } = state
  if (toStatus(state) === 'delivered') return 'delivered'
  if (dead) return 'dead'
  if (handoffState === 'failed') return 'failed'
  return phase === 'unknown' ? 'held' : 'unsettled'
}

/** Every request that was read is an attempt in the timeline, and only a resend policy allows a second acceptance. */
function problemsOfCalls(
  { requestCount, calls, acceptedAttempts }: CaseResult,
  attempts: readonly AttemptRecord[],
  { behaviour, crash, policy, feedback }: Case,
  { returnsReference }: Traits,
): readonly string[] {
  const uncalled = crash === 'before the call' ? 1 : 0
  const made = attempts.length - uncalled
  const read = behaviour === 'is unreachable' ? 0 : made
  const mayDouble = policy === 'resend' && !(returnsReference && canLookUp(feedback))
  return [
    ...problemIf(calls.length !== made, `${calls.length} calls were made for ${made} attempts`),
    ...problemIf(
      requestCount !== undefined && requestCount !== read,
      `the provider read ${requestCount} requests of ${read}`,
    ),
    ...problemIf(
      acceptedAttempts.length > 1 && !mayDouble,
      `the provider accepted it ${acceptedAttempts.length} times`,
    ),
  ]
}

function problemsOfAttempt(record: AttemptRecord, given: Case, traits: Traits): readonly string[] {
  const { number, own, call, accepted, reported, delivered } = record
  const problems = [
    ...problemIf(accepted > 1, 'was accepted twice'),
    ...problemIf(delivered !== reported, `was reported ${reported} times, and the timeline says ${delivered}`),
    ...problemsOfConclusion(own, call?.outcome),
    ...problemsOfUnknown(own, accepted, given, traits),
    ...problemsOfSchedule(own, call?.outcome),
  ]
  return problems.map((problem) => `attempt ${number} ${problem}`)
}

/** The facts that may follow an outcome, unless a receipt stored it before. */
const CONCLUSIONS = {
  accepted: ['HandoffAccepted'],
  rejected: ['HandoffFailed'],
  deferred: ['RetryScheduled', 'DeadLettered'],
  unknown: ['HandoffUnknown'],
} as const satisfies Record<SendOutcome['kind'], readonly FactKind[]>

/** An attempt without a received answer has an unknown outcome. */
function problemsOfConclusion(own: readonly MessageEvent[], outcome: SendOutcome | undefined): readonly string[] {
  const [, first] = own
  const expected: readonly string[] = CONCLUSIONS[outcome?.kind ?? 'unknown']
  if (first === undefined) return ['was started and has no outcome']
  if (isProof(first.fact)) return []
  const code = outcome === undefined ? 'ABANDONED' : codeOf(outcome)
  return [
    ...problemIf(
      !expected.includes(first.fact.kind),
      `says ${first.fact.kind} first, and not ${expected.join(' or ')}`,
    ),
    ...problemIf(codeOf(first.fact) !== code, `says ${codeOf(first.fact)}, and it was ${code}`),
  ]
}

const isProof = (fact: Fact): boolean => fact.kind === 'HandoffAccepted' && fact.by !== 'answer'
const codeOf = (from: Fact | SendOutcome): string | undefined => ('code' in from ? from.code : undefined)

const DENIALS: ReadonlySet<FactKind> = new Set(['RetryScheduled', 'HandoffFailed', 'DeadLettered'])

/** An unknown outcome is resolved by a receipt, a lookup or the route's policy; an accepted attempt is never denied. */
function problemsOfUnknown(
  own: readonly MessageEvent[],
  accepted: number,
  { policy, feedback }: Case,
  { confirmsAbsence }: Traits,
): readonly string[] {
  const unknown = own.findIndex(({ fact }) => fact.kind === 'HandoffUnknown')
  return own.flatMap(({ fact }, index) => {
    const isByRoute = unknown >= 0 && index > unknown && codeOf(fact) === 'OUTCOME_UNKNOWN' && policy === 'resend'
    const isByLookup =
      unknown >= 0 && index > unknown && codeOf(fact) === 'NOT_RECEIVED' && confirmsAbsence && canLookUp(feedback)
    const isDenial = DENIALS.has(fact.kind)
    const isGuess = isDenial && unknown >= 0 && !isByRoute && !isByLookup
    return [
      ...problemIf(isGuess, `had an unknown outcome, followed by ${fact.kind} ${codeOf(fact)}`),
      ...problemIf(isDenial && accepted > 0 && !isByRoute, `was accepted, and ${fact.kind} ${codeOf(fact)} denies it`),
      ...problemIf(fact.kind === 'HandoffAccepted' && accepted === 0, 'was never accepted, and says that it was'),
    ]
  })
}

/** A retry waits for the retry delay or the provider's Retry-After, whichever is longer; after an unknown outcome it is immediate. */
function problemsOfSchedule(own: readonly MessageEvent[], outcome: SendOutcome | undefined): readonly string[] {
  const retryAfter = outcome?.kind === 'deferred' ? outcome.retryAfter : millis(0)
  return own.flatMap(({ fact, at, attempt }) => {
    if (fact.kind !== 'RetryScheduled') return []
    const delay = RETRY.delays[Math.min(attempt, RETRY.delays.length) - 1] ?? 0
    const expected = fact.code === 'OUTCOME_UNKNOWN' ? 0 : Math.max(delay, retryAfter)
    const wait = fact.dueAt - at
    return problemIf(wait !== expected, `is retried after ${wait} ms, expected ${expected} ms`)
  })
}

function problemsOfSecrecy({ events, secrets }: CaseResult): readonly string[] {
  const text = JSON.stringify(events)
  const leaked = secrets.filter((secret) => text.includes(secret))
  return problemIf(leaked.length > 0, 'an event contains the recipient or the text')
}

const problemIf = (condition: boolean, problem: string): readonly string[] => (condition ? [problem] : [])
