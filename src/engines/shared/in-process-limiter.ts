/**
 * A limiter for a single process: it holds a slot while the act runs, and gives it back if the act does not count.
 * The engine that provides the counts decides whether they outlive the process.
 */
import type { Counts, Decision } from '../../domain/limits/counts.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Act, Limiter } from '../../ports/limiter.ts'

type Taken = Extract<Decision, { kind: 'taken' }>

export function inProcessLimiter(held: Counts, clock: Clock): Limiter {
  async function run<Value>({ slots }: Taken, act: Act<Value>): ReturnType<Act<Value>> {
    try {
      const done = await act()
      if (!done.counts) held.giveBack(slots)
      return done
    } catch (error) {
      held.giveBack(slots)
      throw error
    }
  }

  return {
    async admit(counters, act) {
      const decision = held.take(counters, clock())
      if (decision.kind === 'limited') return decision
      const { value, counts } = await run(decision, act)
      const at = clock()
      const limits = counts ? decision.limits : counters.map((counter) => held.status(counter, at))
      return { kind: 'admitted', value, limits }
    },

    status: async (counter) => held.status(counter, clock()),
  }
}
