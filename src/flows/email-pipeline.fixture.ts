/**
 * Stories of one mail, and a small model that knows nothing of the flows and tells beforehand which events each story
 * must leave.
 */

import { seconds } from '../domain/time.ts'
import type { UnknownPolicy } from '../domain/unknown.ts'
import { ACCEPTS, BLAMES_ITSELF, DEFERS, LEAVES_IN_DOUBT, REJECTS } from './gateway.fixture.ts'
import { PAUSES } from './mail.fixture.ts'

/** What a provider says to one call; `lost` stays unknown, `late` is told by a receipt. */
export const OUTCOMES = {
  accepted: ACCEPTS,
  rejected: REJECTS,
  unable: BLAMES_ITSELF,
  paused: PAUSES,
  deferred: DEFERS,
  patient: { ...DEFERS, retryAfter: seconds(60) },
  lost: LEAVES_IN_DOUBT,
  late: LEAVES_IN_DOUBT,
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
export const DOUBT_SECONDS = 30
const PAUSE_SECONDS = 3_600
const ADVICE_MS = 60_000

/** How far a mail has come. `provider` is the one whose turn it is: those before it were passed over. */
type Mail = Readonly<{ now: number; calls: number; spared: number; provider: number }>
/** `next` is missing at the end. */
type Step = Readonly<{ lines: readonly Line[]; next?: Mail }>

export function predict(story: Story): readonly Line[] {
  const lines: Line[] = [['MessageCreated', 0]]
  let mail: Mail | undefined = { now: 0, calls: 0, spared: 0, provider: 0 }
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
      const spared = { ...mail, spared: mail.spared + 1 }
      return isAnotherLeft(story, mail)
        ? elsewhere(story, spared)
        : wait(story, { ...spared, provider: 0 }, PAUSE_SECONDS * 1000)
    }
    case 'deferred':
      return again(story, mail, 0)
    case 'patient':
      return again(story, mail, ADVICE_MS)
    case 'late':
      return ends(mail, 'HandoffUnknown', 'HandoffAccepted', 'ProviderDelivered')
    case 'lost': {
      const now = Math.min(mail.now + DOUBT_SECONDS * 1000, deadlineOf(story))
      const step = withoutEvidence(story, { ...mail, now })
      return { ...step, lines: [['HandoffUnknown', mail.calls], ...step.lines] }
    }
  }
}

/** Sent again at once while there is time and an attempt left; otherwise it counts as failed. */
function withoutEvidence(story: Story, mail: Mail): Step {
  if (mail.now >= deadlineOf(story)) return ends(mail, 'DeadLettered')
  if (story.policy === 'failover' && isAnotherLeft(story, mail)) return elsewhere(story, mail)
  if (mail.calls - mail.spared >= 5) return ends(mail, 'DeadLettered')
  return { lines: [['RetryScheduled', mail.calls, 0]], next: mail }
}

const ends = ({ calls }: Mail, ...kinds: readonly string[]): Step => ({
  lines: kinds.map((kind): Line => [kind, calls]),
})

const deadlineOf = ({ expiresIn = Number.POSITIVE_INFINITY }: Story): number => expiresIn

const isAnotherLeft = ({ providers }: Story, { provider }: Mail): boolean => provider + 1 < providers

function elsewhere(story: Story, mail: Mail): Step {
  if (!isAnotherLeft(story, mail)) return ends(mail, 'HandoffFailed')
  return { lines: [['RetryScheduled', mail.calls, 0]], next: { ...mail, provider: mail.provider + 1 } }
}

/**
 * Five attempts count, and their waits grow, a quarter less or more. Who is asked for a longer wait goes to another
 * provider, and does not wait so long that the mail expires.
 */
function again(story: Story, mail: Mail, advice: number): Step {
  const counted = mail.calls - mail.spared
  if (counted >= 5) return ends(mail, 'DeadLettered')
  const share = 0.75 + (story.rolls[mail.calls - 1] ?? 0) / 2
  const own = Math.round((BASE_SECONDS[counted - 1] ?? 0) * 1000 * share)
  if (advice <= own) return wait(story, mail, own)
  if (isAnotherLeft(story, mail)) return elsewhere(story, mail)
  return wait(story, { ...mail, provider: 0 }, mail.now + advice < deadlineOf(story) ? advice : own)
}

function wait(story: Story, mail: Mail, by: number): Step {
  const now = mail.now + by
  if (now >= deadlineOf(story)) return ends(mail, 'MessageExpired')
  return { lines: [['RetryScheduled', mail.calls, by]], next: { ...mail, now } }
}
