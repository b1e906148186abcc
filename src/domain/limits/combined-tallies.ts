/**
 * Merges the tallies of one counter that were kept in several places. When uncertain it counts too much rather than too
 * little.
 */
import type { Counter, Rule, Slice, Tally } from './limits.ts'

/** A counter and its tally. */
export type Count = Readonly<{ counter: Counter; tally: Tally }>

/** The sum of both tallies. A slice of `change` may be negative, to undo a count. */
export function combined(rule: Rule, tally: Tally, change: Tally): Tally {
  const sum: Slice[] = []
  for (const slice of [...tally, ...change].sort(([one], [other]) => one - other)) {
    const last = sum.at(-1)
    if (last === undefined || !isSame(rule, last, slice)) sum.push(slice)
    else sum[sum.length - 1] = [slice[0], last[1] + slice[1]]
  }
  return sum.filter(([, count]) => count > 0)
}

/** Overlapping fixed windows merge into one that ends with the later one. */
const isSame = ({ algorithm, window }: Rule, [earlier]: Slice, [start]: Slice): boolean =>
  algorithm === 'fixed' ? start - earlier < window : start === earlier
