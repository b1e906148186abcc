/** Ensures that one process among all runs a periodic round. */
import type { Instant } from '../lib/time.ts'

export interface RoundLock {
  /**
   * Begins the named round at `at`, unless a process has begun one after `notSince`. Returns when the previous round
   * began (`at` if there was none), or undefined if another process has this round.
   */
  begin(name: string, at: Instant, notSince: Instant): Promise<Instant | undefined>
}
