/** The jobs of one tenant in one lane, as this process sees them: a consumer that all processes share, and what has come from it. */
import type { Millis } from '../../lib/time.ts'
import type { Held, InFlight } from './in-flight.ts'
import type { JetStream } from './jetstream.ts'
import { type Delivery, type PullEnd, Puller, type PullRequest } from './pulls.ts'
import { nanos } from './streams.ts'
import { consumerOf, type Names, type TenantLane } from './subjects.ts'

export type LineDeps = Readonly<{
  js: JetStream
  names: Names
  hands: InFlight
  /** After this long without a sign of life a job is handed to somebody else. */
  ackWait: Millis
  /** A line without work is not polled any longer than this. */
  idleAfter: Millis
}>

/** The broker waits this long for a job before it must be asked again. */
const POLL_MS = 5_000
/** How many jobs of a line may be in hand, in all processes together. */
const MAX_IN_HAND = 1_024
/** A consumer that nobody asks goes by itself after this long. */
const UNUSED_MS = 5 * 60_000

export class TenantQueue implements AsyncDisposable {
  readonly name: TenantLane
  /** Jobs that have come and are not handed on yet. */
  readonly buffer: Held[] = []
  /** Whether there may be more at the broker, as far as we know. */
  more = true
  isAsking = false
  /** How many jobs went back and have not come again: the broker counts them as handed out. */
  #away = 0
  /** When there was work last. */
  usedAt = 0
  readonly #deps: LineDeps
  readonly #puller: Puller
  readonly #onArrival: () => void
  #isMade = false

  constructor(deps: LineDeps, name: TenantLane, onArrival: () => void) {
    this.#deps = deps
    this.name = name
    this.#onArrival = onArrival
    const stream = deps.names.jobsOf(name.tenantId)
    this.#puller = new Puller(deps.js.connection, stream, consumerOf(name), (delivery) => this.#receive(delivery))
  }

  /** Up to so many jobs, of those that are there now. */
  ask(batch: number): Promise<PullEnd> {
    return this.#pull({ batch })
  }

  /** The next job, whenever it comes. */
  poll(): Promise<PullEnd> {
    return this.#pull({ batch: 1, waitMs: Math.min(POLL_MS, this.#deps.idleAfter) })
  }

  /** What came before this moment and nobody has taken goes back, for others to take. */
  putBack(before: number): void {
    const stale = this.buffer.filter(({ since }) => since <= before)
    if (stale.length === 0) return
    this.buffer.splice(0, stale.length)
    this.#away += stale.length
    this.more = true
    for (const held of stale) this.#deps.hands.putBack(held, 0)
  }

  /** Jobs that the broker counts as handed out, and that nobody has. */
  get unclaimed(): number {
    return this.buffer.length + this.#away
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#puller[Symbol.asyncDispose]()
  }

  async #pull(request: PullRequest): Promise<PullEnd> {
    this.isAsking = true
    try {
      if (!this.#isMade) await this.#make()
      const end = await this.#puller.pull(request)
      if (end === 'gone') this.#isMade = false
      if (end !== 'full') this.more = false
      if (end === 'empty') this.#away = 0
      return end
    } finally {
      this.isAsking = false
    }
  }

  #receive(delivery: Delivery): void {
    this.buffer.push(this.#deps.hands.hold(delivery))
    this.more = delivery.pending > 0
    this.#away = Math.max(0, this.#away - 1)
    this.usedAt = Date.now()
    this.#onArrival()
  }

  async #make(): Promise<void> {
    const { js, names, ackWait } = this.#deps
    const [stream, consumer] = [names.jobsOf(this.name.tenantId), consumerOf(this.name)]
    const config = {
      name: consumer,
      durable_name: consumer,
      filter_subject: names.jobsIn(this.name),
      ack_policy: 'explicit',
      ack_wait: nanos(ackWait),
      max_ack_pending: MAX_IN_HAND,
      inactive_threshold: nanos(UNUSED_MS),
    }
    await js.api(`CONSUMER.CREATE.${stream}.${consumer}.${config.filter_subject}`, { stream_name: stream, config })
    this.#isMade = true
  }
}
