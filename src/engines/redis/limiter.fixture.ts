/** A limiter with a clock and stored counts that a test can set. */
import type { Count } from '../../domain/limits/combined-tallies.ts'
import { type Counter, NOTHING } from '../../domain/limits/limits.ts'
import { type Instant, seconds } from '../../lib/time.ts'
import { openRedis } from './connection.ts'
import { RedisLimiter } from './limiter.ts'

export const SKEW = seconds(3)

export async function openLimiterAt(at: Instant, url: string, prefix: string) {
  const connection = await openRedis(url)
  const world = { at, loads: 0, truth: [] as Count[], loading: Promise.resolve() }
  const limiter = new RedisLimiter({
    connection,
    prefix,
    clock: () => world.at,
    skew: SKEW,
    async load(counters) {
      world.loads += 1
      await world.loading
      const known = (counter: Counter) => world.truth.find((count) => count.counter.key === counter.key)
      return counters.map((counter) => ({ counter, tally: known(counter)?.tally ?? NOTHING }))
    },
  })
  return { limiter, world, connection, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() }
}
