/** The log from one place on, as a consumer of one's own hands it out: in order, without gaps, or not at all. */
import { randomBytes } from 'node:crypto'
import { Intake } from './intake.ts'
import type { JetStream } from './jetstream.ts'
import { nanos } from './streams.ts'
import { decodeKept, type KeptEvent } from './wire.ts'

/** A consumer whose follower is gone goes too. */
const ABANDONED_MS = 60_000

export async function openLogSource(js: JetStream, stream: string, from: number): Promise<LogSource> {
  const name = `follower_${randomBytes(8).toString('hex')}`
  const config = {
    name,
    ack_policy: 'none',
    deliver_policy: 'by_start_sequence',
    opt_start_seq: from,
    inactive_threshold: nanos(ABANDONED_MS),
    mem_storage: true,
    num_replicas: 1,
  }
  await js.api(`CONSUMER.CREATE.${stream}.${name}`, { stream_name: stream, config })
  return new LogSource(js, stream, name)
}

export class LogSource implements AsyncDisposable {
  readonly #js: JetStream
  readonly #path: string
  readonly #intake: Intake
  #turn = 0
  #isBroken = false

  constructor(js: JetStream, stream: string, name: string) {
    this.#js = js
    this.#path = `${stream}.${name}`
    this.#intake = new Intake(js.connection, stream, name)
  }

  /** The next events, at least one of them; none when the source has broken off or the signal has ended. */
  async next(limit: number, signal: AbortSignal): Promise<readonly KeptEvent[]> {
    if (this.#isBroken) return []
    const events: KeptEvent[] = []
    for (const delivery of await this.#intake.next(limit, signal)) {
      // A missing turn means that something was lost on the way.
      this.#isBroken ||= delivery.turn !== this.#turn + 1
      if (this.#isBroken) break
      this.#turn = delivery.turn
      events.push(decodeKept(delivery))
    }
    return events
  }

  /** What it leaves on the broker goes by itself, if nobody can be told. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#intake[Symbol.asyncDispose]()
    await this.#js.api(`CONSUMER.DELETE.${this.#path}`).catch(() => undefined)
  }
}
