/** Searches and lists. They run on a connection of their own, so a long one delays no write. */
import type { DatabaseSync } from 'node:sqlite'
import type { Searchable } from '../../domain/message/message.ts'
import { toSummary } from '../../domain/message/searchable.ts'
import { instant } from '../../lib/time.ts'
import type { MessageIndex, OverdueQuery, Page, Query, Row, Total, TotalQuery } from '../../ports/message-index.ts'
import { parseNumbered, toCursor } from '../shared/cursors.ts'
import { COUNTED_AT_MOST, toTotal } from '../shared/figures.ts'
import { bytesOf } from '../shared/row-bytes.ts'
import { auditList } from './access/audit-log.ts'
import { countByShape, countErrors, countStats } from './figures.ts'
import { decodeState } from './messages/event-codec.ts'
import { eventPages } from './messages/event-pages.ts'
import { type FoundRow, findMessages, isOnlyOfShapes } from './messages/message-search.ts'
import { toMessageRow } from './messages/message-table.ts'
import { toPage } from './page.ts'
import { recipientSearch } from './recipient-search.ts'
import { suppressionList } from './suppression-list.ts'
import type { Table } from './tables.ts'
import { templateList } from './templates.ts'
import { usageRecordList } from './usage-records.ts'
import { webhookAttemptList } from './webhook-attempts.ts'
import { webhookDeliveryList } from './webhook-delivery-list.ts'

export const openSearch = (db: DatabaseSync) => ({
  messages: messageSearch(db),
  events: eventPages(db),
  recipients: recipientSearch(db),
  suppressions: suppressionList(db),
  webhookDeliveries: webhookDeliveryList(db),
  webhookAttempts: webhookAttemptList(db),
  auditLog: auditList(db),
  templates: templateList(db),
  usageRecords: usageRecordList(db),
})

/** `named` are the messages that may have a name of the filter. */
type Search = Readonly<{
  search: (query: Query, named: readonly number[] | undefined) => Page
  total: (query: TotalQuery, named: readonly number[] | undefined) => Total
}>

export const messageSearch = (db: DatabaseSync) =>
  ({
    reads: {
      search: (query, named) => pageOf(findMessages(db, { ...query, limit: query.limit + 1 }, named), query),
      total: (query, named) => countMessages(db, query, named),
      overdue(query) {
        const { page, ...next } = toPage(findOverdue(db, query), query.limit, cursorOf)
        return { states: page.map(([, , facts, events]) => decodeState(facts, events)), ...next }
      },
      stats: (query) => countStats(db, query),
      errors: (query) => countErrors(db, query),
    },
  }) satisfies Table<Omit<MessageIndex, 'search' | 'total'> & Search>

/** A page ends early once so much was read for it, although lists show little of it. */
const READ_CHARACTERS = 4 * 1024 * 1024

/** One row more than the page has tells whether there is another page. */
function pageOf(found: Iterable<FoundRow>, { limit, bytes = Number.POSITIVE_INFINITY }: Query): Page {
  const rows: Row[] = []
  let [read, taken, nextCursor] = [0, 0, '']
  for (const one of found) {
    if (rows.length === limit || read > READ_CHARACTERS || taken > bytes) return { rows, nextCursor }
    const row = toRow(one)
    rows.push(row)
    read += one[3].length + (one[4]?.length ?? 0)
    taken += bytesOf(row)
    nextCursor = cursorOf(one)
  }
  return { rows }
}

function countMessages(db: DatabaseSync, query: TotalQuery, named: readonly number[] | undefined): Total {
  const { tenantId, filter } = query
  if (named === undefined && isOnlyOfShapes(filter))
    return { value: countByShape(db, tenantId, filter), relation: 'eq' }
  let found = 0
  for (const _ of findMessages(db, { ...query, limit: COUNTED_AT_MOST + 1 }, named)) found += 1
  return toTotal(found)
}

const cursorOf = ([at, n]: readonly [at: number, n: number, ...unknown[]]): string => toCursor(at, n)

const toRow = ([, , facts, events, searchable]: FoundRow): Row => ({
  state: decodeState(facts, events),
  ...(searchable === null ? {} : { searchable: toSummary(JSON.parse(searchable) as Searchable) }),
})

/** As messages/event-codec.ts decodes it. */
type OverdueRow = readonly [since: number, n: number, facts: string, events: string]

/** Before every `since`. */
const LONG_AGO = instant(-1)

/** Returns one more row than the page has, if there is one. */
function findOverdue(db: DatabaseSync, query: OverdueQuery): readonly OverdueRow[] {
  const { kind, after = LONG_AGO, through, limit, cursor } = query
  const since = kind === 'silent' ? 'silent_since' : 'stalled_since'
  // After `after`, or after the last row of the previous page.
  const [from, n] = cursor === undefined ? [after, Number.MAX_SAFE_INTEGER] : parseNumbered(cursor)
  return db
    .prepare(`
      select ${since} as since, n, facts, events, searchable, checksum from messages
      where (${since}, n) > (?, ?) and ${since} <= ? order by ${since}, n limit ?
    `)
    .all(from, n, through, limit + 1)
    .map((row) => {
      const { n, facts, events } = toMessageRow(row)
      return [Number(row['since']), n, facts, events]
    })
}
