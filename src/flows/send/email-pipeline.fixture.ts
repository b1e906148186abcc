/**
 * Stories of one mail, and a small model that knows nothing of the flows and tells beforehand which events each story
 * must leave.
 */

import type { UnknownPolicy } from '../../domain/routing/unknown.ts'
import { seconds } from '../../lib/time.ts'
import { PAUSES } from '../email.fixture.ts'
import { ACCEPTS, BLAMES_ITSELF, DEFERS, OUTCOME_UNKNOWN, REJECTS } from '../gateway.fixture.ts'

/** What a provider says to one call; `lost` stays unknown, `late` is told by a receipt. */
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

export type Story = Readonly<{
  /** Of the calls, in their order; those beyond are accepted. */
  outcomes: readonly Outcome[]
  providers: number
  policy: UnknownPolicy
  /** What the dice show after each call. */
  rolls: readonly number[]
  /** After how many calls the html is found to have a flaw. */
  flawedAfter: number
  /** After how many calls a worker crashes once, between the checks and the claim. */
  crashesAfter: number
  /** In milliseconds from the beginning. */
  expiresIn?: number
}>

export const NEVER = 99
export const PLAIN = { providers: 1, policy: 'resend', flawedAfter: NEVER, crashesAfter: NEVER } as const

/** A kind of event, and the attempt it belongs to; a retry also with its wait. */
export type Line = readonly [kind: string, attempt: number, wait?: number]

export const BASE_SECONDS = [1, 5, 30, 120, 600]
export const UNKNOWN_SECONDS = 30
const PAUSE_SECONDS = 3_600
const LEAST_PAUSE_SECONDS = 60
const ADVICE_MS = 60_000

/** How far a mail has come. Those that were passed over are not asked again, and those to be avoided come last. */
type Mail = Readonly<{
  now: number
  calls: number
  uncounted: number
  passed: readonly number[]
  avoided: readonly number[]
}>
/** `next` is missing at the end. */
type Step = Readonly<{ lines: readonly Line[]; next?: Mail }>

export function predict(story: Story): readonly Line[] {
  const lines: Line[] = [['MessageCreated', 0]]
  let mail: Mail | undefined = { now: 0, calls: 0, uncounted: 0, passed: [], avoided: [] }
  while (mail !== undefined) {
    const step: Step = stepOf(story, mail)
    lines.push(...step.lines)
    mail = step.next
  }
  return lines
}

function stepOf(story: Story, mail: Mail): Step {
  if (mail.now >= deadlineOf(story)) return ends(mail, 'MessageExpired')
  if (mail.calls >= story.flawedAfter) return ends(mail, 'ValidationFailed')
  const called = { ...mail, calls: mail.calls + 1 }
  const step = afterCall(story, called, story.outcomes[mail.calls] ?? 'accepted')
  return { ...step, lines: [['MessageValidated', mail.calls], ['HandoffAttempted', called.calls], ...step.lines] }
}

function afterCall(story: Story, mail: Mail, outcome: Outcome): Step {
  switch (outcome) {
    case 'accepted':
      return ends(mail, 'HandoffAccepted')
    case 'rejected':
      return ends(mail, 'HandoffFailed')
    case 'unable':
      return elsewhere(story, mail)
    case 'paused': {
      const uncounted = { ...mail, uncounted: mail.uncounted + 1 }
      const advised = mail.now + PAUSE_SECONDS * 1000 < deadlineOf(story) ? PAUSE_SECONDS : LEAST_PAUSE_SECONDS
      return byAnother(story, uncounted) ?? wait(story, { ...uncounted, passed: [], avoided: [] }, advised * 1000)
    }
    case 'deferred':
      return again(story, mail, 0)
    case 'patient':
      return again(story, mail, ADVICE_MS)
    case 'late':
      return ends(mail, 'HandoffUnknown', 'HandoffAccepted', 'ProviderDelivered')
    case 'lost': {
      const now = Math.min(mail.now + UNKNOWN_SECONDS * 1000, deadlineOf(story))
      const step = withoutEvidence(story, { ...mail, now })
      return { ...step, lines: [['HandoffUnknown', mail.calls], ...step.lines] }
    }
  }
}

/** Sent again at once while there is time and an attempt left; otherwise it counts as failed. */
function withoutEvidence(story: Story, mail: Mail): Step {
  if (mail.now >= deadlineOf(story)) return ends(mail, 'DeadLettered')
  const other = story.policy === 'failover' ? byAnother(story, mail) : undefined
  if (other !== undefined) return other
  if (mail.calls - mail.uncounted >= 5) return ends(mail, 'DeadLettered')
  return { lines: [['RetryScheduled', mail.calls, 0]], next: mail }
}

const ends = ({ calls }: Mail, ...kinds: readonly string[]): Step => ({
  lines: kinds.map((kind): Line => [kind, calls]),
})

const deadlineOf = ({ expiresIn = Number.POSITIVE_INFINITY }: Story): number => expiresIn

const allOf = ({ providers }: Story): readonly number[] => Array.from({ length: providers }, (_, place) => place)

/** Whose turn it is. */
function turnOf(story: Story, { passed, avoided }: Mail): number {
  const left = allOf(story).filter((one) => !passed.includes(one))
  return left.find((one) => !avoided.includes(one)) ?? left[0] ?? 0
}

function elsewhere(story: Story, mail: Mail): Step {
  const passed = [...mail.passed, turnOf(story, mail)]
  if (allOf(story).every((one) => passed.includes(one))) return ends(mail, 'HandoffFailed')
  return { lines: [['RetryScheduled', mail.calls, 0]], next: { ...mail, passed } }
}

/** At once, by one that has not had its turn; undefined where all have. */
function byAnother(story: Story, mail: Mail): Step | undefined {
  const avoided = [...mail.avoided, turnOf(story, mail)]
  const isAnotherLeft = allOf(story).some((one) => ![...mail.passed, ...avoided].includes(one))
  if (!isAnotherLeft || mail.now >= deadlineOf(story)) return undefined
  return { lines: [['RetryScheduled', mail.calls, 0]], next: { ...mail, avoided } }
}

/**
 * Five attempts count, and their waits grow, a quarter less or more. Who is asked for a longer wait goes to another
 * provider, and does not wait so long that the mail expires.
 */
function again(story: Story, mail: Mail, advice: number): Step {
  const counted = mail.calls - mail.uncounted
  if (counted >= 5) return ends(mail, 'DeadLettered')
  const share = 0.75 + (story.rolls[mail.calls - 1] ?? 0) / 2
  const own = Math.round((BASE_SECONDS[counted - 1] ?? 0) * 1000 * share)
  const startsOver = { ...mail, avoided: [] }
  if (advice <= own) return wait(story, startsOver, own)
  return byAnother(story, mail) ?? wait(story, startsOver, mail.now + advice < deadlineOf(story) ? advice : own)
}

function wait(story: Story, mail: Mail, by: number): Step {
  const now = mail.now + by
  if (now >= deadlineOf(story)) return ends(mail, 'MessageExpired')
  return { lines: [['RetryScheduled', mail.calls, by]], next: { ...mail, now } }
}
