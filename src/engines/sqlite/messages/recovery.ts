/** What the thread that writes the journal needs at the start: where to continue, the jobs of open messages, and all ids. */
import type { DatabaseSync } from 'node:sqlite'
import { messageIdOf } from '../../shared/codec.ts'
import type { JournalOpening } from '../journal/journal-opening.ts'
import type { Filer } from './filer.ts'
import type { IdFilters } from './id-filters.ts'

export type RecoveredRow = Readonly<{ owner: number; frame: number; tip: number; newestAt: number }>
export type WaitingJobRow = readonly [n: number, id: string, tenant: string, lane: string, since: number]

export function recovery(db: DatabaseSync, filer: Filer, ids: IdFilters, { owner }: JournalOpening) {
  const waiting = db.prepare(`
    select n, facts, tenant, lane, stalled_since from messages indexed by messages_stalled join shapes using (shape)
    where stalled_since is not null and (stalled_since, n) > (?, ?) order by stalled_since, n limit ?
  `)
  return {
    /** `newestAt` is 0 if there are no events. */
    recovered: (): RecoveredRow => ({ owner, frame: filer.last, tip: filer.tip, newestAt: filer.newestAt }),

    /** The messages that wait for a worker, those that have waited longest first. */
    waitingJobs: (since: number, n: number, limit: number): readonly WaitingJobRow[] =>
      waiting
        .all(since, n, limit)
        .map((row) => [
          Number(row['n']),
          messageIdOf(String(row['facts'])),
          String(row['tenant']),
          String(row['lane']),
          Number(row['stalled_since']),
        ]),

    ids: () => ids.parts,
  }
}
