/**
 * Publishes the integration events of the log on one sink: page by page, the next one once the broker has stored the one
 * before. Any number of processes may run the worker of a sink; one at a time has the claim on it.
 *
 * While the broker is away, one page is held and nothing further is read.
 */
import type { SinkName } from '../domain/ids.ts'
import { toSinkEvents } from '../flows/sinks/to-sink-events.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import { later, seconds } from '../lib/time.ts'
import type { EventLog, Followed, Position } from '../ports/event-log.ts'
import type { Sink } from '../ports/sink.ts'
import type { SinkClaim, SinkPositions } from '../ports/sink-positions.ts'
import { Ticker } from './ticker.ts'

export type SinkWorkerDeps = Readonly<{
  log: Pick<EventLog, 'load' | 'follow'>
  sinkPositions: SinkPositions
  clock: Clock
  owner: string
  observer: SinkObserver
}>

export type SinkObserver = Readonly<{
  onPublished: (events: number) => void
  /** The broker has answered. */
  onAvailable: () => void
  onUnavailable: (error: unknown) => void
  onFault: (error: unknown) => void
}>

export type SinkPlan = Readonly<{
  name: SinkName
  types: ReadonlySet<string>
  /** Connects to the broker. A sink that has failed is closed and opened again. */
  open: () => Promise<Sink>
  /** How often a process looks whether the sink has become free; for tests. */
  claimEveryMs?: number
}>

/** Events of the log that are published at a time. */
export const SINK_BATCH = 256
const LEASE = seconds(15)
const RENEW_EVERY_MS = 5_000
const CLAIM_EVERY_MS = 2_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

export class SinkWorker implements AsyncDisposable {
  readonly #deps: SinkWorkerDeps
  readonly #plan: SinkPlan
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  #sink: Sink | undefined
  #position: Position | undefined
  /** Positions are stored one after the other. */
  #storing: Promise<boolean> = Promise.resolve(true)
  #failures = 0

  constructor(deps: SinkWorkerDeps, plan: SinkPlan) {
    this.#deps = deps
    this.#plan = plan
    this.#running = this.#run()
  }

  /** How far the log is published; undefined in a process that does not have the sink. */
  get position(): Position | undefined {
    return this.#position
  }

  /** Waits for the page in flight. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    const { sinkPositions, observer } = this.#deps
    while (!signal.aborted) {
      try {
        this.#position = await sinkPositions.claim(this.#claim())
        if (this.#position !== undefined) await this.#work(this.#position, signal)
      } catch (error) {
        observer.onFault(error)
      }
      this.#position = undefined
      await this.#close()
      await pause(this.#plan.claimEveryMs ?? CLAIM_EVERY_MS, signal)
    }
  }

  /** Until it is stopped, or another process has taken over. */
  async #work(start: Position, stop: AbortSignal): Promise<void> {
    const { log, observer } = this.#deps
    const lost = new AbortController()
    const signal = AbortSignal.any([stop, lost.signal])
    const renew = async (): Promise<void> => {
      if (!(await this.#store(this.#claim()))) lost.abort()
    }
    await using _renewing = new Ticker({ task: renew, onFault: observer.onFault }, RENEW_EVERY_MS)
    await this.#publish([], signal)
    for await (const page of log.follow({ after: start }, SINK_BATCH, signal)) {
      const last = page.at(-1)
      if (last === undefined) continue
      if (!(await this.#publish(page, signal))) break
      this.#position = last.position
      if (!(await this.#store(this.#claim()))) return
    }
    const { now, ...claim } = this.#claim()
    if (!lost.signal.aborted) await this.#store({ ...claim, now, until: now })
  }

  /** Until the broker has stored the page; false if the signal has aborted before. Without events it only connects. */
  async #publish(page: readonly Followed[], signal: AbortSignal): Promise<boolean> {
    const { types, open } = this.#plan
    const events = await toSinkEvents(
      this.#deps,
      types,
      page.map(({ event }) => event),
    )
    for (; !signal.aborted; await pause(this.#nextPause(), signal)) {
      try {
        this.#sink ??= await open()
        if (events.length > 0) await this.#sink.publish(events)
        this.#failures = 0
        this.#deps.observer.onAvailable()
        this.#deps.observer.onPublished(events.length)
        return true
      } catch (error) {
        this.#deps.observer.onUnavailable(error)
        await this.#close()
      }
    }
    return false
  }

  #nextPause(): number {
    this.#failures += 1
    return Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), LONGEST_PAUSE_MS)
  }

  #store(claim: SinkClaim): Promise<boolean> {
    this.#storing = this.#storing
      .catch(() => true)
      .then(() => this.#position === undefined || this.#deps.sinkPositions.advance(claim, this.#position))
    return this.#storing
  }

  #claim(): SinkClaim {
    const now = this.#deps.clock()
    return { sink: this.#plan.name, owner: this.#deps.owner, now, until: later(now, LEASE) }
  }

  async #close(): Promise<void> {
    const sink = this.#sink
    this.#sink = undefined
    await sink?.[Symbol.asyncDispose]()
  }
}
