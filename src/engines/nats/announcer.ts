/**
 * Publishes integration events as they happen. Any number of processes share the work without a leader: the broker pins
 * the log's consumer to one of them at a time, and to another once that one stops pulling.
 *
 * Publishing costs as much as storing the events of the log, so unless it is always wanted, it begins with the first
 * consumer of the published events and ends with the last.
 *
 * An acknowledgement covers all deliveries before it, also those that were lost on the way here or went to a process that
 * died. So it is sent only when the sequence of the deliveries has no gap; what is missing is read from the log.
 */
import { pause } from '../../lib/pause.ts'
import { instant, type Millis, seconds, toIso } from '../../lib/time.ts'
import { Intake } from './intake.ts'
import {
  BATCH,
  type EventStreamOptions,
  ensureEvents,
  type PublishingDeps,
  publishEvents,
  publishLog,
} from './integration-events.ts'
import { type JetStream, JetStreamError } from './jetstream.ts'
import type { Delivery } from './pulls.ts'
import type { Beginning } from './stream-source.ts'
import { nanos } from './streams.ts'
import type { Names } from './subjects.ts'

export type AnnouncerOptions = EventStreamOptions &
  Readonly<{
    /** `wanted`: while the stream of integration events has consumers. */
    publishing: 'wanted' | 'always'
    /** How often consumers are looked for, and how long the place in the log is kept without one; for tests. */
    lookEvery?: Millis
    keptFor?: Millis
    /** By how much the clocks of the servers may differ; for tests. */
    clockSkew?: Millis
    onFault: (error: unknown) => void
  }>

/** Where in the log a new consumer starts. */
type Start = Readonly<{ deliver_policy: 'all' } | { deliver_policy: 'by_start_time'; opt_start_time: string }>

type Place = Readonly<{ consumer_seq: number; stream_seq: number }>
/** The last delivery and the newest event that was delivered, and up to where both are acknowledged. */
type ConsumerInfo = Readonly<{ delivered: Place; ack_floor: Place; config: Readonly<{ opt_start_time?: string }> }>

const CONSUMER = 'announcer'
const GROUP = 'one'
const FAULT_PAUSE_MS = 1_000
const RETRY_MS = 250
/** Lost deliveries return after this long, unless later ones show earlier that they are missing. */
const ACK_WAIT = seconds(5)
/** The consumer is pinned to another process after this long without a pull. */
const SILENCE = seconds(15)
const LOOK_EVERY = seconds(5)
/** Whoever replaces a consumer within this time misses nothing. */
const KEPT_FOR = seconds(10 * 60)
const CLOCK_SKEW = seconds(5)
const CONSUMER_NOT_FOUND = 10014
const FROM_THE_START: Start = { deliver_policy: 'all' }

export async function openAnnouncer(deps: PublishingDeps, options: AnnouncerOptions): Promise<AsyncDisposable> {
  await ensureEvents(deps, options)
  return new Announcer(deps, options)
}

class Announcer implements AsyncDisposable {
  readonly #js: JetStream
  readonly #names: Names
  readonly #options: AnnouncerOptions
  readonly #intake: Intake
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  #start: Start | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  /** Since when nobody wants any events, as far as this process knows. */
  #unwantedSince: number | undefined
  /** The id by which the broker knows the pinned process. */
  #pin: string | undefined
  #hasConsumer = false
  /** Deliveries whose events are not published yet; they go before anything newer. */
  #unpublished: readonly Delivery[] = []
  /** All deliveries of the consumer up to this one are published. */
  #published = 0

