/**
 * Decides which job is next: lanes by weight, tenants in turn. Each round draws as many turns as jobs are wanted,
 * pulls that many from each queue drawn, and returns the jobs in the order of the turns. A queue that had nothing is
 * polled for one job, so it rejoins the rounds as soon as it has one, however full the others are. A queue that stays
 * idle is no longer polled: see arrivals.ts.
 */
import { type FairScheduler, fairScheduler } from '../../domain/message/fair-scheduler.ts'
import type { Lane } from '../../domain/message/message.ts'
import { type Signal, signal } from '../../lib/signal.ts'
import { LANE_WEIGHTS } from '../../ports/queue.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { Arrivals } from './arrivals.ts'
import { waitAtMost } from './deadlines.ts'
import type { HandedOver } from './handover.ts'
import { isStored, type LeasedJob } from './in-flight.ts'
import type { PullEnd } from './pulls.ts'
import { consumerOf, type TenantLane } from './subjects.ts'
import { TenantQueue, type TenantQueueDeps } from './tenant-queue.ts'

/** A round waits no longer than this for a queue; later jobs are for the next round. */
const ROUND_MS = 250
/** Pause before a queue is pulled again after an error. */
const BACK_OFF_MS = 1_000
/** A job that no worker takes within this time is returned for other processes. */
const UNCLAIMED_MS = 100
/** The same for a job that was adopted: other processes cannot take it before it is queued. */
const UNSTARTED_MS = 1_000
/** Adopted jobs that wait for a worker of this process. If it dies, recovery has to find them. */
const MOST_ADOPTED = 256
/** Without a call for jobs for this long, no worker is free. */
const BUSY_AFTER_MS = 250
/** A process that had to return jobs it adopted adopts no more for this long. */
const ADOPTS_AGAIN_MS = 5_000

export class TenantQueues implements AsyncDisposable {
  readonly #deps: TenantQueueDeps
  readonly #queues = new Map<string, TenantQueue>()
  readonly #turns: FairScheduler = fairScheduler(LANE_WEIGHTS)
  /** Queues that take turns because they have jobs, or may have. */
  readonly #active = new Set<TenantQueue>()
  /** Queues without a job, to be polled for the next one. */
  readonly #idle = new Set<TenantQueue>()
  readonly #backOffTimers = new Map<TenantQueue, NodeJS.Timeout>()
  readonly #changed: Signal = signal()
  readonly #arrivals: Arrivals
  readonly #removeListener: () => void
  #round: Promise<unknown> | undefined
  #returnTimer: NodeJS.Timeout | undefined
  #takers = 0
  /** When the last caller got its jobs. */
  #tookAt = Number.NEGATIVE_INFINITY
  /** Until then, no jobs are adopted. */
  #adoptsAfter = 0
  #fault: unknown
  #isClosed = false

  constructor(deps: TenantQueueDeps) {
    this.#deps = deps
    this.#arrivals = new Arrivals(deps.js, deps.names, (key) => this.open(key))
    this.#removeListener = deps.js.connection.onStateChange(() => this.#changed.notify())
  }

