/**
 * Publishes integration events, on subjects named like the events. Any number of processes share the work without a
 * leader: the broker pins the log's consumer to one of them at a time, and to another once that one stops pulling.
 * The broker drops an event that is published twice within two minutes.
 */
import { toIntegrationEvents } from '../../domain/message/integration-events.ts'
import { CHANNELS } from '../../domain/message/message.ts'
import { pause } from '../../lib/pause.ts'
import { type Millis, seconds } from '../../lib/time.ts'
import { Intake } from './intake.ts'
import type { JetStream } from './jetstream.ts'
import type { Delivery } from './pulls.ts'
import { ensureStream, nanos } from './streams.ts'
import type { Names } from './subjects.ts'
import { decodeStored, toRecorded } from './wire.ts'

export type AnnouncerOptions = Readonly<{
  /** Prefix of every subject; for tests. */
  subjectPrefix?: string
  /** How long the broker keeps published events. */
  maxAge?: Millis
  onFault: (error: unknown) => void
}>
export type AnnouncerDeps = Readonly<{ js: JetStream; names: Names; replicas: number }>

const CONSUMER = 'announcer'
const GROUP = 'one'
const BATCH = 256
const FAULT_PAUSE_MS = 1_000
const RETRY_MS = 250
const ACK_WAIT = seconds(30)
/** The consumer is pinned to another process after this long without a pull. */
const SILENCE = seconds(15)
const MAX_AGE = seconds(7 * 24 * 60 * 60)
const DUPLICATE_WINDOW = seconds(120)

export async function openAnnouncer(deps: AnnouncerDeps, options: AnnouncerOptions): Promise<AsyncDisposable> {
  const { subjectPrefix = '', maxAge = MAX_AGE } = options
  await ensureStream(deps.js, {
    name: deps.names.events,
    subjects: CHANNELS.flatMap((channel) =>
      ['events', 'outbound'].map((kind) => `${subjectPrefix}${channel}.${kind}.>`),
    ),
    num_replicas: deps.replicas,
    storage: 'file',
    max_age: nanos(maxAge),
    duplicate_window: nanos(Math.min(DUPLICATE_WINDOW, maxAge)),
  })
  return new Announcer(deps, options)
}

class Announcer implements AsyncDisposable {
  readonly #js: JetStream
  readonly #names: Names
  readonly #options: AnnouncerOptions
  readonly #intake: Intake
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  /** The id by which the broker knows the pinned process. */
  #pin: string | undefined
  #hasConsumer = false
  /** Deliveries whose events are not published yet; they go before anything newer. */
  #unpublished: readonly Delivery[] = []

  constructor({ js, names }: AnnouncerDeps, options: AnnouncerOptions) {
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
        if (!this.#hasConsumer) await this.#createConsumer()
        if (this.#unpublished.length === 0) await this.#fetch(signal)
        if (this.#unpublished.length === 0) await pause(RETRY_MS, signal)
        else await this.#publish()
      } catch (error) {
        this.#options.onFault(error)
        await pause(FAULT_PAUSE_MS, signal)
      }
    }
  }

  async #createConsumer(): Promise<void> {
    const config = {
      name: CONSUMER,
      durable_name: CONSUMER,
      ack_policy: 'all',
      ack_wait: nanos(ACK_WAIT),
      max_ack_pending: BATCH,
      priority_groups: [GROUP],
      priority_policy: 'pinned_client',
      priority_timeout: nanos(SILENCE),
    }
    const { log } = this.#names
    await this.#js.api(`CONSUMER.CREATE.${log}.${CONSUMER}`, { stream_name: log, config })
    this.#hasConsumer = true
  }

  /** Gets nothing while another process is pinned. */
  async #fetch(signal: AbortSignal): Promise<void> {
    const pin = this.#pin === undefined ? {} : { id: this.#pin }
    this.#unpublished = await this.#intake.next(BATCH, signal, { group: GROUP, ...pin })
    const last = this.#unpublished.at(-1)
    this.#pin = last?.msg.headers?.get('Nats-Pin-Id')
    this.#hasConsumer = last !== undefined
  }

  /** Publishes concurrently, in order, and acknowledges once all are stored. */
  async #publish(): Promise<void> {
    const { subjectPrefix = '' } = this.#options
    const published = this.#unpublished.flatMap((delivery) => {
      const { event } = toRecorded(decodeStored(delivery))
      return toIntegrationEvents(event).map(({ name, data }) =>
        this.#js.publish(`${subjectPrefix}${name}`, JSON.stringify(data), { 'Nats-Msg-Id': `${event.id}.${name}` }),
      )
    })
    await Promise.all(published)
    const last = this.#unpublished.at(-1)
    if (last !== undefined) this.#js.connection.send(last.reply, '+ACK')
    this.#unpublished = []
  }
}
