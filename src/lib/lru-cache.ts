/**
 * Keeps the most recently used entries, between `capacity / 2` and `capacity` of them. Uses two generations: deleting
 * the oldest entries one by one would make a Map iterate over all deleted slots.
 */
import { ChurnMap } from './churn-map.ts'

export class LruCache<Key, Value extends object> {
  readonly #half: number
  #young = new ChurnMap<Key, Value>()
  #old = new ChurnMap<Key, Value>()

  constructor(capacity: number) {
    this.#half = capacity / 2
  }

  /** Reading an entry makes it recent again. */
  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#half && this.#young.get(key) === undefined) {
      this.#old = this.#young
      this.#young = new ChurnMap()
    }
    this.#young.set(key, value)
  }

  delete(key: Key): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}
