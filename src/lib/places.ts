/** A bounded number of places, and of each key. Whoever takes one gives it back by disposing of it. */
import { ChurnMap } from './churn-map.ts'

export class Places<Key> {
  readonly #most: number
  readonly #mostOfKey: number
  readonly #ofKey = new ChurnMap<Key, number>()
  #taken = 0

  constructor(most: number, mostOfKey: number) {
    this.#most = most
    this.#mostOfKey = mostOfKey
  }

  /** Says which bound was reached when there is no place. */
  take(key: Key): Disposable | 'full' | 'key-full' {
    const ofKey = this.#ofKey.get(key) ?? 0
    if (this.#taken >= this.#most) return 'full'
    if (ofKey >= this.#mostOfKey) return 'key-full'
    this.#taken += 1
    this.#ofKey.set(key, ofKey + 1)
    let isTaken = true
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#giveBack(key)
        isTaken = false
      },
    }
  }

  #giveBack(key: Key): void {
    this.#taken -= 1
    const ofKey = (this.#ofKey.get(key) ?? 1) - 1
    if (ofKey === 0) this.#ofKey.delete(key)
    else this.#ofKey.set(key, ofKey)
  }
}
