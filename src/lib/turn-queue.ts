/**
 * Items that wait by key. Keys take turns, so a key with many items delays the first item of another by no more than one
 * item for each key that waits. The items of one key stay in order.
 */
import { ChurnMap } from './churn-map.ts'

type Waiting<Key, Item> = Readonly<{ key: Key; items: Item[] }>

export class TurnQueue<Key, Item> {
  readonly #byKey = new ChurnMap<Key, Waiting<Key, Item>>()
  /** The keys that have items; the next to be served first. */
  #turns: Waiting<Key, Item>[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf(key: Key): number {
    return this.#byKey.get(key)?.items.length ?? 0
  }

  /** A key without items goes last. */
  push(key: Key, item: Item): void {
    this.#size += 1
    const waiting = this.#byKey.get(key)
    if (waiting === undefined) this.#turns.push(this.#add(key, item))
    else waiting.items.push(item)
  }

  /** Puts an item back that was taken too early: it is the next of its key, and its key the next to be served. */
  putBack(key: Key, item: Item): void {
    this.#size += 1
    const waiting = this.#byKey.get(key)
    if (waiting === undefined) this.#turns.unshift(this.#add(key, item))
    else waiting.items.unshift(item)
  }

  /** The next item, after which all other keys come first. */
  shift(): Item | undefined {
    const next = this.#turns.shift()
    if (next === undefined) return undefined
    this.#size -= 1
    const item = next.items.shift()
    if (next.items.length > 0) this.#turns.push(next)
    else this.#byKey.delete(next.key)
    return item
  }

  /** Removes all items and returns them. */
  clear(): readonly Item[] {
    const items = this.#turns.flatMap((waiting) => waiting.items)
    this.#turns = []
    this.#byKey.clear()
    this.#size = 0
    return items
  }

  #add(key: Key, item: Item): Waiting<Key, Item> {
    const waiting = { key, items: [item] }
    this.#byKey.set(key, waiting)
    return waiting
  }
}