  /** The queue has work, or will have soon. */
  open(key: TenantLane): void {
    if (!this.#isClosed) this.#open(key)
  }

  /** Takes over jobs that are not in the queue, but not past older jobs of their tenant. Returns which it took. */
  adopt(jobs: readonly HandedOver[]): readonly boolean[] {
    let room = this.#adopts() ? MOST_ADOPTED - this.#buffered() : 0
    return jobs.map((handed) => {
      if (room <= 0) return false
      const queue = this.#open(handed.job)
      if (queue.mayHaveMore) return false
      room -= 1
      queue.adopt(handed)
      return true
    })
  }

  /** These queues exist and may get work. */
  async watchIdle(keys: readonly TenantLane[]): Promise<void> {
    if (this.#isClosed) return
    await this.#arrivals.watch(keys.filter((key) => !this.#queues.has(consumerOf(key))))
  }

  /** Up to `max` jobs; waits for the first until `signal` aborts. One round at a time: every turn is used once. */
  async take(max: number, signal: AbortSignal): Promise<readonly LeasedJob[]> {
    this.#takers += 1
    try {
      while (!signal.aborted && !this.#isClosed) {
        this.#assertWorking()
        this.#pollIdle()
        if (this.#round !== undefined) {
          await this.#round
        } else if (this.#active.size > 0) {
          const taken = await this.#startRound(max)
          if (taken.length > 0) return taken
        } else {
          await this.#changed.wait(signal)
        }
      }
      return []
    } finally {
      this.#takers -= 1
      this.#tookAt = performance.now()
    }
  }

  /** Jobs of a lane that this process received or returned and no worker took. */
  unclaimed(lane: Lane): number {
    const inLane = this.#queues.values().filter(({ key }) => key.lane === lane)
    return inLane.reduce((sum, queue) => sum + queue.unclaimed, 0)
  }

  /** The same of one queue. */
  unclaimedOf(key: TenantLane): number {
    return this.#queues.get(consumerOf(key))?.unclaimed ?? 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#removeListener()
    this.#arrivals[Symbol.dispose]()
    clearTimeout(this.#returnTimer)
    for (const timer of this.#backOffTimers.values()) clearTimeout(timer)
    this.#changed.notify()
    await Promise.all(this.#queues.values().map((queue) => queue[Symbol.asyncDispose]()))
  }

  #open(key: TenantLane): TenantQueue {
    const existing = this.#queues.get(consumerOf(key))
    const queue: TenantQueue = existing ?? new TenantQueue(this.#deps, key, () => this.#arrived(queue))
    queue.lastUsedAt = Date.now()
    if (existing !== undefined) return queue
    this.#arrivals.cancel(key)
    this.#queues.set(consumerOf(key), queue)
    this.#activate(queue)
    return queue
  }

  /** Not while all workers are busy for long, or gone. */
  #adopts(): boolean {
    const now = performance.now()
    const isTaking = this.#takers > 0 || now - this.#tookAt < BUSY_AFTER_MS
    return isTaking && !this.#isClosed && now > this.#adoptsAfter
  }

  #buffered(): number {
    return this.#active.values().reduce((sum, { buffer }) => sum + buffer.length, 0)
  }

  #assertWorking(): void {
    if (!this.#deps.js.connection.isUp) throw new Unavailable('NATS is unreachable')
    const fault = this.#fault
    this.#fault = undefined
    if (fault !== undefined) throw fault
  }

  #startRound(max: number): Promise<readonly LeasedJob[]> {
    const round = this.#runRound(max).finally(() => {
      this.#round = undefined
    })
    this.#round = round
    return round
  }

  async #runRound(max: number): Promise<readonly LeasedJob[]> {
    const drawn = this.#draw(max)
    const counts = Map.groupBy(drawn, (queue) => queue)
    const pulls = [...counts].map(([queue, { length }]) => {
      const missing = length - queue.buffer.length
      return missing > 0 ? this.#afterPull(queue, queue.fetch(missing)) : undefined
    })
    await waitAtMost(ROUND_MS, Promise.all(pulls))
    const taken = drawn.flatMap((queue) => queue.buffer.shift() ?? [])
    for (const queue of counts.keys()) {
      if (!queue.isPulling && !this.#backOffTimers.has(queue)) this.#reschedule(queue)
    }
    return taken
  }

