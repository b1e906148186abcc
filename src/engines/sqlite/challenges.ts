/**
 * Challenges in a table. Every change is a single statement, so concurrent callers see each other's changes. An attempt
 * is on disk before its code is compared.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { Challenges } from '../../ports/challenges.ts'
import { type Row, toChallenge } from '../shared/rows.ts'
import type { Table } from './tables.ts'

export function challengeTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    writes: {
      begin: ({ id, tenantId, accountId, maxAttempts, createdAt, expiresAt }) =>
        void sql.begin.run(id, tenantId, accountId, maxAttempts, createdAt, expiresAt),
      arm: ({ id, tenantId: tenant }, { hash, maxAttempts, expiresAt }) =>
        void sql.arm.run({ id, tenant, hash, maxAttempts, expiresAt }),
      claim: ({ id, tenantId: tenant }, at) => toFound(sql.claim.get({ id, tenant, at })),
      verify: ({ id, tenantId: tenant }, at) => sql.verify.run({ id, tenant, at }).changes === 1,
      clear({ id, tenantId }, forgetBefore) {
        sql.clear.run(id, tenantId)
        sql.forget.run(tenantId, forgetBefore)
      },
    },
    reads: {
      find: ({ id, tenantId }) => toFound(sql.find.get(id, tenantId)),
      ended: (at, limit) => sql.ended.all(at, limit).map(toRef),
    },
  } satisfies Table<Challenges>
}

const toFound = (row: Row | undefined) => row && toChallenge(row)

const toRef = ({ id, tenant }: Row) => ({ id: String(id) as MessageId, tenantId: String(tenant) as TenantId })

function prepare(db: DatabaseSync) {
  return {
    begin: db.prepare(`
      insert into challenges (id, tenant, account, max_attempts, attempts, created_at, expires_at, ends_at)
      values (?1, ?2, ?3, ?4, 0, ?5, ?6, ?6)
      on conflict (id) do update set ends_at = max(coalesce(ends_at, 0), excluded.ends_at) where hash is null
    `),
    arm: db.prepare(`
      update challenges set hash = :hash, max_attempts = :maxAttempts, expires_at = :expiresAt, ends_at = :expiresAt
      where id = :id and tenant = :tenant and hash is null
    `),
    find: db.prepare('select * from challenges where id = ? and tenant = ?'),
    // The last attempt ends the challenge: its code cannot be used any more.
    claim: db.prepare(`
      update challenges set attempts = attempts + 1,
        ends_at = case when attempts + 1 < max_attempts then ends_at else min(ends_at, :at) end
      where id = :id and tenant = :tenant and hash is not null and verified_at is null
        and attempts < max_attempts and expires_at > :at
      returning *
    `),
    verify: db.prepare(`
      update challenges set verified_at = :at, ends_at = min(ends_at, :at)
      where id = :id and tenant = :tenant and hash is not null and verified_at is null
    `),
    ended: db.prepare('select id, tenant from challenges where ends_at <= ? order by ends_at limit ?'),
    clear: db.prepare('update challenges set ends_at = null where id = ? and tenant = ?'),
    // Deletes more than one write adds.
    forget: db.prepare(`
      delete from challenges where id in (
        select id from challenges where tenant = ? and ends_at is null and created_at < ? order by created_at limit 4
      )
    `),
  }
}