  constructor({ js, names }: PublishingDeps, options: AnnouncerOptions) {
    this.#js = js
    this.#names = names
    this.#options = options
    this.#intake = new Intake(js.connection, names.log, CONSUMER)
    this.#running = this.#run()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#intake[Symbol.asyncDispose]()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await this.#look()
        if (this.#start === undefined) await pause(this.#lookEvery, signal)
        else await this.#announce(this.#start, signal)
      } catch (error) {
        this.#options.onFault(error)
        await pause(FAULT_PAUSE_MS, signal)
      }
    }
  }

  get #lookEvery(): number {
    return this.#options.lookEvery ?? LOOK_EVERY
  }

  /** At an interval: whether anybody wants events. */
  async #look(): Promise<void> {
    const now = performance.now()
    if (now - this.#lookedAt < this.#lookEvery) return
    this.#start = this.#options.publishing === 'always' ? FROM_THE_START : await this.#findStart()
    this.#lookedAt = now
    this.#unwantedSince = this.#start === undefined ? (this.#unwantedSince ?? now) : undefined
    const isForgotten = now - (this.#unwantedSince ?? now) >= (this.#options.keptFor ?? KEPT_FOR)
    if (isForgotten) await this.#forget()
  }

  /** With what happened since the first consumer was created. */
  async #findStart(): Promise<Start | undefined> {
    type List = { consumers?: readonly { created: string }[] | null }
    const { consumers } = await this.#js.api<List>(`CONSUMER.LIST.${this.#names.events}`)
    if (!consumers?.length) return undefined
    const first = Math.min(...consumers.map(({ created }) => Date.parse(created)))
    return {
      deliver_policy: 'by_start_time',
      opt_start_time: toIso(instant(first - (this.#options.clockSkew ?? CLOCK_SKEW))),
    }
  }

  /** The next consumer of the published events begins a new history. */
  async #forget(): Promise<void> {
    this.#hasConsumer = false
    this.#unpublished = []
    await this.#js.api(`CONSUMER.DELETE.${this.#names.log}.${CONSUMER}`).catch(ignoreMissing)
  }

  async #announce(start: Start, signal: AbortSignal): Promise<void> {
    if (!this.#hasConsumer) await this.#ensureConsumer(start)
    if (this.#unpublished.length === 0) await this.#fetch(signal)
    if (this.#unpublished.length === 0) await pause(RETRY_MS, signal)
    else await this.#publish()
  }

  async #ensureConsumer(start: Start): Promise<void> {
    const found = await this.#info().catch(ignoreMissing)
    if (found === undefined) await this.#createConsumer(start)
    this.#published = found?.ack_floor.consumer_seq ?? 0
    this.#hasConsumer = true
  }

  #info(): Promise<ConsumerInfo> {
    return this.#js.api(`CONSUMER.INFO.${this.#names.log}.${CONSUMER}`)
  }

  async #createConsumer(start: Start): Promise<void> {
    const config = {
      name: CONSUMER,
      durable_name: CONSUMER,
      ...start,
      ack_policy: 'all',
      ack_wait: nanos(ACK_WAIT),
      max_ack_pending: BATCH,
      priority_groups: [GROUP],
      priority_policy: 'pinned_client',
      priority_timeout: nanos(SILENCE),
    }
    const { log } = this.#names
    await this.#js.api(`CONSUMER.CREATE.${log}.${CONSUMER}`, { stream_name: log, config, action: 'create' })
  }

  /** Gets nothing while another process is pinned, and waits no longer than until the next look. */
  async #fetch(signal: AbortSignal): Promise<void> {
    const pin = this.#pin === undefined ? {} : { id: this.#pin }
    const soon = AbortSignal.any([signal, AbortSignal.timeout(this.#lookEvery)])
    this.#unpublished = await this.#intake.next(BATCH, soon, { group: GROUP, ...pin })
    const last = this.#unpublished.at(-1)
    this.#pin = last?.msg.headers?.get('Nats-Pin-Id')
    this.#hasConsumer = last !== undefined
  }

  /** Acknowledges once all are stored. */
  async #publish(): Promise<void> {
    const held = this.#unpublished
    if (!isGapless(held, this.#published)) return this.#publishMissing(held)
    await publishEvents(this.#js, held, this.#options)
    this.#acknowledge(held)
    this.#published += held.length
    this.#unpublished = []
  }

  /** Publishes from the log what was delivered, to this process or another, and not acknowledged. */
  async #publishMissing(held: readonly Delivery[]): Promise<void> {
    const info = await this.#info().catch(ignoreMissing)
    this.#hasConsumer = info !== undefined
    if (info === undefined) {
      this.#unpublished = []
      return
    }
    const { consumer_seq: published, stream_seq: through } = info.delivered
    await publishLog({ js: this.#js, names: this.#names }, { from: firstMissing(info), through }, this.#options)
    this.#acknowledge(held.filter(({ consumerSeq, seq }) => consumerSeq <= published && seq <= through))
    this.#published = published
    // A replicated consumer reports its last deliveries a little late.
    const later = held.filter(({ consumerSeq }) => consumerSeq > published)
    this.#unpublished = isGapless(later, published) ? later : []
  }

  #acknowledge(published: readonly Delivery[]): void {
    const newest = published.toSorted((one, other) => one.seq - other.seq).at(-1)
    if (newest !== undefined) this.#js.connection.send(newest.reply, '+ACK')
  }
}

/** Until the first acknowledgement the floor of a replicated consumer is zero, wherever the consumer started. */
const firstMissing = ({ ack_floor, config: { opt_start_time: start } }: ConsumerInfo): Beginning =>
  ack_floor.consumer_seq === 0 && start !== undefined
    ? { since: instant(Date.parse(start)) }
    : { after: ack_floor.stream_seq }

/** Whether these are all deliveries after that one. */
const isGapless = (deliveries: readonly Delivery[], after: number): boolean =>
  deliveries.every(({ consumerSeq }, at) => consumerSeq === after + 1 + at)

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof JetStreamError) || error.code !== CONSUMER_NOT_FOUND) throw error
}
