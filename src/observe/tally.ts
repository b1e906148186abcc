/** A counter that costs a few map look-ups per count, and renders labels only when it is scraped. */
import { Counter, type Registry } from 'prom-client'

/** The count of the label values on the path from the root. */
type Node = { count: number; readonly next: Map<string, Node> }

const newNode = (): Node => ({ count: 0, next: new Map() })

/** Returns a function that counts one for the values of the labels, in their order. */
export function tally(registers: Registry[], name: string, help: string, labelNames: string[]) {
  const root = newNode()
  new Counter({
    name,
    help,
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const [values, count] of countsOf(root)) this.inc(toLabels(labelNames, values), count)
    },
  })
  return (...values: readonly string[]): void => {
    let node = root
    for (const value of values) node = childOf(node, value)
    node.count += 1
  }
}

function childOf({ next }: Node, value: string): Node {
  const existing = next.get(value)
  if (existing !== undefined) return existing
  const child = newNode()
  next.set(value, child)
  return child
}

function* countsOf(
  { count, next }: Node,
  values: readonly string[] = [],
): Iterable<readonly [readonly string[], number]> {
  if (count > 0) yield [values, count]
  for (const [value, child] of next) yield* countsOf(child, [...values, value])
}

const toLabels = (names: readonly string[], values: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))
