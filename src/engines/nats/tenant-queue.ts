/** One tenant's jobs in one lane as this process sees them: a consumer that all processes share, and its deliveries. */
import type { Millis } from '../../lib/time.ts'
import type { HandedOver } from './handover.ts'
import { type InFlight, isStored, type LeasedJob } from './in-flight.ts'
import type { JetStream } from './jetstream.ts'
import { type Delivery, type PullEnd, Puller, type PullRequest } from './pulls.ts'
import { nanos } from './streams.ts'
import { consumerOf, type Names, type TenantLane } from './subjects.ts'

export type TenantQueueDeps = Readonly<{
  js: JetStream
  names: Names
  inFlight: InFlight
  /** A job without a heartbeat for this long is redelivered. */
  ackWait: Millis
  /** A queue without work is polled no longer than this. */
  idleAfter: Millis
}>

/** How long the broker keeps a poll open. */
const POLL_MS = 5_000
/** How many jobs of a queue may be in flight in all processes together. */
const MAX_IN_FLIGHT = 1_024
/** The broker removes a consumer that is unused for this long. */
const UNUSED_MS = 5 * 60_000

export class TenantQueue implements AsyncDisposable {
  readonly key: TenantLane
  /** Jobs received and not yet taken. */
  readonly buffer: LeasedJob[] = []
  /** Whether the broker may have more, as far as we know. */
  mayHaveMore = true
  isPulling = false
  /** Jobs we returned that were not redelivered yet: the broker counts them as delivered. */
  #returned = 0
  lastUsedAt = 0
  readonly #deps: TenantQueueDeps
  readonly #puller: Puller
  readonly #onArrival: () => void
  #hasConsumer = false

  constructor(deps: TenantQueueDeps, key: TenantLane, onArrival: () => void) {
    this.#deps = deps
    this.key = key
    this.#onArrival = onArrival
    const stream = deps.names.jobsOf(key.tenantId)
    this.#puller = new Puller(deps.js.connection, stream, consumerOf(key), (delivery) => this.#receive(delivery))
  }

  /** Pulls up to `batch` of the available jobs. */
  fetch(batch: number): Promise<PullEnd> {
    return this.#pull({ batch })
  }

  /** Waits for the next job. */
  poll(): Promise<PullEnd> {
    return this.#pull({ batch: 1, waitMs: Math.min(POLL_MS, this.#deps.idleAfter) })
  }

  /** Takes over a job that is not in the queue. */
  adopt(handed: HandedOver): void {
    this.#add(this.#deps.inFlight.adopt(handed))
  }

  /** Returns the jobs that were not taken and are stale, so that other processes can take them. */
  returnStale(isStale: (leased: LeasedJob) => boolean): readonly LeasedJob[] {
    const stale = this.buffer.filter(isStale)
    if (stale.length === 0) return stale
    this.buffer.splice(0, this.buffer.length, ...this.buffer.filter((leased) => !isStale(leased)))
    const stored = stale.filter(isStored).length
    this.#returned += stored
    if (stored > 0) this.mayHaveMore = true
    for (const leased of stale) this.#deps.inFlight.nak(leased, 0)
    return stale
  }

  /** Jobs that the broker counts as delivered and that no worker has taken. */
  get unclaimed(): number {
    return this.buffer.filter(isStored).length + this.#returned
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#puller[Symbol.asyncDispose]()
  }

  async #pull(request: PullRequest): Promise<PullEnd> {
    this.isPulling = true
    try {
      if (!this.#hasConsumer) await this.#createConsumer()
      const end = await this.#puller.pull(request)
      if (end === 'gone') this.#hasConsumer = false
      if (end !== 'full') this.mayHaveMore = false
      if (end === 'empty') this.#returned = 0
      return end
    } finally {
      this.isPulling = false
    }
  }

  #receive(delivery: Delivery): void {
    this.mayHaveMore = delivery.pending > 0
    this.#returned = Math.max(0, this.#returned - 1)
    this.#add(this.#deps.inFlight.add(delivery))
  }

  #add(leased: LeasedJob): void {
    this.buffer.push(leased)
    this.lastUsedAt = Date.now()
    this.#onArrival()
  }

  async #createConsumer(): Promise<void> {
    const { js, names, ackWait } = this.#deps
    const [stream, consumer] = [names.jobsOf(this.key.tenantId), consumerOf(this.key)]
    const config = {
      name: consumer,
      durable_name: consumer,
      filter_subject: names.jobsIn(this.key),
      ack_policy: 'explicit',
      ack_wait: nanos(ackWait),
      max_ack_pending: MAX_IN_FLIGHT,
      inactive_threshold: nanos(UNUSED_MS),
    }
    await js.api(`CONSUMER.CREATE.${stream}.${consumer}.${config.filter_subject}`, { stream_name: stream, config })
    this.#hasConsumer = true
  }
}
