/**
 * A fixed window in the words of its specification, for the tests: what the domain and every engine are compared with.
 * It shares no code with them on purpose.
 */
import type { Instant } from '../../lib/time.ts'
import type { Rule } from './limits.ts'

export function specifiedWindow({ limit, window }: Rule, setAt: Instant) {
  let [lastRefreshTime, currentCount] = [setAt, 0]
  return {
    /** Whether a send at this moment is admitted. */
    send(at: Instant): boolean {
      if (at - lastRefreshTime >= window) [lastRefreshTime, currentCount] = [at, 0]
      else if (currentCount >= limit) return false
      currentCount += 1
      return true
    },
    state: () => ({ lastRefreshTime, currentCount }),
  }
}
