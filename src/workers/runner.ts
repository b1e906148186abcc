/**
 * The worker loop: takes as many jobs as its concurrency allows, works on them concurrently, and finishes each only
 * after its work is done. After a fault the job is released with a delay; after too many faults the message is
 * dead-lettered.
 */

import type { Poison } from '../flows/send/dead-letter.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import type { Soon } from '../lib/soon.ts'
import { later } from '../lib/time.ts'
import type { Disposition, Job, Queue, Taken } from '../ports/queue.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { delayAfter, FaultCounts, FIRST_DELAY, MOST_FAULTS } from './fault-counts.ts'

export type RunnerDeps = Readonly<{
  queue: Queue
  clock: Clock
  handle: (taken: Taken) => Soon<Disposition>
  /** Without a job when the queue itself failed. */
  onFault: (error: unknown, job?: Job) => void
  /** Ends a message that cannot be processed. */
  deadLetter: (job: Job, poison: Poison) => Promise<void>
}>

const FAULT_PAUSE_MS = 1_000

export class Runner implements AsyncDisposable {
  readonly #deps: RunnerDeps
  readonly #concurrency: number
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  readonly #faults = new FaultCounts()
  #inFlight = 0
  #freed: (() => void) | undefined

  /** `concurrency` is how many jobs to work on at once. */
  constructor(deps: RunnerDeps, concurrency: number) {
    this.#deps = deps
    this.#concurrency = concurrency
    this.#running = this.#run()
  }

  /** Takes no more jobs, and waits for those in flight. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#freed?.()
    await this.#running
    while (this.#inFlight > 0) await this.#nextFree()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const free = this.#concurrency - this.#inFlight
      if (free === 0) await this.#nextFree()
      else for (const taken of await this.#take(free, signal)) void this.#work(taken)
    }
  }

  /** Retries an unavailable queue; the wait ends with the loop. */
  async #take(free: number, signal: AbortSignal): Promise<readonly Taken[]> {
    try {
      return await this.#deps.queue.take(free, signal)
    } catch (error) {
      // The engine itself logs that a broker or a disk is unavailable.
      if (!(error instanceof Unavailable)) this.#deps.onFault(error)
      await pause(FAULT_PAUSE_MS, signal)
      return []
    }
  }

  async #work(taken: Taken): Promise<void> {
    this.#inFlight += 1
    try {
      const disposition = await this.#deps.handle(taken)
      if (disposition.kind !== 'gone') await applyDisposition(this.#deps.queue, taken, disposition)
      this.#faults.clear(taken.job.messageId)
    } catch (error) {
      this.#deps.onFault(error, taken.job)
      // If the queue itself is broken, the lease expires.
      await this.#release(taken, error).catch(() => undefined)
    } finally {
      this.#inFlight -= 1
      this.#freed?.()
    }
  }

  /** An unavailable store is not a fault of the message and is not counted. */
  async #release(taken: Taken, error: unknown): Promise<void> {
    const { queue, clock } = this.#deps
    if (error instanceof Unavailable) return queue.release(taken, later(clock(), FIRST_DELAY))
    const faults = this.#faults.add(taken.job.messageId)
    const isEnded = faults >= MOST_FAULTS && (await this.#end(taken.job, { error, faults }))
    await (isEnded ? queue.done(taken) : queue.release(taken, later(clock(), delayAfter(faults))))
  }

  async #end(job: Job, poison: Poison): Promise<boolean> {
    try {
      await this.#deps.deadLetter(job, poison)
      this.#faults.clear(job.messageId)
      return true
    } catch (error) {
      this.#deps.onFault(error, job)
      return false
    }
  }

  #nextFree(): Promise<void> {
    return new Promise((resolve) => {
      this.#freed = resolve
    })
  }
}

/** A job that is gone was removed by the append that recorded its outcome. */
type Remaining = Exclude<Disposition, { kind: 'gone' }>

function applyDisposition(queue: Queue, taken: Taken, disposition: Remaining): Promise<void> {
  switch (disposition.kind) {
    case 'done':
      return queue.done(taken)
    case 'later':
      return queue.release(taken, disposition.at)
    case 'parked':
      return queue.park(taken, disposition.gate, disposition.until)
  }
}
