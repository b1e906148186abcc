/** What the thread that writes the journal needs at the start: where to continue, the jobs of open messages, and all ids. */
import type { DatabaseSync } from 'node:sqlite'
import type { Filer } from './filer.ts'
import type { JournalOpening } from './journal/journal-opening.ts'
import { IdFilter } from './log/id-filter.ts'
import { toUuid } from './uuid.ts'

export type RecoveredRow = Readonly<{ owner: number; frame: number; tip: number; newestAt: number | null }>
export type WaitingJobRow = readonly [n: number, id: string, tenant: string, lane: string, since: number]

export function recovery(db: DatabaseSync, filer: Filer, { owner }: JournalOpening) {
  const newest = db.prepare("select json_extract(body, '$[2]') as at from events order by seq desc limit 1")
  const waiting = db.prepare(`
    select n, lower(hex(id)) as id, tenant, lane, stalled_since from listing join messages using (n)
    where stalled_since is not null and n > ? order by n limit ?
  `)
  const ids = db.prepare('select lower(hex(id)) as id from messages where facts is not null order by n')
  return {
    recovered: (): RecoveredRow => ({
      owner,
      frame: filer.last,
      tip: filer.tip,
      newestAt: (newest.get()?.['at'] as number | undefined) ?? null,
    }),

    /** The messages that wait for a worker, in the order of their numbers. */
    waitingJobs: (after: number, limit: number): readonly WaitingJobRow[] =>
      waiting
        .all(after, limit)
        .map((row) => [
          Number(row['n']),
          toUuid(row['id']),
          String(row['tenant']),
          String(row['lane']),
          Number(row['stalled_since']),
        ]),

    ids() {
      const filter = new IdFilter()
      for (const { id } of ids.iterate()) filter.add(toUuid(id))
      return filter.parts
    },
  }
}
