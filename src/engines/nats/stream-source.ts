/** Reads a stream from a position through a consumer of its own: in order and without gaps, or it breaks off. */
import { randomBytes } from 'node:crypto'
import type { ConsumerConfig } from '@nats-io/jetstream'
import { type Instant, toIso } from '../../lib/time.ts'
import { Intake } from './intake.ts'
import type { JetStream } from './jetstream.ts'
import type { Delivery } from './pulls.ts'
import { nanos } from './streams.ts'

/** After a sequence, or from what was stored at an instant or later. */
export type Beginning = Readonly<{ after: number } | { since: Instant }>

export type SourceOptions = Readonly<{
  /** Leaves out the data of the messages. */
  headersOnly?: boolean
}>

/** The broker removes the consumer of a reader that is gone. */
const ABANDONED_MS = 60_000

export async function openSource(
  js: JetStream,
  stream: string,
  beginning: Beginning,
  { headersOnly = false }: SourceOptions = {},
): Promise<StreamSource> {
  const name = `follower_${randomBytes(8).toString('hex')}`
  const config = {
    name,
    ack_policy: 'none',
    ...toPolicy(beginning),
    headers_only: headersOnly,
    inactive_threshold: nanos(ABANDONED_MS),
    mem_storage: true,
    num_replicas: 1,
  }
  type Info = { num_pending: number }
  const { num_pending } = await js.api<Info>(`CONSUMER.CREATE.${stream}.${name}`, { stream_name: stream, config })
  return new StreamSource(js, stream, name, num_pending)
}

const toPolicy = (beginning: Beginning): Partial<ConsumerConfig> =>
  'after' in beginning
    ? { deliver_policy: 'by_start_sequence', opt_start_seq: beginning.after + 1 }
    : { deliver_policy: 'by_start_time', opt_start_time: toIso(beginning.since) }

export class StreamSource implements AsyncDisposable {
  readonly #js: JetStream
  readonly #path: string
  readonly #intake: Intake
  #consumerSeq = 0
  #isBroken = false
  #pending: number

  constructor(js: JetStream, stream: string, name: string, pending: number) {
    this.#js = js
    this.#path = `${stream}.${name}`
    this.#intake = new Intake(js.connection, stream, name)
    this.#pending = pending
  }

  /** How many messages were left when it was opened or delivered the last one. */
  get pending(): number {
    return this.#pending
  }

  /** The next messages, at least one; none when the source has broken off or the signal has aborted. */
  async next(limit: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    return this.#isBroken ? [] : this.#inOrder(await this.#intake.next(limit, signal))
  }

  /** The messages that are there, without waiting for any; undefined when the source has broken off. */
  async available(limit: number): Promise<readonly Delivery[] | undefined> {
    const arrived = this.#isBroken ? undefined : await this.#intake.available(limit)
    return arrived && this.#inOrder(arrived)
  }

  /** A gap in the consumer sequence means that a delivery was lost. */
  #inOrder(arrived: readonly Delivery[]): readonly Delivery[] {
    const page: Delivery[] = []
    for (const delivery of arrived) {
      this.#isBroken ||= delivery.consumerSeq !== this.#consumerSeq + 1
      if (this.#isBroken) break
      this.#consumerSeq = delivery.consumerSeq
      this.#pending = delivery.pending
      page.push(delivery)
    }
    return page
  }

  /** If the broker is unreachable, it removes the consumer by itself later. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#intake[Symbol.asyncDispose]()
    await this.#js.api(`CONSUMER.DELETE.${this.#path}`).catch(() => undefined)
  }
}
