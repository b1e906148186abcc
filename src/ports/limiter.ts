/**
 * Counts against limits. Deciding and counting are atomic over all counters: with one slot left, exactly one of several
 * concurrent callers is admitted, across all processes.
 */
import type { Counter, LimitStatus } from '../domain/limits/limits.ts'
import type { Millis } from '../lib/time.ts'

/** The result of the act. `counts` is false when it did nothing new, as for a repeated call. */
export type Act<Value> = () => Promise<Readonly<{ value: Value; counts: boolean }>>

export type Admission<Value> =
  | Readonly<{ kind: 'admitted'; value: Value; limits: readonly LimitStatus[] }>
  /** `retryAfter` is when all counters would admit one more. Nothing was counted or done. */
  | Readonly<{ kind: 'limited'; limits: readonly LimitStatus[]; retryAfter: Millis }>

export interface Limiter {
  /**
   * Acts if every counter admits one more. Rethrows what the act throws; whether that counts is up to the engine, but
   * it never counts too little.
   */
  admit<Value>(counters: readonly Counter[], act: Act<Value>): Promise<Admission<Value>>

  /** The status of a counter, without counting. */
  status(counter: Counter): Promise<LimitStatus>
}
