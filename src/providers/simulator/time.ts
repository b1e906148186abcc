/** How the simulator waits: for a while, for an answer, and for the next receipt that falls due. */
import { setTimeout as timeout } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import type { Instant, Millis } from '../../lib/time.ts'

/** Waits; false when the signal ended the wait. */
export const pause = (wait: Millis, signal: AbortSignal): Promise<boolean> =>
  timeout(wait, true, { signal }).catch(() => false)

/** What the promise yields, or undefined when it takes longer than that. */
export function within<T>(limit: Millis, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, limit, undefined)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** What the promise yields, or `otherwise` once the signal ends the wait. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => resolve(otherwise)
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

const NEVER = Number.POSITIVE_INFINITY
/** The clock may jump and timers cannot wait for ever: look again after this long, whatever it says. */
const LONGEST_WAIT = 60_000

/** Wakes one sleeper at the earliest of the moments it was told. One timer, however many there are. */
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

  /** Forgets what it was told. */
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
    const wait = Math.min(Math.max(this.#at - this.#clock(), 1), LONGEST_WAIT)
    this.#timer = setTimeout(() => this.#ring(), wait)
  }

  #ring(): void {
    clearTimeout(this.#timer)
    this.#wake?.()
    this.#wake = undefined
  }
}
