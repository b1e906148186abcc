/** The log and the queue of the embedded profile: in memory and in the journal, over the tables that it is filed in. */
import type { MessageId, TenantId } from '../../../domain/ids.ts'
import type { Lane } from '../../../domain/message/message.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type Instant, instant } from '../../../lib/time.ts'
import type { EventLog } from '../../../ports/event-log.ts'
import type { Queue } from '../../../ports/queue.ts'
import type { OpenFrameSealer } from '../../../ports/sealer.ts'
import type { Driver } from '../driver.ts'
import { Journal } from '../journal/journal.ts'
import type { JournalProgress } from '../journal/progress.ts'
import { type JobQueue, openJobQueue } from '../queue/job-queue.ts'
import type { StoreMethods } from '../store.ts'
import { openEventLog } from './event-log.ts'
import { IdFilter } from './id-filter.ts'

export type JournalOptions = Readonly<{
  database: string
  clock: Clock
  sealing: OpenFrameSealer
  progress: JournalProgress
}>

export type JournaledEngine = AsyncDisposable &
  Readonly<{
    log: EventLog
    queue: Queue
    journal: Journal
    /** When the newest event was recorded. */
    newestAt: Instant | undefined
  }>

const JOBS_PER_PAGE = 10_000

/** Disposing it files everything, closes `filer`, and removes the journal. */
export async function openJournaledEngine(
  filer: Driver<StoreMethods>,
  { database, clock, sealing, progress }: JournalOptions,
): Promise<JournaledEngine> {
  const { owner, frame, tip, newestAt } = await filer.call('recovered')
  const { chapters, count } = await filer.call('ids')
  const queue = openJobQueue({ clock })
  await restoreJobs(filer, queue)
  const journal = new Journal({ database, owner, last: frame, sealing, progress })
  const log = openEventLog({ journal, filer, queue, ids: new IdFilter(chapters, count), tip })
  return {
    log,
    queue,
    journal,
    newestAt: newestAt === null ? undefined : instant(newestAt),
    async [Symbol.asyncDispose]() {
      queue[Symbol.dispose]()
      await journal.settled()
      await filer[Symbol.asyncDispose]()
      await journal[Symbol.asyncDispose]()
    },
  }
}

/** Every message that is not finished gets its job: jobs are only in memory. */
async function restoreJobs(filer: Driver<StoreMethods>, queue: JobQueue): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await filer.call('waitingJobs', after, JOBS_PER_PAGE)
    for (const [, id, tenant, lane, since] of rows) {
      const job = { messageId: id as MessageId, tenantId: tenant as TenantId, lane: lane as Lane }
      queue.replace({ ...job, dueAt: instant(since) })
    }
    if (rows.length < JOBS_PER_PAGE) return
    after = rows.at(-1)?.[0] ?? after
  }
}
