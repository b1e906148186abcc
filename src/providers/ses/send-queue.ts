/**
 * Whose turn it is, at so many recipients a second. A mail goes when there is room for one recipient; those after
 * it wait for the rest of its recipients, so that even one with many goes at the slowest rate.
 */
import { Pace } from '../../lib/pace.ts'
import { type Instant, instant, later, type Millis, seconds } from '../../lib/time.ts'

type Waiting = Readonly<{ recipients: number; since: Instant; go: (isTurn: boolean) => void }>

/** Much shorter than a provider may take to answer. */
const SOON = seconds(2)

export class SendQueue implements Disposable {
  readonly #pace: Pace
  #line: readonly Waiting[] = []
  /** Recipients of mails that went, for whom there was no room yet. */
  #owed = 0
  #timer: NodeJS.Timeout | undefined

  constructor(recipientsPerSecond: number) {
    this.#pace = new Pace(recipientsPerSecond)
  }

  /** Whether a mail would find its turn soon: the first in line has not waited for long. */
  get hasRoom(): boolean {
    const [first] = this.#line
    return first === undefined || now() < later(first.since, SOON)
  }

  /** True once it is the mail's turn; false when whoever asks has no more time. */
  async take(recipients: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false
    const { promise, resolve: go } = Promise.withResolvers<boolean>()
    const one: Waiting = { recipients, since: now(), go }
    const leave = (): void => {
      this.#line = this.#line.filter((other) => other !== one)
      go(false)
    }
    signal.addEventListener('abort', leave, { once: true })
    this.#line = [...this.#line, one]
    this.#pump()
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  /** SES found it too fast, and may have asked for a pause. */
  throttle(pause: Millis): void {
    this.#pace.throttle(now(), pause)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    const line = this.#line
    this.#line = []
    for (const { go } of line) go(false)
  }

  #pump(): void {
    for (let [first] = this.#line; first !== undefined; [first] = this.#line) {
      const wait = this.#pace.admit(now())
      if (wait > 0) {
        this.#pumpAfter(wait)
        return
      }
      if (this.#owed > 0) this.#owed -= 1
      else {
        this.#owed = first.recipients - 1
        this.#line = this.#line.slice(1)
        first.go(true)
      }
    }
  }

  #pumpAfter(wait: Millis): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#pump()
    }, wait)
  }
}

/** Of a clock that nobody sets. */
const now = (): Instant => instant(performance.now())
