/** Finds a position in the log by time, by bisection: events are nearly in the order of their times. */
import type { DatabaseSync } from 'node:sqlite'

/** `tip` returns the position of the newest event. */
export function eventTimes(db: DatabaseSync, tip: () => number) {
  // The third element of the tuple in shared/codec.ts.
  const timeFrom = db.prepare("select json_extract(body, '$[2]') as at from events where seq >= ? order by seq limit 1")
  return {
    /** The position right before the first event of that time or later. */
    positionBefore(since: number): number {
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
