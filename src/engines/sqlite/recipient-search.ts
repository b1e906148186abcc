/** Directory searches, on the read-only connection. */
import type { DatabaseSync } from 'node:sqlite'
import { toBeginnings } from '../../domain/directory/search-words.ts'
import type { RecipientQuery, Recipients } from '../../ports/recipients.ts'
import { parseNumbered, toCursor } from '../shared/cursors.ts'
import { type Row, toDirectoryEntry } from '../shared/rows.ts'
import { toPage } from './page.ts'
import type { Table } from './tables.ts'

/** Sorts after every word with the same prefix. */
const LAST = '\u{10ffff}'
const BEGINS = 'and n in (select n from recipient_words where tenant = ? and word >= ? and word < ?)'

export const recipientSearch = (db: DatabaseSync) =>
  ({
    reads: {
      search(query) {
        const { page, ...next } = toPage(find(db, query), query.limit, cursorOf)
        return { recipients: page.map(toDirectoryEntry), ...next }
      },
    },
  }) satisfies Table<Recipients>

/** Returns one more row than the page has, if there is one. */
function find(db: DatabaseSync, { tenantId, text = '', limit, cursor }: RecipientQuery): readonly Row[] {
  const beginnings = toBeginnings(text)
  const before = cursor === undefined ? [] : parseNumbered(cursor)
  return db
    .prepare(`
      select * from recipients where tenant = ? and removed_at is null
        ${BEGINS.repeat(beginnings.length)} ${cursor === undefined ? '' : 'and (created_at, n) < (?, ?)'}
      order by created_at desc, n desc limit ?
    `)
    .all(tenantId, ...beginnings.flatMap((word) => [tenantId, word, word + LAST]), ...before, limit + 1)
}

const cursorOf = ({ created_at: createdAt, n }: Row): string => toCursor(Number(createdAt), Number(n))
