/**
 * How jobs get into the queue. A message has one job, ready on one subject or scheduled on another (a
 * parked one under its gate, see parking.ts); of each the broker keeps only the newest. A schedule goes off by the broker's clock, up to a
 * quarter of a second late and never early, and is as safe as any message.
 */

import type { Clock } from '../../lib/clock.ts'
import { type Instant, later, type Millis, millis, seconds, toIso } from '../../lib/time.ts'
import type { Gate, Job } from '../../ports/queue.ts'
import type { Ahead } from '../../ports/world.ts'
import type { Headers } from './connection.ts'
import type { Held } from './in-flight.ts'
import { ifLast, type JetStream, JetStreamError } from './jetstream.ts'
import { consumerOf, type Names } from './subjects.ts'
import type { LineRegistry } from './tenant-queue-registry.ts'

/** `ahead` is how far `clock` is ahead of the wall clock, by which the broker goes. */
export type JobsDeps = Readonly<{ js: JetStream; names: Names; lines: LineRegistry; clock: Clock; ahead?: Ahead }>

/** For less than this it is not worth writing a schedule: the job waits at the broker as if it were in hand. */
export const SHORT: Millis = seconds(1)
const NO_CONSUMER = 10014

export class Jobs {
  readonly #js: JetStream
  readonly #names: Names
  readonly #lines: LineRegistry
  readonly #clock: Clock
  readonly #ahead: Ahead

  constructor({ js, names, lines, clock, ahead = () => millis(0) }: JobsDeps) {
    this.#js = js
    this.#names = names
    this.#lines = lines
    this.#clock = clock
    this.#ahead = ahead
  }

  /** Unless the message has a job already. */
  async put(job: Job): Promise<void> {
    await this.#write(job, ifLast(0, this.#names.anyJob(job)))
    this.#lines.tell(job)
  }

  /**
   * The same, for a message that stands still: the job it has may be one that nobody will ever get. Says whether
   * it has queued one.
   */
  async repair(job: Job): Promise<boolean> {
    const seq = (await this.#write(job, ifLast(0, this.#names.anyJob(job)))) ?? (await this.#revive(job))
    this.#lines.tell(job, 'again')
    return seq !== undefined
  }

  /** In place of any job the message has. `alsoReady` says that one may stand in line, and not only in hand. */
  async replace(job: Job, { alsoReady }: Readonly<{ alsoReady: boolean }>): Promise<void> {
    const isDelayed = this.#isDelayed(job)
    const seq = await this.#write(job, isDelayed ? {} : cancelling(this.#names.schedule(job)))
    this.#lines.tell(job)
    if (!alsoReady || seq === undefined) return
    if (isDelayed) await this.#withdraw(job, this.#names.job(job), seq)
    await this.#withdraw(job, this.#names.parked(job, '*'), seq)
  }

  /** Schedules anew a job that is in hand, unless a newer one has taken its place. With a gate it is parked there. */
  async postpone({ job, seq }: Held, dueAt: Instant, gate?: Gate): Promise<void> {
    await this.#write({ ...job, dueAt }, ifLast(seq, this.#names.anyJob(job)), gate)
  }

  /** Makes a parked job ready, unless a newer one has taken its place; false if so. */
  async unpark(job: Job, gate: Gate, seq: number): Promise<boolean> {
    const { anyJob, parked, job: ready } = this.#names
    const headers = { ...ifLast(seq, anyJob(job)), ...cancelling(parked(job, gate)) }
    const written = await this.#js.publish(ready(job), gate.join('+'), headers)
    if (written === undefined) return false
    // A schedule that stays would be found and turned into a job again.
    if (!canCancel(this.#js.connection.version)) await this.#js.erase(this.#names.jobsOf(job.tenantId), seq)
    this.#lines.tell(job)
    return true
  }

  untilDue(dueAt: Instant): Millis {
    return millis(dueAt - this.#clock())
  }

  /**
   * Takes a job out of its line, if it is older than that. Never by purging its subject: that makes the
   * broker forget other jobs that are in hand, so that they come back to nobody.
   */
  async #withdraw(job: Job, subject: string, before: number): Promise<void> {
    const stream = this.#names.jobsOf(job.tenantId)
    const found = await this.#js.get(stream, { last_by_subj: subject })
    if (found !== undefined && found.seq < before) await this.#js.erase(stream, found.seq)
  }

  /** A broker that was killed may come back with a job in its stream that the job's line takes for done. */
  async #revive(job: Job): Promise<number | undefined> {
    const stream = this.#names.jobsOf(job.tenantId)
    const standing = await this.#js.get(stream, { last_by_subj: this.#names.job(job) })
    if (standing === undefined || standing.seq > (await this.#doneThrough(stream, consumerOf(job)))) return undefined
    return this.#write(job, ifLast(standing.seq, this.#names.anyJob(job)))
  }

  /** Up to here a line takes all for done; nowhere, if nobody has looked at it yet. */
  async #doneThrough(stream: string, consumer: string): Promise<number> {
    type Info = { ack_floor: { stream_seq: number } }
    try {
      return (await this.#js.api<Info>(`CONSUMER.INFO.${stream}.${consumer}`)).ack_floor.stream_seq
    } catch (error) {
      if (error instanceof JetStreamError && error.code === NO_CONSUMER) return 0
      throw error
    }
  }

  #isDelayed({ dueAt }: Job): boolean {
    return dueAt !== undefined && this.untilDue(dueAt) > 0
  }

  async #write(job: Job, headers: Headers, gate?: Gate): Promise<number | undefined> {
    const ready = this.#names.job(job)
    if (job.dueAt === undefined || !this.#isDelayed(job)) return this.#js.publish(ready, '', headers)
    const at = later(job.dueAt, millis(-this.#ahead()))
    const schedule = { 'Nats-Schedule': `@at ${toIso(at)}`, 'Nats-Schedule-Target': ready }
    const subject = gate === undefined ? this.#names.schedule(job) : this.#names.parked(job, gate)
    // What a schedule says is what the job says that it becomes.
    return this.#js.publish(subject, gate?.join('+') ?? '', { ...headers, ...schedule })
  }
}

const canCancel = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 2 || (major === 2 && minor >= 14)
}

/** Brokers older than 2.14 do not know this: then the schedule goes off, and whoever takes it finds nothing to do. */
const cancelling = (schedule: string): Headers => ({ 'Nats-Scheduler': schedule, 'Nats-Schedule-Next': 'purge' })
