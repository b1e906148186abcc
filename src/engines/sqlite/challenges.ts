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
      begin({ id, tenantId: tenant, accountId: account, maxAttempts, createdAt, expiresAt, hash = null }) {
        const row = { id, tenant, maxAttempts, expiresAt, hash }
        if (sql.begin.run({ ...row, account, createdAt }).changes === 1) return true
        if (sql.replace.run(row).changes === 1) return true
        sql.extend.run({ id, tenant, expiresAt })
        return false
      },
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
      insert into challenges (id, tenant, account, max_attempts, attempts, created_at, expires_at, ends_at, hash)
      values (:id, :tenant, :account, :maxAttempts, 0, :createdAt, :expiresAt, :expiresAt, :hash)
      on conflict (id) do nothing
    `),
    replace: db.prepare(`
      update challenges set hash = :hash, max_attempts = :maxAttempts, expires_at = :expiresAt, ends_at = :expiresAt
      where id = :id and tenant = :tenant and attempts = 0 and verified_at is null and :hash is not null
    `),
    extend: db.prepare(`
      update challenges set ends_at = max(coalesce(ends_at, 0), :expiresAt) where id = :id and tenant = :tenant
    `),
    arm: db.prepare(`
      update challenges set hash = :hash, max_attempts = :maxAttempts, attempts = 0, verified_at = null,
        expires_at = :expiresAt, ends_at = :expiresAt
      where id = :id and tenant = :tenant and hash is not :hash
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
