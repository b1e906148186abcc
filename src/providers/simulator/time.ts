/** Timers of the simulator: pauses, timeouts, and an alarm for the next due receipt. */
import { setTimeout as timeout } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import type { Instant, Millis } from '../../lib/time.ts'

/** False if the signal ended the pause. */
export const pause = (wait: Millis, signal: AbortSignal): Promise<boolean> =>
  timeout(wait, true, { signal }).catch(() => false)

/** The promise's value, or undefined if it takes longer. */
export function within<T>(limit: Millis, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, limit, undefined)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** The promise's value, or `otherwise` if the signal aborts first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(otherwise)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const NEVER = Number.POSITIVE_INFINITY
/** The clock may jump and timers have a limit: check again after this long. */
const MAX_WAIT = 60_000

/** Wakes one sleeper at the earliest instant that was set. Uses a single timer. */
export class Alarm {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  #at = NEVER
  #timer: NodeJS.Timeout | undefined
  #wake: (() => void) | undefined

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    signal.addEventListener('abort', () => this.#ring(), { once: true })
  }

  set(at: Instant): void {
    if (at >= this.#at) return
    this.#at = at
    if (this.#wake !== undefined) this.#arm()
  }

  /** Clears every instant. */
  reset(): void {
    this.#at = NEVER
  }

  async sleep(): Promise<void> {
    if (this.#signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#arm()
    })
  }

  #arm(): void {
    clearTimeout(this.#timer)
    if (this.#at === NEVER) return
    const wait = Math.min(Math.max(this.#at - this.#clock(), 1), MAX_WAIT)
    this.#timer = setTimeout(() => this.#ring(), wait)
  }

  #ring(): void {
    clearTimeout(this.#timer)
    this.#wake?.()
    this.#wake = undefined
  }
}
