/**
 * The circuit breakers of providers, shared by all workers. Every attempt asks them, so in the normal case they neither
 * write nor make remote calls.
 *
 * Only manual changes can fail. While other processes are unreachable, this process decides by its own state, and a
 * lost state counts as a closed breaker.
 */

import type { ProviderName } from '../domain/ids.ts'
import type { Breaker, BreakerState, Force, Permission, Permit, Verdict } from '../domain/routing/breaker.ts'
import type { Instant, Millis } from '../lib/time.ts'

/** A breaker that has changed its state. */
export type BreakerTransition = Readonly<{
  provider: ProviderName
  from: BreakerState
  to: BreakerState
  /** Consecutive failures at that time. */
  failures: number
  /** Whether a person changed it. */
  forced: boolean
}>

export interface Breakers {
  /** Answers at once, except when a trial is due: then exactly one caller among all processes gets the permit. */
  ask(provider: ProviderName, at: Instant): Permission | Promise<Permission>

  /**
   * Reports the end of a permitted call. Nothing waits for it; other processes learn of it soon. A failure is ignored
   * if a call that began later has been answered in this process.
   */
  report(provider: ProviderName, permit: Permit, verdict: Verdict, at: Instant, begunAt?: Instant): void

  /**
   * A person opens it, for the usual time or `pause`, or closes it. Resolves once all processes can know of it, also those
   * that start later; rejects with `Unavailable`, and changes nothing, if they cannot.
   */
  force(provider: ProviderName, to: Force['to'], at: Instant, pause?: Millis): Promise<void>

  /** All breakers known to this process. */
  states(): ReadonlyMap<ProviderName, Breaker>

  /** Calls `listener` for every transition that this process causes, until the returned function is called. */
  watch(listener: (transition: BreakerTransition) => void): () => void
}
