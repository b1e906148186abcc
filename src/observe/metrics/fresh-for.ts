/**
 * What a scrape reads from a store is kept for a while: several scrapers, or one that comes every second, cost no more
 * than one query in that time.
 */
import type { Clock } from '../../lib/clock.ts'
import { type Instant, later, type Millis } from '../../lib/time.ts'

/** Scrapes at the same time share one read. What could not be read is tried again by the next scrape. */
export function freshFor<Value>(keep: Millis, clock: Clock, read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined
  let until: Instant | undefined
  return () => {
    if (reading !== undefined && (until === undefined || clock() < until)) return reading
    const begun = read()
    reading = begun
    until = undefined
    begun.then(
      () => {
        until = later(clock(), keep)
      },
      () => {
        reading = undefined
      },
    )
    return begun
  }
}
