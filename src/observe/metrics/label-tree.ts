/**
 * A leaf for each combination of label values, found by a map look-up per label. There are at most so many: further
 * combinations share one whose labels are all `other`, whatever a provider may invent as error codes.
 */
export const MOST_SERIES = 1_000
export const OTHER = 'other'

type Node<Leaf> = { leaf: Leaf | undefined; readonly next: Map<string, Node<Leaf>> }

export class LabelTree<Leaf> {
  readonly #open: (values: readonly string[]) => Leaf
  readonly #most: number
  readonly #root: Node<Leaf> = newNode()
  readonly #leaves: Leaf[] = []

  constructor(open: (values: readonly string[]) => Leaf, most = MOST_SERIES) {
    this.#open = open
    this.#most = most
  }

  get leaves(): readonly Leaf[] {
    return this.#leaves
  }

  at(values: readonly string[]): Leaf {
    let node: Node<Leaf> | undefined = this.#root
    for (const value of values) node = node?.next.get(value)
    return node?.leaf ?? this.#openAt(values)
  }

  #openAt(wanted: readonly string[]): Leaf {
    const isFull = this.#leaves.length >= this.#most
    const values = isFull ? wanted.map(() => OTHER) : wanted
    let node = this.#root
    for (const value of values) node = childOf(node, value)
    if (node.leaf === undefined) {
      node.leaf = this.#open(values)
      this.#leaves.push(node.leaf)
    }
    return node.leaf
  }
}

const newNode = <Leaf>(): Node<Leaf> => ({ leaf: undefined, next: new Map() })

function childOf<Leaf>({ next }: Node<Leaf>, value: string): Node<Leaf> {
  const existing = next.get(value)
  if (existing !== undefined) return existing
  const child = newNode<Leaf>()
  next.set(value, child)
  return child
}

/** The labels of a combination of values, in their order. */
export const toLabels = (names: readonly string[], values: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))
