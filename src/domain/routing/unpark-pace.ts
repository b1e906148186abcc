/**
 * How fast parked jobs are let out: so many that workers never wait for more, and no more than a second's work ahead
 * of them, so that what else stands in the same line is not held up. It starts with a few and follows the pace at
 * which they are taken.
 */
import type { Instant } from '../../lib/time.ts'

/** Jobs that were let out and are not seen within this time have been taken elsewhere. */
const LOST_MS = 5_000
/** However fast they are taken. */
const MOST = 5_000
/** How much of an earlier pace still counts the next time. */
const MEMORY = 0.7

export class Drain {
  readonly #first: number
  #ready = 0
  #taken = 0
  #perSecond = 0
  #lastAt: Instant | undefined
  #movedAt = 0

  /** `first` is how many are let out before anything is known of the pace. */
  constructor(first: number) {
    this.#first = first
  }

  letOut(count: number): void {
    this.#ready += count
  }

  /** One of them was taken by a worker. */
  taken(): void {
    this.#taken += 1
  }

  /** How many to let out now. */
  portion(at: Instant): number {
    const elapsed = Math.max(at - (this.#lastAt ?? at), 1)
    if (this.#lastAt === undefined || this.#taken > 0) this.#movedAt = at
    this.#perSecond = Math.max((this.#taken * 1_000) / elapsed, this.#perSecond * MEMORY)
    this.#ready = at - this.#movedAt > LOST_MS ? 0 : Math.max(0, this.#ready - this.#taken)
    this.#taken = 0
    this.#lastAt = at
    const wanted = Math.min(Math.max(this.#first, this.#perSecond), MOST)
    return Math.max(0, Math.ceil(wanted - this.#ready))
  }
}
