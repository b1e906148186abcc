/**
 * Signals that abort calls after a time. A controller and a timer for every call cost more than many a call, so calls
 * that begin shortly after each other share them.
 */
import type { Millis } from './time.ts'

/** A call may be aborted earlier by this share of its time. */
const EARLIER = 0.01
/** Adding a listener to a signal takes longer with each one that it has. */
const MOST_CALLS = 32

export class SharedTimeouts {
  readonly #now: () => number
  #newest: SharedTimeout | undefined

  /** `now` is a monotonic clock, in milliseconds. */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Call `end` when the call has ended. */
  begin(after: Millis): SharedTimeout {
    const now = this.#now()
    if (this.#newest?.take(after, now) !== true) this.#newest = new SharedTimeout(after, now)
    return this.#newest
  }
}

export class SharedTimeout {
  readonly #controller = new AbortController()
  readonly #after: Millis
  readonly #begunAt: number
  readonly #timer: NodeJS.Timeout
  #calls = 1
  #underWay = 1

  constructor(after: Millis, now: number) {
    this.#after = after
    this.#begunAt = now
    this.#timer = setTimeout(() => this.#abort(), after)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Takes another call, unless that would be aborted too early. */
  take(after: Millis, now: number): boolean {
    const isFull = this.#calls === MOST_CALLS || this.#underWay === 0
    if (isFull || after !== this.#after || now > this.#begunAt + after * EARLIER) return false
    this.#calls += 1
    this.#underWay += 1
    return true
  }

  /** Clears the timer with the last call: thousands of idle timers would cost more than the calls. */
  end(): void {
    this.#underWay -= 1
    if (this.#underWay === 0) clearTimeout(this.#timer)
  }

  #abort(): void {
    this.#controller.abort(new DOMException('the call took too long', 'TimeoutError'))
  }
}
