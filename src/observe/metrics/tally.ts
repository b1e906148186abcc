/** A counter that costs a few map look-ups per count, and renders labels only when it is scraped. */
import { Counter, type Registry } from 'prom-client'
import { LabelTree, MOST_SERIES, toLabels } from './label-tree.ts'

/** Returns a function that counts one for the values of the labels, in their order. */
export function tally(
  registers: Registry[],
  name: string,
  help: string,
  labelNames: string[] = [],
  most = MOST_SERIES,
): (...values: readonly string[]) => void {
  const tree = new LabelTree((values) => ({ labels: toLabels(labelNames, values), count: 0 }), most)
  new Counter({
    name,
    help,
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const { labels, count } of tree.leaves) this.inc(labels, count)
    },
  })
  if (labelNames.length === 0) tree.at([])
  return (...values) => {
    tree.at(values).count += 1
  }
}
