/**
 * The circuit breaker of a provider: several consecutive failures open it, and after a pause a single trial call, made by
 * one worker of all, decides whether it closes again.
 *
 * | breaker   | a call was answered        | a call failed                   | a permit is requested                          |
 * |-----------|----------------------------|---------------------------------|------------------------------------------------|
 * | closed    | closed, failures reset     | closed; on the fifth: open      | granted                                        |
 * | open      | open                       | open                            | held until `retryAt`, then a trial: half_open  |
 * | half_open | the trial's result: closed | the trial's result: open again  | held; after `retryAt` the trial counts as lost |
 *
 * Calls that were permitted before it opened change nothing when they end. A trial that was not made leaves it open, with
 * another trial due at once. A rejection is a response, whatever its cause: the provider is up. So is a temporary error
 * about the recipient.
 *
 * A person may open or close it in any state. From then on the table applies, and earlier trials no longer count. Opened by
 * a person it is paused: until its trial, it says since when.
 */

import { type Instant, later, type Millis, seconds } from '../../lib/time.ts'
import type { ProviderName } from '../ids.ts'
import type { SendOutcome } from '../message/outcome.ts'

export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const
export type BreakerState = (typeof BREAKER_STATES)[number]

export type Breaker =
  | Readonly<{ kind: 'closed'; failures: number }>
  /**
   * `failures` counts consecutive failures; `openedAt` is when it last left `closed`, and `pausedAt` when a person opened
   * it.
   */
  | Readonly<{ kind: 'open'; failures: number; openedAt: Instant; retryAt: Instant; pausedAt?: Instant }>
  | Readonly<{ kind: 'half_open'; failures: number; openedAt: Instant; retryAt: Instant; trialAt: Instant }>

export type BreakerPolicy = Readonly<{
  /** The number of consecutive failures that opens it. */
  failures: number
  /** How long it stays open. */
  pause: Millis
  /** After this time a trial without a result counts as lost. Longer than any call takes. */
  lease: Millis
  /** How long to wait during a trial. */
  again: Millis
}>

export const BREAKER: BreakerPolicy = { failures: 5, pause: seconds(30), lease: seconds(60), again: seconds(2) }

export const CLOSED: Breaker = { kind: 'closed', failures: 0 }

/** Whether a provider may be called. A trial is identified by its time, which is unique per breaker. */
export type Permission = Permit | Readonly<{ kind: 'held'; until: Instant }>
export type Permit = Readonly<{ kind: 'free' }> | Readonly<{ kind: 'trial'; at: Instant }>

export const FREE: Permit = { kind: 'free' }

export type Verdict = 'answered' | 'failed' | 'not_called'

/** The input of a breaker: a request for a permit, a result, or a manual change. */
export type BreakerCall = Readonly<{ kind: 'try'; at: Instant }> | CallResult | Force

type CallResult = Readonly<{ kind: 'result'; permit: Permit; verdict: Verdict; at: Instant }>

/** A manual change. Opened manually, it stays open for the usual time unless `pause` is given. */
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
 * The newest responses of providers, in one process. A call that times out ends long after later calls that were
 * answered, so its failure says nothing about the provider by then.
 */
export class Answered {
  readonly #latest = new Map<ProviderName, Instant>()

  /** Whether a later call was answered before this failure; never for a trial. */
  hasOvertaken(provider: ProviderName, permit: Permit, verdict: Verdict, begunAt: Instant): boolean {
    const latest = this.#latest.get(provider)
    if (verdict === 'failed') return permit.kind === 'free' && latest !== undefined && begunAt < latest
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

/** The breaker after an input; the same object if nothing changes. */
export function afterCall(breaker: Breaker, call: BreakerCall, policy: BreakerPolicy): Breaker {
  switch (call.kind) {
    case 'try':
      return afterTry(breaker, call.at, policy)
    case 'result':
      return afterVerdict(breaker, call, policy)
    case 'force':
      return afterForce(breaker, call, policy)
  }
}

function afterTry(breaker: Breaker, at: Instant, { lease }: BreakerPolicy): Breaker {
  if (breaker.kind === 'closed' || breaker.retryAt > at) return breaker
  const { failures, openedAt } = breaker
  return { kind: 'half_open', failures, openedAt, trialAt: at, retryAt: later(at, lease) }
}

function afterForce(breaker: Breaker, { to, at, pause }: Force, policy: BreakerPolicy): Breaker {
  if (to === 'closed') return toClosed(breaker)
  const openedAt = breaker.kind === 'closed' ? at : breaker.openedAt
  const { failures } = breaker
  return { kind: 'open', failures, openedAt, retryAt: later(at, pause ?? policy.pause), pausedAt: at }
}

const toClosed = (breaker: Breaker): Breaker => (breaker.kind === 'closed' && breaker.failures === 0 ? breaker : CLOSED)

function afterVerdict(breaker: Breaker, { permit, verdict, at }: CallResult, policy: BreakerPolicy): Breaker {
  const { kind, failures } = breaker
  const isItsOwn = permit.kind === 'free' ? kind === 'closed' : kind === 'half_open' && breaker.trialAt === permit.at
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

/** The state to display: an open breaker whose pause is over is half open. */
export const toBreakerState = (breaker: Breaker, at: Instant): BreakerState =>
  breaker.kind === 'open' && breaker.retryAt <= at ? 'half_open' : breaker.kind
