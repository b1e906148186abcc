/**
 * The job queue of the embedded profile, in memory. Jobs are derived from the messages in the journal, so they need not
 * be stored.
 */
import type { TenantId } from '../../../domain/ids.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Job, Queue, Taken } from '../../../ports/queue.ts'
import { JobSlots } from './job-slots.ts'
import { WaitingTakes } from './waiting-takes.ts'

export type JobQueue = Queue &
  Disposable &
  Readonly<{
    /** Queues a job in place of any the message has. */
    replace(job: Job): void
    /** Finishes the job. Does nothing when a newer job of the message has replaced it. */
    finish(taken: Taken): void
    /** The number of jobs of a tenant, in whatever state. */
    countOf(tenantId: TenantId): number
  }>

/** Disposing stops the timer. A call of `take` that still waits is ended by its signal. */
export function openJobQueue({ clock }: Readonly<{ clock: Clock }>): JobQueue {
  const slots = new JobSlots(clock)
  const takes = new WaitingTakes(slots, clock)

  return {
    replace(job) {
      slots.replace(job)
      takes.changed()
    },

    finish: (taken) => slots.finish(taken),
    countOf: (tenantId) => slots.countOf(tenantId),

    async take(max, signal) {
      if (signal.aborted) return []
      const now = clock()
      slots.promote(now)
      const taken = slots.take(max, now)
      if (taken.length === 0) return takes.wait(max, signal)
      takes.plan(now)
      return taken
    },

    async done(taken) {
      slots.finish(taken)
    },

    async release(taken, dueAt) {
      slots.release(taken, dueAt)
      takes.changed()
    },

    async park(taken, gate, until) {
      slots.release(taken, until, gate)
      takes.changed()
    },

    async unpark(which, max) {
      const count = slots.unpark(which, max)
      takes.changed()
      return count
    },

    async put(job) {
      const isNew = slots.put(job)
      takes.changed()
      return isNew
    },

    async depth(tenantId) {
      const now = clock()
      slots.promote(now)
      takes.plan(now)
      return slots.depth(tenantId)
    },

    [Symbol.dispose]: () => takes[Symbol.dispose](),
  }
}
