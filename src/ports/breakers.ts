/**
 * The breakers of providers, shared by all workers: who may call which provider now. On the way of every
 * attempt, so while all is well nothing is asked of anybody and nothing is written.
 *
 * Nothing here fails but what a person wants. Where the others cannot be reached, this process goes by what
 * it knows, and a state that is lost is a closed breaker.
 */

import type { ProviderName } from '../domain/ids.ts'
import type { Breaker, BreakerState, Force, Permission, Permit, Verdict } from '../domain/routing/breaker.ts'
import type { Instant, Millis } from '../lib/time.ts'

/** A breaker that is in another state than before. */
export type BreakerTransition = Readonly<{
  provider: ProviderName
  from: BreakerState
  to: BreakerState
  /** How many failures in a row there were by then. */
  failures: number
  /** Whether a person did it. */
  forced: boolean
}>

export interface Breakers {
  /** Answers at once, but where a trial is due: that is given to one of all who ask, in whichever process. */
  ask(provider: ProviderName, at: Instant): Permission | Promise<Permission>

  /**
   * How a call ended that was let pass. Nobody waits for it; the others learn of it soon. The failure of a
   * call that was begun before another that this process has seen answered counts for nothing.
   */
  report(provider: ProviderName, pass: Permit, verdict: Verdict, at: Instant, begunAt?: Instant): void

  /**
   * A person opens it, for the usual pause or another, or closes it. Done when all can know of it; rejects with
   * `Unavailable` where they cannot be told, and then nothing is changed.
   */
  force(provider: ProviderName, to: Force['to'], at: Instant, pause?: Millis): Promise<void>

  /** All breakers that were ever asked about or told of, as far as this process knows. */
  states(): ReadonlyMap<ProviderName, Breaker>

  /** Calls for every turn that this process causes, until the answer is called. */
  watch(listener: (turn: BreakerTransition) => void): () => void
}
