/** Rounds that one of all processes is to make: whoever begins one learns when the last was begun. */
import type { Instant } from '../lib/time.ts'

export interface RoundLock {
  /**
   * Begins the round of that name at `at`, unless another process has begun one after `notSince`. Answers when
   * the one before was begun (`at` itself where there was none), or undefined where it is not ours to make.
   */
  begin(name: string, at: Instant, notSince: Instant): Promise<Instant | undefined>
}
