/** The queue of the embedded profile. */
import type { MessageId } from '../../domain/ids.ts'
import type { Queue, Taken } from '../../ports/queue.ts'
import type { Driver } from './driver.ts'
import type { TakenRow } from './job-table.ts'
import type { StoreMethods } from './store.ts'

export function sqliteQueue(driver: Driver<StoreMethods>): Queue {
  return {
    async take(max, signal) {
      while (!signal.aborted) {
        const since = driver.signals()
        const rows = await driver.call('take', max)
        if (rows.length > 0) return rows.map(toTaken)
        await driver.changed('readied', since, signal)
      }
      return []
    },

    done: ({ job, turn }) => driver.call('done', job.messageId, turn),
    release: ({ job, turn }, dueAt) => driver.call('release', job.messageId, turn, job.lane, job.tenantId, dueAt),
    put: ({ messageId, lane, tenantId, dueAt }) => driver.call('put', messageId, lane, tenantId, dueAt ?? null),
    depth: () => driver.call('depth'),
  }
}

const toTaken = ([id, tenantId, lane, turn]: TakenRow): Taken => ({
  job: { messageId: id as MessageId, tenantId, lane },
  turn,
})
