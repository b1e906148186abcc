/** What must hold of every case that was played: the timeline tells what happened, all of it, and nothing else. */
import type { Fact, FactKind, MessageEvent } from '../../src/domain/message/events.ts'
import type { SendOutcome } from '../../src/domain/message/outcome.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { toStatus } from '../../src/domain/message/states.ts'
import { millis } from '../../src/lib/time.ts'
import type { Receipt } from '../../src/ports/provider.ts'
import { type Played, RETRY } from './provider-play.ts'
import type { Learnt } from './provider-process.ts'
import { type Case, canBeAsked, type End, endOf, type Traits } from './provider-table.ts'

/** What is wrong with a case, in words; nothing when all is well. */
export function problemsOf(played: Played, given: Case, traits: Traits): readonly string[] {
  const attempts = toAttempts(played)
  return [
    ...problemsOfEnd(played, endOf(given, traits)),
    ...problemsOfCalls(played, attempts, given, traits),
    ...attempts.flatMap((attempt) => problemsOfAttempt(attempt, given, traits)),
    ...problemsOfSecrecy(played),
  ]
}

/** One attempt in the timeline, beside what really became of it. */
type Told = Readonly<{
  number: number
  /** Its events, without what the provider reported later and the checks before the next; the claim is the first. */
  own: readonly MessageEvent[]
  /** Missing where the provider was not called. */
  learnt: Learnt | undefined
  /** How often the provider took it, reported it, and how often the timeline says that it was delivered. */
  taken: number
  reported: number
  delivered: number
}>

function toAttempts({ events, learnt, taken, reports }: Played): readonly Told[] {
  const claims = events.filter(({ fact }) => fact.kind === 'HandoffAttempted')
  return claims.map(({ attempt: number }) => ({
    number,
    own: events.filter(({ attempt, fact }) => attempt === number && isOwn(fact)),
    learnt: learnt.find(({ attempt }) => attempt === number),
    taken: taken.filter((attempt) => attempt === number).length,
    reported: new Set(reports.filter(({ ref }) => ref.attempt === number).map(toName)).size,
    delivered: events.filter(({ attempt, fact }) => attempt === number && fact.kind === 'ProviderDelivered').length,
  }))
}

const isOwn = ({ kind }: Fact): boolean => kind !== 'MessageValidated' && !kind.startsWith('Provider')

const toName = ({ providerMessageId, state }: Receipt): string => `${providerMessageId} ${state}`

function problemsOfEnd({ state, events, reports }: Played, expected: End): readonly string[] {
  const end = toEnd(state)
  const twice = events.length - new Set(events.map(({ id }) => id)).size
  const isDelivered = toStatus(state) === 'delivered'
  return [
    ...complain(end !== expected, `it ended ${end}, and was to end ${expected}`),
    ...complain(isDelivered && reports.length === 0, 'it is delivered, and the provider never said so'),
    ...complain(!isDelivered && reports.length > 0, 'the provider delivered it, and nobody knows'),
    ...complain(twice > 0, `${twice} events are there twice`),
  ]
}

function toEnd(state: MessageState): End | 'restless' {
  const { phase, dead, handoffState } = state
  if (toStatus(state) === 'delivered') return 'delivered'
  if (dead) return 'dead'
  if (handoffState === 'failed') return 'failed'
  return phase === 'unknown' ? 'held' : 'restless'
}

/** Every request that was read is an attempt in the timeline, and no message is taken twice but by the route's wish. */
function problemsOfCalls(
  { heard, learnt, taken }: Played,
  attempts: readonly Told[],
  { conduct, crash, policy, news }: Case,
  { refers }: Traits,
): readonly string[] {
  const uncalled = crash === 'before the call' ? 1 : 0
  const made = attempts.length - uncalled
  const read = conduct === 'is not there' ? 0 : made
  const mayDouble = policy === 'resend' && !(refers && canBeAsked(news))
  return [
    ...complain(learnt.length !== made, `${learnt.length} calls were made for ${made} attempts`),
    ...complain(heard !== undefined && heard !== read, `the provider read ${heard} requests of ${read}`),
    ...complain(taken.length > 1 && !mayDouble, `the provider took it ${taken.length} times`),
  ]
}

