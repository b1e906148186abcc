/**
 * The breaker of a provider: after so many failures in a row the provider is left alone for a while, and
 * then one call, of one worker of all, tries it out.
 *
 * | breaker   | a call was answered       | a call failed               | who asks for leave                                  |
 * |-----------|---------------------------|-----------------------------|-----------------------------------------------------|
 * | closed    | closed, the run is over   | closed; the fifth in a row: open | is free to call                                |
 * | open      | open                      | open                        | is held until `retryAt`; the first one after it is the trial: half_open |
 * | half_open | the trial: closed         | the trial: open once more   | is held; after `retryAt` the trial is lost, and he is the next one |
 *
 * Calls that had leave before it opened change nothing when they end afterwards; and a trial that was not
 * made leaves it open, due at once. A rejection is an answer, whomever it blames: the provider is there. So
 * is being told that a recipient cannot be reached for now.
 *
 * A person may open it or close it whatever it is: from then on all goes by the table, and what was let pass
 * as a trial before counts no more.
 */

import { type Instant, later, type Millis, seconds } from '../../lib/time.ts'
import type { ProviderName } from '../ids.ts'
import type { SendOutcome } from '../message/outcome.ts'

export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const
export type BreakerState = (typeof BREAKER_STATES)[number]

export type Breaker =
  | Readonly<{ kind: 'closed'; failures: number }>
  /** `failures` are those in a row, `openedAt` is when it last was closed. */
  | Readonly<{ kind: 'open'; failures: number; openedAt: Instant; retryAt: Instant }>
  | Readonly<{ kind: 'half_open'; failures: number; openedAt: Instant; retryAt: Instant; trialAt: Instant }>

export type BreakerPolicy = Readonly<{
  /** So many failures in a row open it. */
  failures: number
  /** For how long it then is open. */
  pause: Millis
  /** After this long a trial nobody heard of again is lost. Longer than any call takes. */
  lease: Millis
  /** How long those wait who ask during a trial. */
  again: Millis
}>

export const BREAKER: BreakerPolicy = { failures: 5, pause: seconds(30), lease: seconds(60), again: seconds(2) }

export const CLOSED: Breaker = { kind: 'closed', failures: 0 }

/** Whether a provider may be called. The moment of a trial is its name: no two of a breaker have the same. */
export type Permission = Permit | Readonly<{ kind: 'held'; until: Instant }>
export type Permit = Readonly<{ kind: 'free' }> | Readonly<{ kind: 'trial'; at: Instant }>

export const FREE: Permit = { kind: 'free' }

export type Verdict = 'answered' | 'failed' | 'not_called'

/** What somebody asks of a breaker, or tells it. */
export type BreakerCall =
  | Readonly<{ kind: 'try'; at: Instant }>
  | Readonly<{ kind: 'tell'; pass: Permit; verdict: Verdict; at: Instant }>
  | Force

/** What a person makes of it. Opened, it is left alone as long as after failures, unless a `pause` is named. */
export type Force = Readonly<{ kind: 'force'; to: 'open' | 'closed'; at: Instant; pause?: Millis }>

export function verdictOf(outcome: SendOutcome): Verdict {
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
      return 'answered'
    case 'deferred':
      return outcome.blame === 'recipient' ? 'answered' : 'failed'
    case 'unknown':
      return 'failed'
  }
}

/**
 * What a process knows of the calls that providers have answered. A call that times out ends long after
 * others that were begun later: its failure tells nothing of a provider that has answered one of those.
 */
export class Answered {
  readonly #latest = new Map<ProviderName, Instant>()

  /** Whether a call that ended so was overtaken by one that was answered; a trial never is. */
  hasOvertaken(provider: ProviderName, pass: Permit, verdict: Verdict, begunAt: Instant): boolean {
    const latest = this.#latest.get(provider)
    if (verdict === 'failed') return pass.kind === 'free' && latest !== undefined && begunAt < latest
    if (verdict === 'answered' && (latest === undefined || latest < begunAt)) this.#latest.set(provider, begunAt)
    return false
  }
}

export function permissionOf(breaker: Breaker, at: Instant, { again }: BreakerPolicy): Permission {
  if (breaker.kind === 'closed') return FREE
  const { retryAt } = breaker
  if (retryAt <= at) return { kind: 'trial', at }
  const soon = later(at, again)
  return { kind: 'held', until: breaker.kind === 'half_open' && soon < retryAt ? soon : retryAt }
}

/** The breaker after what somebody asked or told; the very same where that changes nothing. */
export function afterCall(breaker: Breaker, call: BreakerCall, policy: BreakerPolicy): Breaker {
  switch (call.kind) {
    case 'try':
      return afterTry(breaker, call.at, policy)
    case 'tell':
      return afterVerdict(breaker, call, policy)
    case 'force':
      return afterForce(breaker, call, policy)
  }
}

function afterTry(breaker: Breaker, at: Instant, { lease }: BreakerPolicy): Breaker {
  if (breaker.kind === 'closed' || breaker.retryAt > at) return breaker
  return { ...breaker, kind: 'half_open', trialAt: at, retryAt: later(at, lease) }
}

function afterForce(breaker: Breaker, { to, at, pause }: Force, policy: BreakerPolicy): Breaker {
  if (to === 'closed') return toClosed(breaker)
  const openedAt = breaker.kind === 'closed' ? at : breaker.openedAt
  return { kind: 'open', failures: breaker.failures, openedAt, retryAt: later(at, pause ?? policy.pause) }
}

const toClosed = (breaker: Breaker): Breaker => (breaker.kind === 'closed' && breaker.failures === 0 ? breaker : CLOSED)

type Told = Extract<BreakerCall, { kind: 'tell' }>

function afterVerdict(breaker: Breaker, { pass, verdict, at }: Told, policy: BreakerPolicy): Breaker {
  const { kind, failures } = breaker
  const isItsOwn = pass.kind === 'free' ? kind === 'closed' : kind === 'half_open' && breaker.trialAt === pass.at
  if (!isItsOwn) return breaker
  switch (verdict) {
    case 'answered':
      return toClosed(breaker)
    case 'failed': {
      if (kind === 'closed' && failures + 1 < policy.failures) return { kind, failures: failures + 1 }
      const openedAt = kind === 'closed' ? at : breaker.openedAt
      return { kind: 'open', failures: failures + 1, openedAt, retryAt: later(at, policy.pause) }
    }
    case 'not_called':
      return kind === 'closed' ? breaker : { kind: 'open', failures, openedAt: breaker.openedAt, retryAt: at }
  }
}

/** As people see it: once its pause is over, an open breaker waits for nothing but a call to try. */
export const toBreakerState = (breaker: Breaker, at: Instant): BreakerState =>
  breaker.kind === 'open' && breaker.retryAt <= at ? 'half_open' : breaker.kind
