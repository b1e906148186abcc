/**
 * Shares the event loop among long pieces of work. Whatever waits for its turn here works in pieces, and in one turn of
 * the loop no more than one of them has a piece, so together they block the loop for a few milliseconds at a time. Keys
 * take turns: however many pieces wait under one key, another key waits for one of them.
 */
import { TurnQueue } from './turn-queue.ts'

const PIECE_MS = 5

export class LoopShare<Key> {
  readonly #now: () => number
  readonly #millis: number
  readonly #waiting = new TurnQueue<Key, () => void>()
  #until = 0

  constructor(now: () => number = () => performance.now(), millis = PIECE_MS) {
    this.#now = now
    this.#millis = millis
  }

  /** Whether the current piece has lasted long enough. */
  get isUsedUp(): boolean {
    return this.#now() >= this.#until
  }

  /** Resolves when the next piece may begin, in a later turn of the loop. */
  turn(key: Key): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(key, resolve)
      if (this.#waiting.size === 1) setImmediate(this.#wake)
    })
  }

  readonly #wake = (): void => {
    this.#until = this.#now() + this.#millis
    this.#waiting.shift()?.()
    if (this.#waiting.size > 0) setImmediate(this.#wake)
  }
}
