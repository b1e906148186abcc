/** Messages, as the thread that writes their tables serves them: to the log, to the index and to retention. */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId } from '../../domain/ids.ts'
import type { RetentionPolicy } from '../../domain/message/retention.ts'
import type { Instant } from '../../lib/time.ts'
import type { JournalReader } from './journal/journal-file.ts'
import type { JournalOpening } from './journal/journal-opening.ts'
import type { FiledMessages } from './messages/filed-messages.ts'
import type { Filer } from './messages/filer.ts'
import type { IdFilters } from './messages/id-filters.ts'
import type { Prunable, Pruning } from './messages/pruning.ts'
import { type RebuiltPart, rebuild } from './messages/rebuild.ts'
import { recovery } from './messages/recovery.ts'

type Deps = Readonly<{
  db: DatabaseSync
  filer: Filer
  messages: FiledMessages
  ids: IdFilters
  pruning: Pruning
  journal: JournalReader
  opening: JournalOpening
}>

export const messageTables = (deps: Deps) => ({
  log: logTable(deps),
  index: indexTable(deps),
  retention: retentionTable(deps),
})

const logTable = ({ db, filer, ids, pruning, journal, opening }: Deps) => ({
  shreds: {
    shred: (id: MessageId, keep?: 'searchable'): void => filer.shred(id, keep),
  },
  writes: {
    positionBefore: (since: number): number => filer.positionBefore(since),
  },
  reads: {
    load: (id: MessageId) => filer.events.load(id),
    content: (id: MessageId) => filer.events.content(id),
    read: (id: MessageId) => filer.events.read(id),
    timeline: (id: MessageId) => filer.events.timeline(id),
    page: (after: number, limit: number) => filer.events.page(after, limit),
    ...recovery(db, filer, ids, opening),
    truncateJournal: () => journal.truncate(),
  },
  background: {
    /** Deletes messages, and returns how many. */
    prune(prunable: readonly Prunable[]): number {
      filer.fileAll()
      return pruning.delete(prunable)
    },
  },
})

const indexTable = ({ filer, messages }: Deps) => ({
  reads: {
    /** The positions up to which everything is durable, and in the tables; the time of the first event that is not. */
    positions(): Readonly<{ tip: number; filed: number; unfiledSince: number | undefined }> {
      filer.ingest()
      return { tip: filer.tip, filed: filer.through, unfiledSince: filer.unfiledSince }
    },
    /** Whether any of these messages has events that are not in the tables. */
    hasNewer: (ids: readonly MessageId[]): boolean => ids.some((id) => filer.isUnfiled(id)),
    /** The numbers of the messages that may have one of these names. */
    named: (names: readonly string[]): readonly number[] => names.flatMap((name) => messages.named(name)),
    /** The numbers of the messages whose id may begin so. */
    begunWith: (prefix: string): readonly number[] => messages.begunWith(prefix),
  },
  background: {
    /** Files some more of what came before this position. */
    fileSome: (position: number): void => filer.fileSome(position),
    rebuild: (after: number, limit: number): RebuiltPart | undefined => rebuild(filer, messages, after, limit),
  },
  backgroundShreds: {
    /** Deletes the searchable fields of a message. */
    tombstone(id: MessageId): void {
      filer.fileAll()
      const row = messages.find(id)
      if (row !== undefined) messages.forget(row)
      messages.flush()
    },
  },
})

const retentionTable = ({ pruning }: Deps) => ({
  reads: {
    /** Up to `limit` messages that are no longer kept. */
    prunable: (policy: RetentionPolicy, now: Instant, limit: number): readonly Prunable[] =>
      pruning.find(policy, now, limit),
    stored: () => pruning.stored(),
  },
})
