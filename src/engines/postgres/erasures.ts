/** The erasures of the cluster profile: started and read by tenants, run by the system. */

import { type Erasure, parseErasureCursor, toErasureCursor } from '../../domain/message/erasure.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { ErasurePage, ErasureQuery, Erasures } from '../../ports/erasures.ts'
import { wellFormed } from '../shared/cursors.ts'
import { toErasureRow } from '../shared/rows.ts'
import type { Database } from './database.ts'

const ADD = `
  insert into pombo.erasures (tenant, id, to_key, requested_at, due_at, lease_token, body) values ($1, $2, $3, $4, $4, 0, $5)
  on conflict do nothing
`

/** The one with this id before one for the same recipient. */
const EXISTING = `
  select * from pombo.erasures where tenant = $1 and (id = $2 or (to_key = $3 and due_at is not null))
  order by id <> $2 limit 1
`

const FIND = 'select * from pombo.erasures where tenant = $1 and id = $2'

const LIST = `
  select * from pombo.erasures where tenant = $1 and (requested_at, id) < ($2, $3)
  order by requested_at desc, id desc limit $4
`

const CLAIM = `
  update pombo.erasures set due_at = $2, lease_token = lease_token + 1
  where (tenant, id) = (
    select tenant, id from pombo.erasures where due_at <= $1 order by due_at limit 1 for update skip locked
  )
  returning *
`

const SAVE = `
  update pombo.erasures set due_at = $4, body = $5 where tenant = $1 and id = $2 and lease_token = $3 and due_at is not null
  returning id
`

export const postgresErasures = (db: Database): Erasures => ({
  start: (erasure) => start(db, erasure),

  async find(tenantId, id) {
    const [row] = await db.asTenant(tenantId, FIND, [tenantId, id])
    return row && toErasureRow(row)
  },

  list: (query) => list(db, query),

  async claim(at, until) {
    const [row] = await db.asSystem(CLAIM, [at, until])
    return row && { erasure: toErasureRow(row), leaseToken: Number(row['lease_token']) }
  },

  async save({ erasure, leaseToken }, dueAt) {
    const { tenantId, id } = erasure
    const saved = await db.asSystem(SAVE, [tenantId, id, leaseToken, dueAt ?? null, JSON.stringify(erasure)])
    return saved.length === 1
  },
})

/** A conflicting erasure may be complete by the time it is looked up: then ours can be added. */
async function start(db: Database, erasure: Erasure): Promise<Erasure> {
  const { id, tenantId, toKey, requestedAt } = erasure
  for (;;) {
    await db.asTenant(tenantId, ADD, [tenantId, id, toKey, requestedAt, JSON.stringify(erasure)])
    const [row] = await db.asTenant(tenantId, EXISTING, [tenantId, id, toKey])
    if (row !== undefined) return toErasureRow(row)
  }
}

/** A cursor before the newest erasure. */
const NEWEST = [Number.MAX_SAFE_INTEGER, ''] as const

async function list(db: Database, { tenantId, limit, cursor }: ErasureQuery): Promise<ErasurePage> {
  const after = cursor === undefined ? NEWEST : wellFormed(parseErasureCursor(cursor))
  const found = (await db.asTenant(tenantId, LIST, [tenantId, ...after, limit + 1])).map(toErasureRow)
  const erasures = found.slice(0, limit)
  const last = found.length > limit ? erasures.at(-1) : undefined
  return omitUndefined({ erasures, nextCursor: last && toErasureCursor(last) })
}
