/**
 * Bounds how much content a process holds in memory. Most messages are too small to count; hundreds of emails with
 * attachments would not fit.
 */
export class MemoryBudget {
  readonly #capacity: number
  #used = 0

  /** In kilobytes. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /**
   * Returns a function that releases it, or undefined when it does not fit now. Content larger than the whole budget is
   * admitted alone.
   */
  take(size: number): (() => void) | undefined {
    if (this.#used > 0 && this.#used + size > this.#capacity) return undefined
    this.#used += size
    return () => {
      this.#used -= size
    }
  }
}