  /** Up to `max` turns of queues that have, or may have, a job for each. */
  #draw(max: number): readonly TenantQueue[] {
    const drawn: TenantQueue[] = []
    const counts = new Map<TenantQueue, number>()
    while (drawn.length < max) {
      const turn = this.#turns.next()
      const queue = turn && this.#queues.get(consumerOf(turn))
      if (queue === undefined) break
      const count = counts.get(queue) ?? 0
      if (count >= queue.buffer.length && (queue.isPulling || !queue.mayHaveMore)) {
        this.#deactivate(queue)
      } else {
        counts.set(queue, count + 1)
        drawn.push(queue)
      }
    }
    return drawn
  }

  async #afterPull(queue: TenantQueue, pull: Promise<PullEnd>): Promise<void> {
    try {
      const end = await pull
      if (end === 'full' || end === 'empty') this.#reschedule(queue)
      else this.#backOff(queue)
    } catch (error) {
      if (!(error instanceof Unavailable)) this.#fault = error
      this.#backOff(queue)
    }
  }

  /** Without a worker there is no poll: its job would be delivered to nobody. */
  #pollIdle(): void {
    if (this.#takers === 0) return
    for (const queue of this.#idle) {
      this.#idle.delete(queue)
      void this.#afterPull(queue, queue.poll())
    }
  }

  /** Decides what a queue does next. */
  #reschedule(queue: TenantQueue): void {
    if (this.#isOver(queue)) return
    if (queue.buffer.length > 0 || queue.mayHaveMore) {
      this.#activate(queue)
    } else if (Date.now() - queue.lastUsedAt > this.#deps.idleAfter) {
      this.#close(queue)
    } else {
      this.#deactivate(queue)
      this.#idle.add(queue)
      this.#pollIdle()
    }
  }

  #backOff(queue: TenantQueue): void {
    if (this.#isOver(queue)) return
    this.#deactivate(queue)
    clearTimeout(this.#backOffTimers.get(queue))
    const timer = setTimeout(() => {
      this.#backOffTimers.delete(queue)
      queue.mayHaveMore = true
      this.#reschedule(queue)
    }, BACK_OFF_MS).unref()
    this.#backOffTimers.set(queue, timer)
  }

  /** A queue that was closed is never scheduled again: a round that finds only such a queue would not end. */
  #isOver(queue: TenantQueue): boolean {
    return this.#isClosed || this.#queues.get(consumerOf(queue.key)) !== queue
  }

  #activate(queue: TenantQueue): void {
    this.#idle.delete(queue)
    this.#active.add(queue)
    this.#turns.add(queue.key.lane, queue.key.tenantId)
    this.#changed.notify()
  }

  #deactivate(queue: TenantQueue): void {
    this.#active.delete(queue)
    this.#turns.remove(queue.key.lane, queue.key.tenantId)
  }

  #close(queue: TenantQueue): void {
    this.#deactivate(queue)
    this.#queues.delete(consumerOf(queue.key))
    void queue[Symbol.asyncDispose]()
    this.#arrivals.watch([queue.key]).catch((error: unknown) => {
      if (!(error instanceof Unavailable)) this.#fault = error
      // We could not confirm that it is empty, so we keep polling.
      this.open(queue.key)
    })
  }

  #arrived(queue: TenantQueue): void {
    if (this.#isClosed) return
    if (this.#isOver(queue)) {
      // The job was on its way when the queue was closed.
      queue.returnStale(() => true)
      return
    }
    this.#activate(queue)
    this.#returnTimer ??= setTimeout(() => this.#returnUnclaimed(), UNCLAIMED_MS).unref()
  }

  /** Without a worker for its jobs, this process is stuck, or full for long. */
  #returnStale(queue: TenantQueue): void {
    const now = performance.now()
    const returned = queue.returnStale(
      (leased) => leased.since <= now - (isStored(leased) ? UNCLAIMED_MS : UNSTARTED_MS),
    )
    if (!returned.every(isStored)) this.#adoptsAfter = now + ADOPTS_AGAIN_MS
  }

  /** Returns jobs that no worker took, unless a round is taking some right now. */
  #returnUnclaimed(): void {
    this.#returnTimer = undefined
    const waiting = [...this.#active].filter(({ buffer }) => buffer.length > 0)
    if (waiting.length === 0 || !this.#deps.js.connection.isUp) return
    if (this.#round === undefined) for (const queue of waiting) this.#returnStale(queue)
    this.#returnTimer = setTimeout(() => this.#returnUnclaimed(), UNCLAIMED_MS).unref()
  }
}
