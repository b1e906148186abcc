/**
 * Tallies of one counter that were kept in different places. What was counted here and there is put
 * together so that nothing is lost: rather too much is counted than too little.
 */
import type { Counter, Rule, Slice, Tally } from './limits.ts'

/** A counter with what it has counted. */
export type Count = Readonly<{ counter: Counter; tally: Tally }>

/** What was counted in either; a slice of `change` may also take something back. */
export function combined(rule: Rule, tally: Tally, change: Tally): Tally {
  const sum: Slice[] = []
  for (const slice of [...tally, ...change].sort(([one], [other]) => one - other)) {
    const last = sum.at(-1)
    if (last === undefined || !isSame(rule, last, slice)) sum.push(slice)
    else sum[sum.length - 1] = [slice[0], last[1] + slice[1]]
  }
  return sum.filter(([, count]) => count > 0)
}

/** Fixed windows that overlap are one window that ends when the later one does. */
const isSame = ({ algorithm, window }: Rule, [earlier]: Slice, [start]: Slice): boolean =>
  algorithm === 'fixed' ? start - earlier < window : start === earlier
