/**
 * Tells the outside what happens, on subjects named like the events. Any number of processes share
 * the work without a leader: the broker hands the log to one of them at a time, in order, and to
 * another once that one is silent. What is told twice within two minutes is dropped by the broker.
 */
import { toIntegrationEvents } from '../../domain/message/integration-events.ts'
import { CHANNELS } from '../../domain/message/message.ts'
import { type Millis, seconds } from '../../lib/time.ts'
import { Intake } from './intake.ts'
import type { JetStream } from './jetstream.ts'
import { pauseUntil } from './pause.ts'
import type { Delivery } from './pulls.ts'
import { ensureStream, nanos } from './streams.ts'
import type { Names } from './subjects.ts'
import { decodeKept, toRecorded } from './wire.ts'

export type AnnouncerOptions = Readonly<{
  /** Stands before every subject; for tests. */
  subjectPrefix?: string
  /** After this long the broker forgets what was told. */
  maxAge?: Millis
  onFault: (error: unknown) => void
}>
export type AnnouncerDeps = Readonly<{ js: JetStream; names: Names; replicas: number }>

const CONSUMER = 'announcer'
const GROUP = 'one'
const BATCH = 256
const FAULT_PAUSE_MS = 1_000
const AGAIN_MS = 250
const ACK_WAIT = seconds(30)
/** After this long without a question of the one that has the log, another gets it. */
const SILENCE = seconds(15)
const MAX_AGE = seconds(7 * 24 * 60 * 60)
const TOLD_TWICE = seconds(120)

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
    duplicate_window: nanos(Math.min(TOLD_TWICE, maxAge)),
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
  /** By this name the broker knows the one that has the log. */
  #pin: string | undefined
  #isMade = false
  /** What was handed to us and is not told yet: it is told before anything newer. */
  #untold: readonly Delivery[] = []

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
        if (!this.#isMade) await this.#make()
        if (this.#untold.length === 0) await this.#fetch(signal)
        if (this.#untold.length === 0) await pauseUntil(signal, AGAIN_MS)
        else await this.#tell()
      } catch (error) {
        this.#options.onFault(error)
        await pauseUntil(signal, FAULT_PAUSE_MS)
      }
    }
  }

  async #make(): Promise<void> {
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
    this.#isMade = true
  }

  /** Nothing where another has the log, or has just got it. */
  async #fetch(signal: AbortSignal): Promise<void> {
    const pin = this.#pin === undefined ? {} : { id: this.#pin }
    this.#untold = await this.#intake.next(BATCH, signal, { group: GROUP, ...pin })
    const last = this.#untold.at(-1)
    this.#pin = last?.msg.headers?.get('Nats-Pin-Id')
    this.#isMade = last !== undefined
  }

  /** Written in order without waiting for one another; the log moves on once all are stored. */
  async #tell(): Promise<void> {
    const { subjectPrefix = '' } = this.#options
    const told = this.#untold.flatMap((delivery) => {
      const { event } = toRecorded(decodeKept(delivery))
      return toIntegrationEvents(event).map(({ name, data }) =>
        this.#js.publish(`${subjectPrefix}${name}`, JSON.stringify(data), { 'Nats-Msg-Id': `${event.id}.${name}` }),
      )
    })
    await Promise.all(told)
    const last = this.#untold.at(-1)
    if (last !== undefined) this.#js.connection.tell(last.reply, '+ACK')
    this.#untold = []
  }
}
