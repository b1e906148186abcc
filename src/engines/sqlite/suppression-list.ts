/**
 * Lists of suppressed addresses, on the read-only connection. SQLite has no statistics to choose a plan by, so we
 * choose: few matches of a prefix are looked up and sorted, many are found soon when scanning from the newest.
 */

import type { DatabaseSync } from 'node:sqlite'
import { parseSuppressionCursor, toBeginnings, toSuppressionCursor } from '../../domain/email/suppression.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { SuppressionQuery, Suppressions } from '../../ports/suppressions.ts'
import { wellFormed } from '../shared/cursors.ts'
import { type Row, toSuppression } from '../shared/rows.ts'
import { toPage } from './page.ts'
import type { Table } from './tables.ts'

/** Sorting this many takes no noticeable time. */
const FEW = 20_000
/** Sorts after every text with the same prefix. */
const LAST = '\u{10ffff}'

const BY_ADDRESS = 'tenant = :tenant and address >= :first and address < :last'
const BY_DOMAIN = 'tenant = :tenant and domain >= :firstDomain and domain < :lastDomain'
const EITHER = `select * from suppressions where ${BY_ADDRESS} union select * from suppressions where ${BY_DOMAIN}`
const COUNT = `
  select (select count(*) from (select 1 from suppressions where ${BY_ADDRESS} limit :few))
    + (select count(*) from (select 1 from suppressions where ${BY_DOMAIN} limit :few)) as count
`

export const suppressionList = (db: DatabaseSync, few = FEW) =>
  ({
    reads: {
      list(query) {
        const found = find(db, query, few).map(toSuppression)
        const { page: suppressions, ...next } = toPage(found, query.limit, toSuppressionCursor)
        return { suppressions, ...next }
      },
    },
  }) satisfies Table<Suppressions>

/** Returns one more row than the page has, if there is one. */
function find(db: DatabaseSync, query: SuppressionQuery, few: number): readonly Row[] {
  const { tenantId: tenant, reason, text, at, limit, cursor } = query
  const after = cursor === undefined ? undefined : wellFormed(parseSuppressionCursor(cursor))
  const search = text === undefined ? undefined : toRanges(text)
  const areFew = search !== undefined && Number(db.prepare(COUNT).get({ tenant, ...search, few })?.['count']) < few
  return db
    .prepare(`
      select * from ${areFew ? `(${EITHER})` : 'suppressions'}
      where tenant = :tenant and (expires_at is null or expires_at > :at)
        ${search === undefined || areFew ? '' : `and ((${BY_ADDRESS}) or (${BY_DOMAIN}))`}
        ${reason === undefined ? '' : 'and reason = :reason'}
        ${after === undefined ? '' : 'and (created_at, address) < (:createdAt, :address)'}
      order by created_at desc, address desc limit :limit
    `)
    .all(omitUndefined({ tenant, at, limit: limit + 1, reason, ...search, ...after }))
}

function toRanges(text: string) {
  const { ofAddress: first, ofDomain: firstDomain } = toBeginnings(text)
  return { first, last: first + LAST, firstDomain, lastDomain: firstDomain + LAST }
}
