/**
 * What this process has in hand: jobs handed out to it and not yet given up. The broker takes a job
 * for abandoned after a while, so as long as we live it is told again and again that we do.
 *
 * A job's leaseToken is ours alone: it ends with the process, as what it stands for does.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { Millis } from '../../lib/time.ts'
import type { Gate, Job, Taken } from '../../ports/queue.ts'
import type { Connection } from './connection.ts'
import type { Delivery } from './pulls.ts'
import { nanos } from './streams.ts'
import { parseGate, parseJob } from './subjects.ts'

/** A job handed to this process, where it lies in its stream, when it came, and the gate where it was parked before. */
export type Held = Readonly<{ leaseToken: number; job: Job; seq: number; reply: string; since: number; gate?: Gate }>

/** How often the broker is told within the time after which it would give us up. */
const BEATS = 3
/** Nothing takes this long: whoever has held a job for longer will not finish it. */
const HELD_AT_MOST_MS = 10 * 60_000

export class InFlight implements Disposable {
  readonly #connection: Connection
  readonly #held = new Map<number, Held>()
  readonly #messages = new Map<MessageId, number>()
  readonly #heart: NodeJS.Timeout
  #tokens = 0

  constructor(connection: Connection, ackWait: Millis) {
    this.#connection = connection
    this.#heart = setInterval(() => this.#beat(), ackWait / BEATS).unref()
  }

  holds(id: MessageId): boolean {
    return this.#messages.has(id)
  }

  hold({ subject, seq, reply, data }: Delivery): Held {
    this.#tokens += 1
    const gate = data.length === 0 ? {} : { gate: parseGate(Buffer.from(data).toString()) }
    const held = { leaseToken: this.#tokens, job: parseJob(subject), seq, reply, since: performance.now(), ...gate }
    this.#held.set(held.leaseToken, held)
    this.#messages.set(held.job.messageId, held.leaseToken)
    return held
  }

  /** Undefined when it has been given up already. */
  find({ leaseToken }: Pick<Taken, 'leaseToken'>): Held | undefined {
    return this.#held.get(leaseToken)
  }

  /** Nothing is said of it any more: the broker will take it for abandoned, unless it knows better. */
  letGo({ leaseToken }: Pick<Taken, 'leaseToken'>): void {
    const held = this.#held.get(leaseToken)
    this.#held.delete(leaseToken)
    if (held !== undefined && this.#messages.get(held.job.messageId) === leaseToken)
      this.#messages.delete(held.job.messageId)
  }

  /** The job is done, and goes. */
  finish({ leaseToken }: Pick<Taken, 'leaseToken'>): void {
    this.#giveUp(leaseToken, '+ACK')
  }

  /** The job goes back into its line, at once or a little later. */
  putBack({ leaseToken }: Pick<Taken, 'leaseToken'>, delay: number): void {
    this.#giveUp(leaseToken, delay > 0 ? `-NAK ${JSON.stringify({ delay: nanos(delay) })}` : '-NAK')
  }

  /** Whatever is left in hand goes back. */
  [Symbol.dispose](): void {
    clearInterval(this.#heart)
    if (this.#connection.isUp) for (const held of [...this.#held.values()]) this.putBack(held, 0)
  }

  /** Let go of in any case: a word that does not get through must not keep the job from everybody. */
  #giveUp(leaseToken: number, word: string): void {
    const held = this.#held.get(leaseToken)
    if (held === undefined) return
    this.letGo(held)
    this.#connection.tell(held.reply, word)
  }

  #beat(): void {
    if (!this.#connection.isUp) return
    const oldest = performance.now() - HELD_AT_MOST_MS
    for (const { reply, since } of this.#held.values()) if (since > oldest) this.#connection.tell(reply, '+WPI')
  }
}
