/**
 * The calls of `take` that wait for a job. Jobs that become ready in one turn of the event loop wake them once, so a
 * call returns many. One timer wakes them for the next due job.
 */
import type { Clock } from '../../../lib/clock.ts'
import type { Instant } from '../../../lib/time.ts'
import type { Taken } from '../../../ports/queue.ts'
import type { JobSlots } from './job-slots.ts'

type Waiting = Readonly<{ max: number; end: (taken: readonly Taken[]) => void }>

/** The clock may jump ahead of the timer, as after a suspension of the machine. */
const LONGEST_WAIT_MS = 250

export class WaitingTakes implements Disposable {
  readonly #slots: JobSlots
  readonly #clock: Clock
  readonly #waiting = new Set<Waiting>()
  #scheduled: NodeJS.Immediate | undefined
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  constructor(slots: JobSlots, clock: Clock) {
    this.#slots = slots
    this.#clock = clock
  }

  /** Waits for the first job, or until `signal` ends it. */
  wait(max: number, signal: AbortSignal): Promise<readonly Taken[]> {
    return new Promise((resolve) => {
      const abort = (): void => waiting.end([])
      const waiting: Waiting = {
        max,
        end: (taken) => {
          this.#waiting.delete(waiting)
          signal.removeEventListener('abort', abort)
          resolve(taken)
        },
      }
      this.#waiting.add(waiting)
      signal.addEventListener('abort', abort)
      this.plan(this.#clock())
    })
  }

  /** Jobs have changed: wakes the waiting calls if that concerns them. */
  changed(): void {
    if (this.#waiting.size > 0 && this.#scheduled === undefined) this.plan(this.#clock())
  }

  /** Schedules the next round: at once if there is work for it, or when the next job wakes up. */
  plan(now: Instant): void {
    if (this.#scheduled !== undefined) return
    const wakeAt = this.#slots.nextWake()
    const isWaiting = this.#waiting.size > 0
    if (wakeAt <= now || (isWaiting && this.#slots.hasReady())) this.#scheduled = setImmediate(() => this.#serve())
    else if (isWaiting) this.#setTimer(wakeAt, now)
  }

  [Symbol.dispose](): void {
    clearImmediate(this.#scheduled)
    clearTimeout(this.#timer)
  }

  #serve(): void {
    this.#scheduled = undefined
    const now = this.#clock()
    this.#slots.promote(now)
    for (const { max, end } of this.#waiting) {
      if (!this.#slots.hasReady()) break
      end(this.#slots.take(max, now))
    }
    this.plan(now)
  }

  /** Keeps a timer that is early enough. */
  #setTimer(wakeAt: number, now: Instant): void {
    const at = Math.min(wakeAt, now + LONGEST_WAIT_MS)
    if (wakeAt === Number.POSITIVE_INFINITY || at >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => this.#ring(), at - now).unref()
  }

  #ring(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    if (this.#waiting.size > 0) this.plan(this.#clock())
  }
}
