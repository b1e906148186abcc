/**
 * Writes jobs into the queue. A message has one job: ready on one subject, scheduled on another, or parked under its
 * gate (see parking.ts); the broker keeps only the newest of each. The broker fires a schedule by its own clock, up
 * to a quarter of a second late and never early, and stores it as durably as any message.
 */

import type { Clock } from '../../lib/clock.ts'
import { type Instant, later, type Millis, millis, seconds, toIso } from '../../lib/time.ts'
import type { Gate, Job } from '../../ports/queue.ts'
import type { Ahead } from '../../ports/world.ts'
import type { Headers } from './connection.ts'
import type { LeasedJob } from './in-flight.ts'
import { ifLast, type JetStream, JetStreamError } from './jetstream.ts'
import { consumerOf, type Names } from './subjects.ts'
import type { TenantQueueRegistry } from './tenant-queue-registry.ts'

/** `ahead` is how far `clock` is ahead of the wall clock, which the broker's schedules use. */
export type JobsDeps = Readonly<{
  js: JetStream
  names: Names
  registry: TenantQueueRegistry
  clock: Clock
  ahead?: Ahead
}>

/** A shorter delay is not worth a schedule: the job is returned to the broker with a delay instead. */
export const SHORT: Millis = seconds(1)
const NO_CONSUMER = 10014

export class Jobs {
  readonly #js: JetStream
  readonly #names: Names
  readonly #registry: TenantQueueRegistry
  readonly #clock: Clock
  readonly #ahead: Ahead

  constructor({ js, names, registry, clock, ahead = () => millis(0) }: JobsDeps) {
    this.#js = js
    this.#names = names
    this.#registry = registry
    this.#clock = clock
    this.#ahead = ahead
  }

  /** Queues the first job of a message. There is no other job yet, so the broker need not look for one. */
  async begin(job: Job): Promise<void> {
    if (this.isDelayed(job)) return this.put(job)
    await this.#js.publish(this.#names.job(job), '')
    this.#registry.announce(job)
  }

  /** Queues the job unless the message has one. */
  async put(job: Job): Promise<void> {
    await this.#write(job, ifLast(0, this.#names.anyJob(job)))
    this.#registry.announce(job)
  }

  /**
   * Queues the job of a stuck message, also when the job it has would never be delivered. Returns whether it queued
   * one.
   */
  async repair(job: Job): Promise<boolean> {
    const seq = (await this.#write(job, ifLast(0, this.#names.anyJob(job)))) ?? (await this.#requeueAcknowledged(job))
    this.#registry.announce(job, 'again')
    return seq !== undefined
  }

  /** Replaces any job of the message. `alsoReady` means that one may be in the queue, not only in flight. */
  async replace(job: Job, { alsoReady }: Readonly<{ alsoReady: boolean }>): Promise<void> {
    const isDelayed = this.isDelayed(job)
    const seq = await this.#write(job, isDelayed ? {} : cancelling(this.#names.schedule(job)))
    this.#registry.announce(job)
    if (!alsoReady || seq === undefined) return
    if (isDelayed) await this.#remove(job, this.#names.job(job), seq)
    await this.#remove(job, this.#names.parked(job, '*'), seq)
  }

  /** Reschedules a job in flight unless a newer job has replaced it. With a gate it is parked there. */
  async postpone({ job, seq }: LeasedJob, dueAt: Instant, gate?: Gate): Promise<void> {
    await this.#write({ ...job, dueAt }, ifLast(seq, this.#names.anyJob(job)), gate)
  }

  /** Makes a parked job ready; false when a newer job has replaced it. */
  async unpark(job: Job, gate: Gate, seq: number): Promise<boolean> {
    const { anyJob, parked, job: ready } = this.#names
    const headers = { ...ifLast(seq, anyJob(job)), ...cancelling(parked(job, gate)) }
    const written = await this.#js.publish(ready(job), gate.join('+'), headers)
    if (written === undefined) return false
    // A schedule that stayed would be found and unparked again.
    if (!canCancel(this.#js.connection.version)) await this.#js.erase(this.#names.jobsOf(job.tenantId), seq)
    this.#registry.announce(job)
    return true
  }

  untilDue(dueAt: Instant): Millis {
    return millis(dueAt - this.#clock())
  }

  /**
   * Removes a job older than `before`. It never purges the subject: that makes the broker forget other jobs in flight,
   * which would then never be redelivered.
   */
  async #remove(job: Job, subject: string, before: number): Promise<void> {
    const stream = this.#names.jobsOf(job.tenantId)
    const found = await this.#js.get(stream, { last_by_subj: subject })
    if (found !== undefined && found.seq < before) await this.#js.erase(stream, found.seq)
  }

  /** A broker that was killed may restart with a job in its stream that the queue's consumer counts as acknowledged. */
  async #requeueAcknowledged(job: Job): Promise<number | undefined> {
    const stream = this.#names.jobsOf(job.tenantId)
    const stored = await this.#js.get(stream, { last_by_subj: this.#names.job(job) })
    if (stored === undefined || stored.seq > (await this.#acknowledgedThrough(stream, consumerOf(job))))
      return undefined
    return this.#write(job, ifLast(stored.seq, this.#names.anyJob(job)))
  }

  /** The consumer counts everything up to here as acknowledged; zero if it does not exist. */
  async #acknowledgedThrough(stream: string, consumer: string): Promise<number> {
    type Info = { ack_floor: { stream_seq: number } }
    try {
      return (await this.#js.api<Info>(`CONSUMER.INFO.${stream}.${consumer}`)).ack_floor.stream_seq
    } catch (error) {
      if (error instanceof JetStreamError && error.code === NO_CONSUMER) return 0
      throw error
    }
  }

  isDelayed({ dueAt }: Job): boolean {
    return dueAt !== undefined && this.untilDue(dueAt) > 0
  }

  async #write(job: Job, headers: Headers, gate?: Gate): Promise<number | undefined> {
    const ready = this.#names.job(job)
    if (job.dueAt === undefined || !this.isDelayed(job)) return this.#js.publish(ready, '', headers)
    const at = later(job.dueAt, millis(-this.#ahead()))
    const schedule = { 'Nats-Schedule': `@at ${toIso(at)}`, 'Nats-Schedule-Target': ready }
    const subject = gate === undefined ? this.#names.schedule(job) : this.#names.parked(job, gate)
    // The broker copies the payload of a schedule to the job it publishes.
    return this.#js.publish(subject, gate?.join('+') ?? '', { ...headers, ...schedule })
  }
}

const canCancel = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 2 || (major === 2 && minor >= 14)
}

/** Brokers older than 2.14 ignore this: the schedule then fires, and the worker that takes the job finds nothing to do. */
const cancelling = (schedule: string): Headers => ({ 'Nats-Scheduler': schedule, 'Nats-Schedule-Next': 'purge' })
