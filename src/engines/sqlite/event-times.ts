/** Finds a position in the log by time, by bisection: events are nearly in the order of their times. */
import type { DatabaseSync } from 'node:sqlite'
import type { Filer } from './filer.ts'

export function eventTimes(db: DatabaseSync, filer: Pick<Filer, 'fileAll' | 'tip'>) {
  // The third element of the tuple in shared/codec.ts.
  const timeFrom = db.prepare("select json_extract(body, '$[2]') as at from events where seq >= ? order by seq limit 1")
  return {
    /** The position right before the first event of that time or later. In a transaction. */
    positionBefore(since: number): number {
      filer.fileAll()
      let [low, high] = [0, filer.tip]
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        if (Number(timeFrom.get(middle)?.['at']) < since) low = middle
        else high = middle - 1
      }
      return low
    },
  }
}
