/**
 * The limiter used while Redis is unreachable. The act runs while the rows of its counters are locked
 * (`select … for update`), so it counts only if it succeeded, and no other process decides on the same counter
 * meanwhile.
 */
import type { Count } from '../../domain/limits/combined-tallies.ts'
import { type Counter, counted, NOTHING, toLimitStatus, waitOfAll } from '../../domain/limits/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Act, Admission, Limiter } from '../../ports/limiter.ts'
import type { CountResult, LimitCounts } from './limit-counts.ts'

export type PostgresLimiterDeps = Readonly<{
  counts: LimitCounts
  clock: Clock
  /** Called when an act was done and its count may not have been written. */
  onUncounted?: (counters: readonly Counter[]) => void
}>

export function postgresLimiter({ counts, clock, onUncounted }: PostgresLimiterDeps): Limiter {
  async function decide<Value>(found: readonly Count[], act: Act<Value>): Promise<CountResult<Admission<Value>>> {
    const at = clock()
    const toStatuses = (all: readonly Count[]) => all.map(({ counter, tally }) => toLimitStatus(counter, tally, at))
    const retryAfter = waitOfAll(found, at)
    if (retryAfter > 0) return { value: { kind: 'limited', limits: toStatuses(found), retryAfter } }
    const { value, counts: isCounted } = await act()
    if (!isCounted) return { value: { kind: 'admitted', value, limits: toStatuses(found) } }
    const after = found.map(({ counter, tally }) => ({ counter, tally: counted(counter, tally, at) }))
    return { value: { kind: 'admitted', value, limits: toStatuses(after) }, counts: after }
  }

  return {
    async admit(counters, act) {
      if (counters.length === 0) return { kind: 'admitted', value: (await act()).value, limits: [] }
      const { value, fault } = await counts.holding(counters, (found) => decide(found, act))
      // The act is done, so its caller gets the answer.
      if (fault !== undefined) onUncounted?.(counters)
      return value
    },

    async status(counter) {
      const [count] = await counts.read([counter])
      return toLimitStatus(counter, count?.tally ?? NOTHING, clock())
    },
  }
}
