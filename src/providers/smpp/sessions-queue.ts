/** First come, first served; whoever was turned away at the counter stands at the head again. */
export class SessionQueue<Waiting> {
  #waiting: Waiting[] = []
  #head = 0

  get length(): number {
    return this.#waiting.length - this.#head
  }

  get first(): Waiting | undefined {
    return this.#waiting[this.#head]
  }

  push(one: Waiting): void {
    this.#waiting.push(one)
  }

  putBack(one: Waiting): void {
    if (this.#head === 0) this.#waiting.unshift(one)
    else {
      this.#head -= 1
      this.#waiting[this.#head] = one
    }
  }

  shift(): void {
    this.#head += 1
    // Now and then, because to move all of them each time would take long in a long line.
    if (this.#head * 2 < this.#waiting.length) return
    this.#waiting = this.#waiting.slice(this.#head)
    this.#head = 0
  }

  /** Everybody, who then waits no longer. */
  clear(): readonly Waiting[] {
    const all = this.#waiting.slice(this.#head)
    this.#waiting = []
    this.#head = 0
    return all
  }
}
