/**
 * Jobs in flight in this process: delivered by the broker and not yet acknowledged, or handed over by another process.
 * The broker redelivers a job after `ackWait`, so a heartbeat extends the deadline for as long as this process lives.
 *
 * Lease tokens are valid only within this process.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { Millis } from '../../lib/time.ts'
import type { Loaded } from '../../ports/event-log.ts'
import type { Gate, Job, Taken } from '../../ports/queue.ts'
import type { Connection } from './connection.ts'
import type { HandedOver } from './handover.ts'
import type { Delivery } from './pulls.ts'
import { nanos } from './streams.ts'
import { parseGate, parseJob } from './subjects.ts'

/**
 * A job in flight here: its sequence in the stream and where to acknowledge it, when it was received, and the gate it was
 * parked at. One that was handed over is in no stream and came with its message.
 */
export type LeasedJob = Readonly<{
  leaseToken: number
  job: Job
  seq: number
  reply: string
  since: number
  gate?: Gate
  loaded?: Loaded
}>

export const isStored = ({ seq }: LeasedJob): boolean => seq > 0

const ACK = '+ACK'
/** Heartbeats within one `ackWait`. */
const HEARTBEATS = 3
/** No job takes this long: after it the broker redelivers the job. */
const HELD_AT_MOST_MS = 10 * 60_000

export class InFlight implements Disposable {
  readonly #connection: Connection
  readonly #jobs = new Map<number, LeasedJob>()
  readonly #messages = new Map<MessageId, number>()
  readonly #heartbeat: NodeJS.Timeout
  readonly #requeue: (job: Job) => void
  #tokens = 0

  /** `requeue` queues a job that was handed over and is returned. */
  constructor(connection: Connection, ackWait: Millis, requeue: (job: Job) => void) {
    this.#connection = connection
    this.#requeue = requeue
    this.#heartbeat = setInterval(() => this.#beat(), ackWait / HEARTBEATS).unref()
  }

  has(id: MessageId): boolean {
    return this.#messages.has(id)
  }

  add({ subject, seq, reply, data }: Delivery): LeasedJob {
    const gate = data.length === 0 ? {} : { gate: parseGate(Buffer.from(data).toString()) }
    return this.#hold({ job: parseJob(subject), seq, reply, ...gate })
  }

  adopt({ job, loaded }: HandedOver): LeasedJob {
    return this.#hold({ job, seq: 0, reply: '', loaded })
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
    this.#acknowledge(leaseToken, ACK)
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

  #hold(held: Omit<LeasedJob, 'leaseToken' | 'since'>): LeasedJob {
    this.#tokens += 1
    const leased = { ...held, leaseToken: this.#tokens, since: performance.now() }
    this.#jobs.set(leased.leaseToken, leased)
    this.#messages.set(leased.job.messageId, leased.leaseToken)
    return leased
  }

  /** Forgets the job first: if the acknowledgement cannot be sent, the broker must be free to redeliver it. */
  #acknowledge(leaseToken: number, word: string): void {
    const leased = this.#jobs.get(leaseToken)
    if (leased === undefined) return
    this.forget(leased)
    if (isStored(leased)) this.#connection.send(leased.reply, word)
    else if (word !== ACK) this.#requeue(leased.job)
  }

  #beat(): void {
    if (!this.#connection.isUp) return
    const oldest = performance.now() - HELD_AT_MOST_MS
    for (const leased of this.#jobs.values()) {
      if (isStored(leased) && leased.since > oldest) this.#connection.send(leased.reply, '+WPI')
    }
  }
}
