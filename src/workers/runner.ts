/**
 * The one loop: takes as many jobs as there are free hands, works on them at once, and lets each go
 * only after it is finished. A fault hands the job back and backs off; what faults too often is dead-lettered.
 */

import type { Poison } from '../flows/send/dead-letter.ts'
import type { Disposition } from '../flows/send/disposition.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import { later } from '../lib/time.ts'
import type { Job, Queue, Taken } from '../ports/queue.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { delayAfter, FaultCounts, FIRST_DELAY, MOST_FAULTS } from './fault-counts.ts'

export type RunnerDeps = Readonly<{
  queue: Queue
  clock: Clock
  handle: (taken: Taken) => Promise<Disposition>
  /** Without a job where the queue itself refused to hand out any. */
  onFault: (error: unknown, job?: Job) => void
  /** Ends a message that cannot be processed. */
  deadLetter: (job: Job, poison: Poison) => Promise<void>
}>

const FAULT_PAUSE_MS = 1_000

export class Runner implements AsyncDisposable {
  readonly #deps: RunnerDeps
  readonly #hands: number
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  readonly #inHand = new Set<Promise<void>>()
  readonly #faults = new FaultCounts()
  #freed: (() => void) | undefined

  /** `hands` is how many jobs may be worked on at once. */
  constructor(deps: RunnerDeps, hands: number) {
    this.#deps = deps
    this.#hands = hands
    this.#running = this.#run()
  }

  /** Takes no more work, and waits for what is in hand. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#freed?.()
    await this.#running
    await Promise.all(this.#inHand)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const free = this.#hands - this.#inHand.size
      if (free === 0) await this.#handFreed()
      else for (const taken of await this.#take(free, signal)) this.#begin(taken)
    }
  }

  /** A queue that cannot be asked is asked again; the wait ends with the loop. */
  async #take(free: number, signal: AbortSignal): Promise<readonly Taken[]> {
    try {
      return await this.#deps.queue.take(free, signal)
    } catch (error) {
      // Of a broker or a disk that is away its own engine tells.
      if (!(error instanceof Unavailable)) this.#deps.onFault(error)
      await pause(FAULT_PAUSE_MS, signal)
      return []
    }
  }

  #begin(taken: Taken): void {
    const work = this.#work(taken).finally(() => {
      this.#inHand.delete(work)
      this.#freed?.()
    })
    this.#inHand.add(work)
  }

  async #work(taken: Taken): Promise<void> {
    const { queue, handle, onFault } = this.#deps
    try {
      const disposition = await handle(taken)
      await putBack(queue, taken, disposition)
      this.#faults.clear(taken.job.messageId)
    } catch (error) {
      onFault(error, taken.job)
      // The queue may be what is broken; then the lease runs out by itself.
      await this.#handBack(taken, error).catch(() => undefined)
    }
  }

  /** A store that is away is no fault of the message, and is not counted. */
  async #handBack(taken: Taken, error: unknown): Promise<void> {
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

  #handFreed(): Promise<void> {
    return new Promise((resolve) => {
      this.#freed = resolve
    })
  }
}

async function putBack(queue: Queue, taken: Taken, disposition: Disposition): Promise<void> {
  switch (disposition.kind) {
    case 'done':
      return queue.done(taken)
    case 'later':
      return queue.release(taken, disposition.at)
    case 'parked':
      return queue.park(taken, disposition.gate, disposition.until)
    case 'gone':
      return
  }
}