function problemsOfAttempt(told: Told, given: Case, traits: Traits): readonly string[] {
  const { number, own, learnt, taken, reported, delivered } = told
  const problems = [
    ...complain(taken > 1, 'was taken twice'),
    ...complain(delivered !== reported, `was reported ${reported} times, and the timeline says ${delivered}`),
    ...problemsOfConclusion(own, learnt?.outcome),
    ...problemsOfUnknown(own, taken, given, traits),
    ...problemsOfSchedule(own, learnt?.outcome),
  ]
  return problems.map((problem) => `attempt ${number} ${problem}`)
}

/** What an attempt that ended so must be followed by, where no receipt has told its outcome before. */
const CONCLUSIONS = {
  accepted: ['HandoffAccepted'],
  rejected: ['HandoffFailed'],
  deferred: ['RetryScheduled', 'DeadLettered'],
  unknown: ['HandoffUnknown'],
} as const satisfies Record<SendOutcome['kind'], readonly FactKind[]>

/** What nobody was told of is with an unknown outcome, however the call ended. */
function problemsOfConclusion(own: readonly MessageEvent[], outcome: SendOutcome | undefined): readonly string[] {
  const [, first] = own
  const expected: readonly string[] = CONCLUSIONS[outcome?.kind ?? 'unknown']
  if (first === undefined) return ['was begun, and nothing says what came of it']
  if (isProof(first.fact)) return []
  const code = outcome === undefined ? 'ABANDONED' : codeOf(outcome)
  return [
    ...complain(!expected.includes(first.fact.kind), `says ${first.fact.kind} first, and not ${expected.join(' or ')}`),
    ...complain(codeOf(first.fact) !== code, `says ${codeOf(first.fact)}, and it was ${code}`),
  ]
}

const isProof = (fact: Fact): boolean => fact.kind === 'HandoffAccepted' && fact.by !== 'answer'
const codeOf = (said: Fact | SendOutcome): string | undefined => ('code' in said ? said.code : undefined)

const DENIALS: ReadonlySet<FactKind> = new Set(['RetryScheduled', 'HandoffFailed', 'DeadLettered'])

/** A doubt ends by proof, by the provider's word, or by the route's wish; and nothing is denied that was taken. */
function problemsOfUnknown(
  own: readonly MessageEvent[],
  taken: number,
  { policy, news }: Case,
  { denies }: Traits,
): readonly string[] {
  const unknown = own.findIndex(({ fact }) => fact.kind === 'HandoffUnknown')
  return own.flatMap(({ fact }, place) => {
    const isByRoute = unknown >= 0 && place > unknown && codeOf(fact) === 'OUTCOME_UNKNOWN' && policy === 'resend'
    const isByWord = unknown >= 0 && place > unknown && codeOf(fact) === 'NOT_RECEIVED' && denies && canBeAsked(news)
    const isDenial = DENIALS.has(fact.kind)
    const isGuess = isDenial && unknown >= 0 && !isByRoute && !isByWord
    return [
      ...complain(isGuess, `was with an unknown outcome, and went on by ${fact.kind} ${codeOf(fact)}`),
      ...complain(isDenial && taken > 0 && !isByRoute, `was taken, and ${fact.kind} ${codeOf(fact)} denies it`),
      ...complain(fact.kind === 'HandoffAccepted' && taken === 0, 'was never taken, and says that it was'),
    ]
  })
}

/** It goes on when the schedule or the provider says so, whichever is later; after an unknown outcome at once. */
function problemsOfSchedule(own: readonly MessageEvent[], outcome: SendOutcome | undefined): readonly string[] {
  const asked = outcome?.kind === 'deferred' ? outcome.retryAfter : millis(0)
  return own.flatMap(({ fact, at, attempt }) => {
    if (fact.kind !== 'RetryScheduled') return []
    const delay = RETRY.delays[Math.min(attempt, RETRY.delays.length) - 1] ?? 0
    const expected = fact.code === 'OUTCOME_UNKNOWN' ? 0 : Math.max(delay, asked)
    const wait = fact.dueAt - at
    return complain(wait !== expected, `is tried again after ${wait} ms`)
  })
}

function problemsOfSecrecy({ events, secrets }: Played): readonly string[] {
  const text = JSON.stringify(events)
  const told = secrets.filter((secret) => text.includes(secret))
  return complain(told.length > 0, 'an event tells the recipient or the text')
}

const complain = (isSo: boolean, problem: string): readonly string[] => (isSo ? [problem] : [])
