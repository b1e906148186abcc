/** The queue in memory, for tests: job slots, and workers waiting for one to be ready. */
import { LANES } from '../../src/domain/message/message.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { signal } from '../../src/lib/signal.ts'
import type { Millis } from '../../src/lib/time.ts'
import type { Job, Queue, Taken } from '../../src/ports/queue.ts'
import { jobSlots } from './job-slots.ts'

export type MemoryQueue = Queue &
  Readonly<{
    /** Queues a job in place of any the message has. */
    replace(job: Job): void
    /** Removes the job, unless a newer one has replaced it. */
    finish(taken: Taken): void
  }>

export function memoryQueue({ clock, lease }: Readonly<{ clock: Clock; lease: Millis }>): MemoryQueue {
  const slots = jobSlots(lease)
  const changed = signal()

  function replace(job: Job): void {
    slots.add(job)
    changed.notify()
  }

  function finish(taken: Taken): void {
    if (slots.isCurrent(taken)) slots.remove(taken.job.messageId)
  }

  return {
    replace,
    finish,

    async take(max, signal) {
      while (!signal.aborted) {
        const now = clock()
        slots.wakeDue(now)
        const taken = upTo(max, () => slots.takeNext(now))
        if (taken.length > 0) return taken
        await changed.wait(signal, slots.untilDue(now))
      }
      return []
    },

    async done(taken) {
      finish(taken)
    },

    async release(taken, dueAt) {
      if (slots.isCurrent(taken)) replace({ ...taken.job, dueAt })
    },

    async park(taken, gate, until) {
      if (!slots.isCurrent(taken)) return
      slots.add({ ...taken.job, dueAt: until }, gate)
      changed.notify()
    },

    async unpark(which, max) {
      const count = slots.unpark(which, max)
      if (count > 0) changed.notify()
      return count
    },

    async put(job) {
      const isMissing = !slots.has(job.messageId)
      if (isMissing) replace(job)
      return isMissing
    },

    async depth(tenantId) {
      slots.wakeDue(clock())
      return LANES.map((lane) => slots.depth(lane, tenantId))
    },
  }
}

function upTo(max: number, next: () => Taken | undefined): Taken[] {
  const all: Taken[] = []
  while (all.length < max) {
    const one = next()
    if (one === undefined) break
    all.push(one)
  }
  return all
}
