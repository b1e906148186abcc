/** Runs what has the same key one after the other, in the order it was asked for. */
import { ChurnMap } from './churn-map.ts'

export class KeyedMutex<Key> {
  /** When the last of each key has ended. Never rejects. */
  readonly #ends = new ChurnMap<Key, Promise<void>>()

  async run<Value>(key: Key, act: () => Promise<Value>): Promise<Value> {
    const before = this.#ends.get(key)
    const running = before === undefined ? act() : before.then(act)
    const end = running.then(ignore, ignore)
    this.#ends.set(key, end)
    try {
      return await running
    } finally {
      if (this.#ends.get(key) === end) this.#ends.delete(key)
    }
  }
}

const ignore = (): void => undefined
