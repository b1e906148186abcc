/**
 * Counts against limits. Deciding and counting are one step, for all counters together: with one slot
 * left, of any number of callers at the same time exactly one is admitted, in whichever process they are.
 */
import type { Counter, Standing } from '../domain/limits/limits.ts'
import type { Millis } from '../lib/time.ts'

/** What came of the act. `counts` is false when nothing new did, as for a call that repeats an earlier one. */
export type Act<Value> = () => Promise<Readonly<{ value: Value; counts: boolean }>>

export type Admission<Value> =
  | Readonly<{ kind: 'admitted'; value: Value; standings: readonly Standing[] }>
  /** `retryAfter` is how long until all of them would admit one more. Nothing was counted, nothing was done. */
  | Readonly<{ kind: 'limited'; standings: readonly Standing[]; retryAfter: Millis }>

export interface Limiter {
  /**
   * Acts if every counter admits one more. What the act throws is thrown; whether it is then counted is
   * the engine's: never less than what was really done.
   */
  admit<Value>(counters: readonly Counter[], act: Act<Value>): Promise<Admission<Value>>

  /** Where a counter stands, without counting. */
  standing(counter: Counter): Promise<Standing>
}
