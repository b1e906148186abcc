/**
 * Keeps the most recently used entries, as many as weigh up to `capacity`. Uses two generations, as `LruCache` does: half
 * of the capacity is sure to hold the newest.
 */
import { ChurnMap } from './churn-map.ts'

export class WeighedCache<Key, Value extends object> {
  readonly #half: number
  #young = new ChurnMap<Key, Readonly<{ value: Value; weight: number }>>()
  #old = new ChurnMap<Key, Readonly<{ value: Value; weight: number }>>()
  #youngWeight = 0

  constructor(capacity: number) {
    this.#half = capacity / 2
  }

  /** Reading an entry makes it recent again. */
  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young.value
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old.value, old.weight)
    return old?.value
  }

  /** What weighs more than half of the capacity is not kept. */
  set(key: Key, value: Value, weight: number): void {
    this.#remove(key)
    if (weight > this.#half) return
    if (this.#youngWeight + weight > this.#half) {
      this.#old = this.#young
      this.#young = new ChurnMap()
      this.#youngWeight = 0
    }
    this.#young.set(key, { value, weight })
    this.#youngWeight += weight
  }

  #remove(key: Key): void {
    this.#youngWeight -= this.#young.get(key)?.weight ?? 0
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
