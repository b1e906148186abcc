/**
 * A Map for entries that come and go all the time, such as calls in flight.
 *
 * When a Map of V8 outgrows its table, the old table keeps its entries and points to the new one. So one table that has
 * reached the old generation keeps all later tables, with everything that was ever in them, until the next full
 * collection: every short-lived entry is promoted, and young collections take ten times as long. Starting over with a
 * new Map after some deletions breaks that chain.
 */
const LEAST_DELETIONS = 64

export class ChurnMap<Key, Value> {
  #map = new Map<Key, Value>()
  #deleted = 0

  get size(): number {
    return this.#map.size
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key)
  }

  set(key: Key, value: Value): void {
    this.#map.set(key, value)
  }

  /** Returns whether it was there. Copies the others after as many deletions, so it takes constant time on average. */
  delete(key: Key): boolean {
    if (!this.#map.delete(key)) return false
    this.#deleted += 1
    if (this.#deleted >= Math.max(this.#map.size, LEAST_DELETIONS)) {
      this.#map = new Map(this.#map)
      this.#deleted = 0
    }
    return true
  }

  clear(): void {
    this.#map = new Map()
    this.#deleted = 0
  }

  /** Oldest first. */
  values(): Iterable<Value> {
    return this.#map.values()
  }
}
