/** The log and the queue of the embedded profile: in memory and in the journal, over the tables that it is filed in. */
import type { MessageId, TenantId } from '../../../domain/ids.ts'
import type { Lane } from '../../../domain/message/message.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type Instant, instant } from '../../../lib/time.ts'
import type { EventFeed } from '../../../ports/event-feed.ts'
import type { EventLog } from '../../../ports/event-log.ts'
import type { Queue } from '../../../ports/queue.ts'
import { type Driver, remote } from '../driver.ts'
import { Journal, type JournalOptions } from '../journal/journal.ts'
import type { SearchMethods } from '../message-index.ts'
import { type JobQueue, openJobQueue } from '../queue/job-queue.ts'
import type { DeleteMessages } from '../retention.ts'
import type { FiledLog, StoreMethods } from '../store.ts'
import { openEventFeed } from './event-feed.ts'
import { openEventLog } from './event-log.ts'
import { IdFilter } from './id-filter.ts'

/** The owner and the newest frame are read from the tables. */
export type EngineOptions = Omit<JournalOptions, 'owner' | 'last'> & Readonly<{ clock: Clock }>

export type JournaledEngine = AsyncDisposable &
  Readonly<{
    log: EventLog
    feed: EventFeed
    deleteMessages: DeleteMessages
    queue: Queue
    /** How many messages of a tenant are waiting to be sent, or are being sent. */
    waiting: (tenantId: TenantId) => number
    journal: Journal
    /** When the newest event was recorded. */
    newestAt: Instant | undefined
  }>

const JOBS_PER_PAGE = 10_000

/** Disposing it files everything, closes `driver`, and removes the journal. `reader` reads what is filed. */
export async function openJournaledEngine(
  driver: Driver<StoreMethods>,
  reader: Driver<SearchMethods>,
  { database, clock, sealing, progress }: EngineOptions,
): Promise<JournaledEngine> {
  const [filer, events] = [remote(driver, 'log'), remote(reader, 'events')]
  const { owner, frame, tip, newestAt } = await filer.recovered()
  const { chapters, count } = await filer.ids()
  const queue = openJobQueue({ clock })
  await restoreJobs(filer, queue)
  const journal = new Journal({ database, owner, last: frame, sealing, progress })
  const ids = new IdFilter(chapters, count)
  const { deleteMessages, arriving, live, ...log } = openEventLog({ journal, filer, events, queue, ids, tip })
  return {
    log,
    feed: openEventFeed({ messages: live, events, filing: remote(driver, 'index') }),
    deleteMessages,
    queue,
    waiting: (tenantId) => queue.countOf(tenantId) + arriving(tenantId),
    journal,
    newestAt: newestAt === 0 ? undefined : instant(newestAt),
    async [Symbol.asyncDispose]() {
      queue[Symbol.dispose]()
      await journal.settled()
      await driver[Symbol.asyncDispose]()
      await journal[Symbol.asyncDispose]()
    },
  }
}

/** Every message that is not finished gets its job: jobs are only in memory. */
async function restoreJobs(filer: FiledLog, queue: JobQueue): Promise<void> {
  for (let [since, after] = [0, 0]; ; ) {
    const rows = await filer.waitingJobs(since, after, JOBS_PER_PAGE)
    for (const [, id, tenant, lane, dueAt] of rows) {
      const job = { messageId: id as MessageId, tenantId: tenant as TenantId, lane: lane as Lane }
      queue.replace({ ...job, dueAt: instant(dueAt) })
    }
    const last = rows.at(-1)
    if (last === undefined) return
    ;[after, , , , since] = last
  }
}
