/** The job queue of the embedded profile. */
import type { MessageId } from '../../domain/ids.ts'
import type { Gate, Queue, Taken } from '../../ports/queue.ts'
import type { Driver } from './driver.ts'
import type { LoadedRow } from './event-tables.ts'
import type { TakenRow } from './job-table.ts'
import type { StoreMethods } from './store.ts'

/** Messages that came along with their jobs, until they are loaded. */
export type Prefetched = Map<MessageId, LoadedRow>

export function sqliteQueue(driver: Driver<StoreMethods>, prefetched: Prefetched): Queue {
  return {
    async take(max, signal) {
      while (!signal.aborted) {
        const since = driver.signals()
        const rows = await driver.call('take', max)
        for (const {
          loaded,
          taken: [id],
        } of rows)
          if (loaded !== undefined) prefetched.set(id, loaded)
        if (rows.length > 0) return rows.map(({ taken }) => toTaken(taken))
        await driver.changed('readied', since, signal)
      }
      return []
    },

    done: ({ job, leaseToken }) => driver.call('done', job.messageId, leaseToken),
    release: ({ job, leaseToken }, dueAt) =>
      driver.call('release', job.messageId, leaseToken, job.lane, job.tenantId, dueAt, null),
    park: ({ job, leaseToken }, gate, until) =>
      driver.call('release', job.messageId, leaseToken, job.lane, job.tenantId, until, gate.join(' ')),
    unpark: (which, max) => driver.call('unpark', which, max),
    put: ({ messageId, lane, tenantId, dueAt }) => driver.call('put', messageId, lane, tenantId, dueAt ?? null),
    depth: () => driver.call('depth'),
  }
}

const toTaken = ([messageId, tenantId, lane, leaseToken, gate]: TakenRow): Taken => ({
  job: { messageId, tenantId, lane },
  leaseToken,
  ...(gate === null ? {} : { gate: gate.split(' ') as readonly string[] as Gate }),
})
