/** The suppressed addresses of the cluster profile. Which of two entries wins follows domain/email/suppression.ts. */

import { parseSuppressionCursor, toBeginnings, toSuppressionCursor } from '../../domain/email/suppression.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { SuppressionPage, SuppressionQuery, Suppressions } from '../../ports/suppressions.ts'
import { wellFormed } from '../shared/cursors.ts'
import { toSuppression } from '../shared/rows.ts'
import type { Database } from './database.ts'

const ADD = `
  insert into pombo.suppressions as old (tenant, address, reason, note, message, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (tenant, address) do update set reason = excluded.reason, note = excluded.note,
    message = excluded.message, created_at = excluded.created_at, expires_at = excluded.expires_at
  where excluded.reason in ('manual', 'unsubscribe')
    or (old.expires_at is not null and (excluded.expires_at is null or excluded.expires_at > old.expires_at))
`

const FIND = `
  select * from pombo.suppressions
  where tenant = $1 and address = any($2) and (expires_at is null or expires_at > $3)
`

const REMOVE = 'delete from pombo.suppressions where tenant = $1 and address = $2 returning address'

export const postgresSuppressions = (db: Database): Suppressions => ({
  async add({ tenantId, address, reason, note, messageId, createdAt, expiresAt }) {
    await db.asTenant(tenantId, ADD, [tenantId, address, reason, note, messageId, createdAt, expiresAt])
  },

  find: async (tenantId, addresses, at) =>
    (await db.asTenant(tenantId, FIND, [tenantId, addresses, at])).map(toSuppression),

  remove: async (tenantId, address) => (await db.asTenant(tenantId, REMOVE, [tenantId, address])).length === 1,
  list: (query) => list(db, query),
})

async function list(db: Database, query: SuppressionQuery): Promise<SuppressionPage> {
  const { tenantId, limit } = query
  const { sql, values } = toConditions(query)
  const wanted = `select * from pombo.suppressions where ${sql} order by created_at desc, address desc limit ${limit + 1}`
  const found = (await db.asTenant(tenantId, wanted, values)).map(toSuppression)
  const suppressions = found.slice(0, limit)
  const last = found.length > limit ? suppressions.at(-1) : undefined
  return omitUndefined({ suppressions, nextCursor: last && toSuppressionCursor(last) })
}

/** Sorts after every text with the same prefix. */
const LAST = '\u{10ffff}'

function toConditions({ tenantId, reason, text, at, cursor }: SuppressionQuery) {
  const values: unknown[] = [tenantId, at]
  const terms = ['tenant = $1', '(expires_at is null or expires_at > $2)']
  const put = (value: unknown): string => `$${values.push(value)}`
  if (reason !== undefined) terms.push(`reason = ${put(reason)}`)
  if (text !== undefined) {
    const { ofAddress, ofDomain } = toBeginnings(text)
    const within = (column: string, first: string): string =>
      `(${column} >= ${put(first)} and ${column} < ${put(first + LAST)})`
    terms.push(`(${within('address', ofAddress)} or ${within('domain', ofDomain)})`)
  }
  const after = cursor === undefined ? undefined : wellFormed(parseSuppressionCursor(cursor))
  if (after !== undefined) terms.push(`(created_at, address) < (${put(after.createdAt)}, ${put(after.address)})`)
  return { sql: terms.join(' and '), values }
}
