/**
 * A limiter for one process alone: a place is held while the act runs, and given back where that comes to
 * nothing. What becomes of the counts when the process ends is up to the engine that brings them.
 */
import type { Counts, Decision } from '../../domain/limits/counts.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Act, Limiter } from '../../ports/limiter.ts'

type Taken = Extract<Decision, { kind: 'taken' }>

export function inProcessLimiter(kept: Counts, clock: Clock): Limiter {
  async function run<Value>({ slots }: Taken, act: Act<Value>): ReturnType<Act<Value>> {
    try {
      const done = await act()
      if (!done.counts) kept.giveBack(slots)
      return done
    } catch (error) {
      kept.giveBack(slots)
      throw error
    }
  }

  return {
    async admit(counters, act) {
      const decision = kept.take(counters, clock())
      if (decision.kind === 'limited') return decision
      const { value, counts } = await run(decision, act)
      const at = clock()
      const standings = counts ? decision.standings : counters.map((counter) => kept.standing(counter, at))
      return { kind: 'admitted', value, standings }
    },

    standing: async (counter) => kept.standing(counter, clock()),
  }
}
