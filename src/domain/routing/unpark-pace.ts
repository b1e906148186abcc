/**
 * How fast to unpark jobs: enough that workers never wait, and at most a second's work ahead, so that other jobs of the
 * same queues are not delayed. It starts with a few and follows the rate at which workers take them.
 */
import type { Instant } from '../../lib/time.ts'

/** Unparked jobs that are not taken within this time were taken by another process. */
const LOST_MS = 5_000
/** The most jobs per second. */
const MOST = 5_000
/** The share of the previous rate that carries over. */
const MEMORY = 0.7

export class UnparkPace {
  readonly #first: number
  #ready = 0
  #taken = 0
  #perSecond = 0
  #lastAt: Instant | undefined
  #movedAt = 0

  /** `first` is how many to unpark before the rate is known. */
  constructor(first: number) {
    this.#first = first
  }

  unparked(count: number): void {
    this.#ready += count
  }

  /** A worker took an unparked job. */
  taken(): void {
    this.#taken += 1
  }

  /** How many to unpark now. */
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
