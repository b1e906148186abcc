/** A stream from one place on, as a consumer of one's own hands it out: in order, without gaps, or not at all. */
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
  /** Without what the messages hold. */
  headersOnly?: boolean
}>

/** A consumer whose reader is gone goes too. */
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
  #turn = 0
  #isBroken = false
  #pending: number

  constructor(js: JetStream, stream: string, name: string, pending: number) {
    this.#js = js
    this.#path = `${stream}.${name}`
    this.#intake = new Intake(js.connection, stream, name)
    this.#pending = pending
  }

  /** How many messages there were to come, when it was opened or handed out the last one. */
  get pending(): number {
    return this.#pending
  }

  /** The next messages, at least one of them; none when the source has broken off or the signal has ended. */
  async next(limit: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    if (this.#isBroken) return []
    const page: Delivery[] = []
    for (const delivery of await this.#intake.next(limit, signal)) {
      // A missing turn means that something was lost on the way.
      this.#isBroken ||= delivery.turn !== this.#turn + 1
      if (this.#isBroken) break
      this.#turn = delivery.turn
      this.#pending = delivery.pending
      page.push(delivery)
    }
    return page
  }

  /** What it leaves on the broker goes by itself, if nobody can be told. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#intake[Symbol.asyncDispose]()
    await this.#js.api(`CONSUMER.DELETE.${this.#path}`).catch(() => undefined)
  }
}
