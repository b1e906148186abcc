/**
 * Jobs delivered to this process and not yet acknowledged. The broker redelivers a job after `ackWait`, so a
 * heartbeat extends the deadline of every job in flight for as long as this process lives.
 *
 * Lease tokens are valid only within this process.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { Millis } from '../../lib/time.ts'
import type { Gate, Job, Taken } from '../../ports/queue.ts'
import type { Connection } from './connection.ts'
import type { Delivery } from './pulls.ts'
import { nanos } from './streams.ts'
import { parseGate, parseJob } from './subjects.ts'
import { type CarriedMessage, decodeCarried } from './wire.ts'

/**
 * A job delivered to this process: its sequence in the stream, when it was received, the gate it was parked at, and the
 * message if it came with it.
 */
export type LeasedJob = Readonly<{
  leaseToken: number
  job: Job
  seq: number
  reply: string
  since: number
  gate?: Gate
  carried?: CarriedMessage
}>

/** Heartbeats within one `ackWait`. */
const HEARTBEATS = 3
/** No job takes this long: after it the broker redelivers the job. */
const HELD_AT_MOST_MS = 10 * 60_000

export class InFlight implements Disposable {
  readonly #connection: Connection
  readonly #jobs = new Map<number, LeasedJob>()
  readonly #messages = new Map<MessageId, number>()
  readonly #heartbeat: NodeJS.Timeout
  #tokens = 0

  constructor(connection: Connection, ackWait: Millis) {
    this.#connection = connection
    this.#heartbeat = setInterval(() => this.#beat(), ackWait / HEARTBEATS).unref()
  }

  has(id: MessageId): boolean {
    return this.#messages.has(id)
  }

  add(delivery: Delivery): LeasedJob {
    this.#tokens += 1
    const { subject, seq, reply } = delivery
    const more = readPayload(delivery)
    const leased = { leaseToken: this.#tokens, job: parseJob(subject), seq, reply, since: performance.now(), ...more }
    this.#jobs.set(leased.leaseToken, leased)
    this.#messages.set(leased.job.messageId, leased.leaseToken)
    return leased
  }

  /** Undefined when it is no longer in flight. */
  find({ leaseToken }: Pick<Taken, 'leaseToken'>): LeasedJob | undefined {
    return this.#jobs.get(leaseToken)
  }

  /** Forgets the job without an acknowledgement: the broker redelivers it, unless it was acknowledged before. */
  forget({ leaseToken }: Pick<Taken, 'leaseToken'>): void {
    const leased = this.#jobs.get(leaseToken)
    this.#jobs.delete(leaseToken)
    if (leased !== undefined && this.#messages.get(leased.job.messageId) === leaseToken)
      this.#messages.delete(leased.job.messageId)
  }

  ack({ leaseToken }: Pick<Taken, 'leaseToken'>): void {
    this.#acknowledge(leaseToken, '+ACK')
  }

  /** Returns the job to its queue, at once or after `delay`. */
  nak({ leaseToken }: Pick<Taken, 'leaseToken'>, delay: number): void {
    this.#acknowledge(leaseToken, delay > 0 ? `-NAK ${JSON.stringify({ delay: nanos(delay) })}` : '-NAK')
  }

  /** Returns all jobs still in flight. */
  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat)
    if (this.#connection.isUp) for (const leased of [...this.#jobs.values()]) this.nak(leased, 0)
  }

  /** Forgets the job first: if the acknowledgement cannot be sent, the broker must be free to redeliver it. */
  #acknowledge(leaseToken: number, word: string): void {
    const leased = this.#jobs.get(leaseToken)
    if (leased === undefined) return
    this.forget(leased)
    this.#connection.send(leased.reply, word)
  }

  #beat(): void {
    if (!this.#connection.isUp) return
    const oldest = performance.now() - HELD_AT_MOST_MS
    for (const { reply, since } of this.#jobs.values()) if (since > oldest) this.#connection.send(reply, '+WPI')
  }
}

/** A job that is delivered again says nothing about its message: something may have happened to it since. */
function readPayload({ data, deliveries }: Delivery): Pick<LeasedJob, 'gate' | 'carried'> {
  if (data.length === 0) return {}
  const carried = decodeCarried(data)
  if (carried !== undefined) return deliveries === 1 ? { carried } : {}
  return { gate: parseGate(Buffer.from(data).toString()) }
}
