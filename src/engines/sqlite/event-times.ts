/** Finds a place in the log by time. Events lie in the order of their times, but for moments, so halving finds it. */
import type { DatabaseSync } from 'node:sqlite'

/** `tip` is the place of the newest event. */
export function eventTimes(db: DatabaseSync, tip: () => number) {
  // The third of the places that codec.ts writes.
  const timeFrom = db.prepare("select json_extract(body, '$[2]') as at from events where seq >= ? order by seq limit 1")
  return {
    /** The place right before the first event of that time or later. */
    placeBefore(since: number): number {
      let [low, high] = [0, tip()]
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        if (Number(timeFrom.get(middle)?.['at']) < since) low = middle
        else high = middle - 1
      }
      return low
    },
  }
}
