/** The requests that we have sent to a client and that it has not answered: receipts, enquire_link and unbind. */

/** The status of the answer; undefined when none came in time, or the session ended. */
export type Answer = number | undefined

type Waiting = Readonly<{ resolve: (answer: Answer) => void; sentAt: number }>

const MOST_SEQUENCE = 0x7fffffff

export class Outgoing {
  readonly #waiting = new Map<number, Waiting>()
  #sequence = 0

  get size(): number {
    return this.#waiting.size
  }

  /** Sends a request under its sequence number, and waits for the answer. */
  send(write: (sequence: number) => void): Promise<Answer> {
    this.#sequence = this.#sequence === MOST_SEQUENCE ? 1 : this.#sequence + 1
    const sequence = this.#sequence
    return new Promise((resolve) => {
      this.#waiting.set(sequence, { resolve, sentAt: performance.now() })
      write(sequence)
    })
  }

  answer(sequence: number, status: number): void {
    this.#waiting.get(sequence)?.resolve(status)
    this.#waiting.delete(sequence)
  }

  /** Gives up on requests that were sent before this time. Returns whether there were any. */
  expire(before: number): boolean {
    let hasExpired = false
    for (const [sequence, { resolve, sentAt }] of this.#waiting) {
      if (sentAt > before) break
      this.#waiting.delete(sequence)
      resolve(undefined)
      hasExpired = true
    }
    return hasExpired
  }

  end(): void {
    this.expire(Number.POSITIVE_INFINITY)
  }
}
