/**
 * Numbers what many jobs have in common, so that a record refers to it by a number. An entry that no job refers to is
 * kept for a while, because a tenant's next job often comes soon. Then it is forgotten, and its number is used again.
 */

/** No entry has this number. */
export const NO_ENTRY = 0

/** How many entries without references are kept at most. */
const KEPT = 1_024

type Entry<Key, Item> = {
  readonly key: Key
  readonly number: number
  readonly item: Item
  references: number
  /** Whether it is among those that are about to be forgotten unless they have references then. */
  isIdle: boolean
}

export class InternTable<Key, Item> {
  readonly #create: (key: Key) => Item
  readonly #byKey = new Map<Key, Entry<Key, Item>>()
  readonly #entries: (Entry<Key, Item> | undefined)[] = [undefined]
  readonly #free: number[] = []
  /** A ring: each entry that becomes idle takes the place of the one that has been in it longest. */
  readonly #idle: (Entry<Key, Item> | undefined)[] = []
  #oldestIdle = 0

  constructor(create: (key: Key) => Item) {
    this.#create = create
  }

  get size(): number {
    return this.#byKey.size
  }

  find(key: Key): Item | undefined {
    return this.#byKey.get(key)?.item
  }

  /** How many references the entry has. */
  references(key: Key): number {
    return this.#byKey.get(key)?.references ?? 0
  }

  /** The item of an entry that has references. */
  get(number: number): Item {
    return (this.#entries[number] as Entry<Key, Item>).item
  }

  items(): IteratorObject<Item> {
    return this.#byKey.values().map(({ item }) => item)
  }

  /** Adds a reference to the entry, which is created if it does not exist, and returns its number. */
  acquire(key: Key): number {
    const entry = this.#byKey.get(key) ?? this.#add(key)
    entry.references += 1
    return entry.number
  }

  /** Removes a reference. Does nothing for `NO_ENTRY`. */
  release(number: number): void {
    const entry = this.#entries[number]
    if (entry === undefined) return
    entry.references -= 1
    if (entry.references > 0 || entry.isIdle) return
    this.#forget(this.#idle[this.#oldestIdle])
    entry.isIdle = true
    this.#idle[this.#oldestIdle] = entry
    this.#oldestIdle = (this.#oldestIdle + 1) % KEPT
  }

  #add(key: Key): Entry<Key, Item> {
    const number = this.#free.pop() ?? this.#entries.length
    const entry = { key, number, item: this.#create(key), references: 0, isIdle: false }
    this.#byKey.set(key, entry)
    this.#entries[number] = entry
    return entry
  }

  /** Keeps an entry that has references again. */
  #forget(entry: Entry<Key, Item> | undefined): void {
    if (entry === undefined) return
    entry.isIdle = false
    if (entry.references > 0) return
    this.#byKey.delete(entry.key)
    this.#entries[entry.number] = undefined
    this.#free.push(entry.number)
  }
}
