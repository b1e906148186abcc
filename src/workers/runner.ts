/**
 * The one loop: takes as many jobs as there are free hands, works on them at once, and lets each go
 * only after it is finished. A fault hands the job back and backs off; nothing is swallowed.
 */
import { later, seconds } from '../domain/time.ts'
import type { Disposition } from '../flows/disposition.ts'
import type { Job, Queue, Taken } from '../ports/queue.ts'
import type { Clock } from '../ports/world.ts'
import { pause } from './pause.ts'

export type RunnerDeps = Readonly<{
  queue: Queue
  clock: Clock
  handle: (taken: Taken) => Promise<Disposition>
  onFault: (error: unknown, job: Job) => void
}>

/** A job that met a fault of ours is tried again after this long. */
const FAULT_DELAY = seconds(5)
const FAULT_PAUSE_MS = 1_000

export class Runner implements AsyncDisposable {
  readonly #deps: RunnerDeps
  readonly #hands: number
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  readonly #inHand = new Set<Promise<void>>()
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
    } catch {
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
    const { queue, clock, handle, onFault } = this.#deps
    try {
      const disposition = await handle(taken)
      if (disposition.kind === 'done') await queue.done(taken)
      else if (disposition.kind === 'later') await queue.release(taken, disposition.at)
    } catch (error) {
      onFault(error, taken.job)
      // The queue may be what is broken; then the lease runs out by itself.
      await queue.release(taken, later(clock(), FAULT_DELAY)).catch(() => undefined)
    }
  }

  #handFreed(): Promise<void> {
    return new Promise((resolve) => {
      this.#freed = resolve
    })
  }
}
