/**
 * Jobs that wait to call a provider, first in, first out. A job starts when the rate (`Pace`) allows it and the
 * provider has capacity.
 */
import { Pace } from './pace.ts'
import { type Instant, instant, later, type Millis, seconds } from './time.ts'

export type QueuedJob = {
  readonly start: () => void
  /** Called instead of `start` when the queue is cleared. */
  readonly drop: () => void
  /** How much of the rate it uses (1). It starts once the rate allows one unit; later jobs wait for the rest. */
  readonly units?: number
  /** A cancelled job is neither started nor dropped. */
  isCancelled?: boolean
  since?: Instant
}

export type PacedQueueOptions = Readonly<{
  /** Unlimited where it is left out. */
  unitsPerSecond?: number | undefined
  /** Whether another job may start. Call `pump` when capacity becomes free. */
  hasCapacity?: () => boolean
}>

/** Much shorter than the time a provider has to answer. */
const SOON = seconds(2)

export class PacedQueue implements Disposable {
  readonly #pace: Pace
  readonly #hasCapacity: () => boolean
  #jobs: QueuedJob[] = []
  #head = 0
  /** Units of started jobs that the rate has not allowed yet. */
  #debt = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ unitsPerSecond, hasCapacity = () => true }: PacedQueueOptions) {
    this.#pace = new Pace(unitsPerSecond)
    this.#hasCapacity = hasCapacity
  }

  /** Whether a new job would start soon: the oldest has not waited long. */
  get hasRoom(): boolean {
    const since = this.#first()?.since
    return since === undefined || now() < later(since, SOON)
  }

  push(job: QueuedJob): void {
    job.since = now()
    this.#jobs.push(job)
    this.pump()
  }

  /** Returns a started job to the head of the queue. It keeps the time it was first queued at. */
  putBack(job: QueuedJob): void {
    if (this.#head === 0) this.#jobs.unshift(job)
    else {
      this.#head -= 1
      this.#jobs[this.#head] = job
    }
    this.pump()
  }

  /** Resolves to true when the job may start, and to false when the signal aborts or the queue is cleared first. */
  async take(
    signal: AbortSignal,
    { units = 1, onStart }: Readonly<{ units?: number; onStart?: () => void }> = {},
  ): Promise<boolean> {
    if (signal.aborted) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const start = (): void => {
      onStart?.()
      resolve(true)
    }
    const job: QueuedJob = { units, start, drop: () => resolve(false) }
    const cancel = (): void => {
      job.isCancelled = true
      resolve(false)
    }
    signal.addEventListener('abort', cancel, { once: true })
    this.push(job)
    return promise.finally(() => signal.removeEventListener('abort', cancel))
  }

  /** The provider reported that we send too fast, and may have asked for a pause. */
  throttle(pause?: Millis): void {
    this.#pace.throttle(now(), pause)
  }

  /** Starts every job that may start. */
  pump(): void {
    for (let job = this.#first(); job !== undefined && this.#hasCapacity(); job = this.#first()) {
      const wait = this.#pace.admit(now())
      if (wait > 0) {
        this.#pumpAfter(wait)
        return
      }
      if (this.#debt > 0) this.#debt -= 1
      else {
        this.#debt = (job.units ?? 1) - 1
        this.#shift()
        job.start()
      }
    }
  }

  clear(): void {
    const jobs = this.#jobs.slice(this.#head)
    this.#jobs = []
    this.#head = 0
    // Dropping one job may cancel others.
    for (const job of jobs) if (!job.isCancelled) job.drop()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.clear()
  }

  #first(): QueuedJob | undefined {
    while (this.#jobs[this.#head]?.isCancelled) this.#shift()
    return this.#jobs[this.#head]
  }

  /** Compacts the array only now and then: moving all jobs each time would be slow in a long queue. */
  #shift(): void {
    this.#head += 1
    if (this.#head * 2 < this.#jobs.length) return
    this.#jobs = this.#jobs.slice(this.#head)
    this.#head = 0
  }

  #pumpAfter(wait: Millis): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.pump()
    }, wait)
  }
}

/** Monotonic: setting the system clock changes nothing. */
const now = (): Instant => instant(performance.now())
