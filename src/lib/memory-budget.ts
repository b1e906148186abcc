/**
 * How much content a process may have in hand at once. Most of it weighs nothing; a mail with attachments does, and
 * hundreds of those in flight would be more than there is memory for.
 */
export class MemoryBudget {
  readonly #capacity: number
  #aboard = 0

  /** In kilobytes. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Undefined where there is no room for it now; else it must be unloaded. What is too heavy for all of it goes alone. */
  take(weight: number): (() => void) | undefined {
    if (this.#aboard > 0 && this.#aboard + weight > this.#capacity) return undefined
    this.#aboard += weight
    return () => {
      this.#aboard -= weight
    }
  }
}
