/**
 * Tallies of one counter that were kept in different places. What was counted here and there is put
 * together so that nothing is lost: rather too much is counted than too little.
 */
import { type Counter, NOTHING, type Rule, type Slice, type Tally } from './limits.ts'

/** A counter with what it has counted. */
export type Count = Readonly<{ counter: Counter; tally: Tally }>

/** What was counted in either; a slice of `change` may also take something back. */
export function combined(rule: Rule, tally: Tally, change: Tally): Tally {
  const slices = [...tally, ...change].toSorted(([one], [other]) => one - other)
  return slices.reduce((sum, slice) => joined(rule, sum, slice), NOTHING).filter(([, count]) => count > 0)
}

/** Fixed windows that overlap are one window that ends when the later one does. */
function joined(rule: Rule, earlier: Tally, [start, count]: Slice): Tally {
  const last = earlier.at(-1)
  const isSame = last !== undefined && (rule.algorithm === 'fixed' ? start - last[0] < rule.window : start === last[0])
  return isSame ? [...earlier.slice(0, -1), [start, last[1] + count]] : [...earlier, [start, count]]
}
