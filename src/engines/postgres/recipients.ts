/**
 * The directory of the cluster profile. Every change is one statement, and the unique index of external ids decides
 * races. As in search.ts, the system finds ids by words and the tenant reads the rows.
 */

import { DatabaseError } from 'pg'
import type { DirectoryEntry } from '../../domain/directory/recipient.ts'
import { toBeginnings, toWords } from '../../domain/directory/search-words.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { RecipientQuery, Recipients } from '../../ports/recipients.ts'
import { parseIdentified, toCursor } from '../shared/cursors.ts'
import { toDirectoryEntry } from '../shared/rows.ts'
import { COUNT_RECIPIENTS, countRecipientsOf } from './access/usage.ts'
import type { Database } from './database.ts'

const ADD = `
  insert into pombo.recipients (id, tenant, external_id, name, phone, email, locale, words, updated_at, created_at)
  select $1::uuid, $2, $3, $4, $5, $6, $7, array_to_tsvector($8::text[]), $9::bigint, $10::bigint
  where (${countRecipientsOf('$2')}) < $11
  on conflict do nothing returning id
`

/** More than are ever added at the same moment. */
const MARGIN = 1_000
/** Near the bound, those who add recipients for one tenant take turns, so that none exceeds it. */
const IN_TURN = `
  select pg_advisory_xact_lock(7026606, hashtext($1::text)) where (${COUNT_RECIPIENTS}) >= $2::bigint - ${MARGIN}
`

const CHANGE = `
  update pombo.recipients set external_id = $3, name = $4, phone = $5, email = $6, locale = $7,
    words = array_to_tsvector($8::text[]), updated_at = $9
  where id = $1 and tenant = $2 and removed_at is null returning id
`

const NOW = '(extract(epoch from now()) * 1000)::bigint'
const REMOVE = `
  update pombo.recipients set name = null, phone = null, email = null, locale = null, words = '',
    updated_at = ${NOW}, removed_at = ${NOW}
  where id = $1 and tenant = $2 and removed_at is null returning id
`

const READ = 'select * from pombo.recipients where tenant = $1 and removed_at is null'

/** There is no room for an entry that could be added otherwise. */
const IS_FULL = `
  select (${COUNT_RECIPIENTS}) >= $4 and not exists (
    select from pombo.recipients where tenant = $1 and (id = $2 or external_id = $3 and removed_at is null)
  ) as is_full
`

export const postgresRecipients = (db: Database): Recipients => ({
  async add(entry, most = Number.MAX_SAFE_INTEGER) {
    const { tenantId, createdAt } = entry
    const turn = { text: IN_TURN, values: [tenantId, most] }
    const added = await db.asTenant(tenantId, ADD, [...toValues(entry), createdAt, most], [turn])
    if (added.length === 1) return 'added'
    const [row] = await db.asTenant(tenantId, IS_FULL, [tenantId, entry.id, entry.externalId, most])
    return row?.['is_full'] === true ? 'full' : 'taken'
  },

  async change(entry) {
    try {
      const changed = await db.asTenant(entry.tenantId, CHANGE, toValues(entry))
      return changed.length === 1 ? 'changed' : 'absent'
    } catch (error) {
      if (error instanceof DatabaseError && error.code === IS_TAKEN) return 'taken'
      throw error
    }
  },

  async find(tenantId, name) {
    const [column, value] = 'id' in name ? ['id', name.id] : ['external_id', name.externalId]
    const [row] = await db.asTenant(tenantId, `${READ} and ${column} = $2`, [tenantId, value])
    return row === undefined ? undefined : toDirectoryEntry(row)
  },

  remove: async (tenantId, id) => (await db.asTenant(tenantId, REMOVE, [id, tenantId])).length === 1,
  search: (query) => search(db, query),
})

/** Unique violation. */
const IS_TAKEN = '23505'

const toValues = (entry: DirectoryEntry): unknown[] => {
  const { id, tenantId, externalId, name, phone, email, locale, updatedAt } = entry
  return [id, tenantId, externalId, name, phone, email, locale, toWords(entry), updatedAt]
}

async function search(db: Database, query: RecipientQuery) {
  const { tenantId, text = '', limit, cursor } = query
  const beginnings = toBeginnings(text)
  const [createdAt, id] = cursor === undefined ? EVERYTHING : parseIdentified(cursor)
  const values = [tenantId, createdAt, id]
  const wanted = `and (created_at, id) < ($2, $3) ${NEWEST_FIRST} limit ${limit + 1}`
  const rows =
    beginnings.length === 0
      ? await db.asTenant(tenantId, `${READ} ${wanted}`, values)
      : await db.asTenant(tenantId, `${READ} and id = any($2) ${NEWEST_FIRST}`, [
          tenantId,
          await findIds(db, wanted, values, beginnings),
        ])
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return omitUndefined({
    recipients: page.map(toDirectoryEntry),
    nextCursor: last && toCursor(Number(last['created_at']), String(last['id'])),
  })
}

const NEWEST_FIRST = 'order by created_at desc, id desc'

async function findIds(db: Database, wanted: string, values: unknown[], beginnings: readonly string[]) {
  const sql = `
    select id from pombo.recipients where tenant = $1 and removed_at is null and words @@ $4::tsquery ${wanted}
  `
  const found = await db.asSystem(sql, [...values, beginnings.map((word) => `'${word}':*`).join(' & ')])
  return found.map(({ id }) => id)
}

const EVERYTHING = [Number.MAX_SAFE_INTEGER, 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const
