/**
 * Challenges in a table. Every change is a single statement, so concurrent callers see each other's changes. An attempt
 * is on disk before its code is compared.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { Challenges } from '../../ports/challenges.ts'
import { type Row, toChallenge, toChallengeTerms } from '../shared/rows.ts'
import type { Table } from './tables.ts'

/** The newest challenge of each subject is named until it is deleted. */
export const CANCELED_CHALLENGES = `
  alter table challenges add column canceled_at integer;
  create table newest_challenges (
    tenant text not null,
    subject text not null,
    challenge text not null,
    primary key (tenant, subject)
  ) strict, without rowid;
  create index newest_challenges_of on newest_challenges (challenge);
`

/** JSON: the shape of the code, and a keyed hash of the recipient. */
export const CHALLENGE_TERMS = 'alter table challenges add column terms text;'

export function challengeTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    writes: {
      begin({ id, tenantId: tenant, accountId: account, createdAt, hash = null, subject, ...said }) {
        const { maxAttempts, expiresAt } = said
        const row = { id, tenant, maxAttempts, expiresAt, hash, terms: toChallengeTerms(said) }
        if (subject !== undefined) sql.name.run({ tenant, subject, id })
        if (sql.begin.run({ ...row, account, createdAt }).changes === 1) return true
        if (sql.replace.run(row).changes === 1) return true
        sql.extend.run({ id, tenant, expiresAt })
        return false
      },
      arm: ({ id, tenantId: tenant }, { hash, maxAttempts, expiresAt, ...said }) =>
        void sql.arm.run({ id, tenant, hash, maxAttempts, expiresAt, terms: toChallengeTerms(said) }),
      claim: ({ id, tenantId: tenant }, at) => toFound(sql.claim.get({ id, tenant, at })),
      conclude: ({ id, tenantId: tenant }, as, at) => sql[as].run({ id, tenant, at }).changes === 1,
      clear({ id, tenantId }, forgetBefore) {
        sql.clear.run(id, tenantId)
        for (const { id: forgotten } of sql.forget.all(tenantId, forgetBefore))
          sql.unname.run(String(forgotten), tenantId)
      },
    },
    reads: {
      find: (ref) =>
        toFound('id' in ref ? sql.find.get(ref.id, ref.tenantId) : sql.findNewest.get(ref.tenantId, ref.subject)),
      ended: (at, limit) => sql.ended.all(at, limit).map(toRef),
    },
  } satisfies Table<Challenges>
}

const toFound = (row: Row | undefined) => row && toChallenge(row)

const toRef = ({ id, tenant }: Row) => ({ id: String(id) as MessageId, tenantId: String(tenant) as TenantId })

function prepare(db: DatabaseSync) {
  return {
    begin: db.prepare(`
      insert into challenges
        (id, tenant, account, max_attempts, attempts, created_at, expires_at, ends_at, hash, terms)
      values (:id, :tenant, :account, :maxAttempts, 0, :createdAt, :expiresAt, :expiresAt, :hash, :terms)
      on conflict (id) do nothing
    `),
    replace: db.prepare(`
      update challenges set hash = :hash, max_attempts = :maxAttempts, expires_at = :expiresAt, ends_at = :expiresAt,
        terms = :terms
      where id = :id and tenant = :tenant and attempts = 0 and verified_at is null and canceled_at is null
        and :hash is not null
    `),
    extend: db.prepare(`
      update challenges set ends_at = max(coalesce(ends_at, 0), :expiresAt) where id = :id and tenant = :tenant
    `),
    arm: db.prepare(`
      update challenges set hash = :hash, max_attempts = :maxAttempts, attempts = 0, verified_at = null,
        canceled_at = null, expires_at = :expiresAt, ends_at = :expiresAt, terms = :terms
      where id = :id and tenant = :tenant and hash is not :hash
    `),
    find: db.prepare('select * from challenges where id = ? and tenant = ?'),
    findNewest: db.prepare(`
      select challenges.* from newest_challenges as newest join challenges on id = challenge
      where newest.tenant = ? and subject = ? and challenges.tenant = newest.tenant
    `),
    name: db.prepare(`
      insert into newest_challenges (tenant, subject, challenge) values (:tenant, :subject, :id)
      on conflict (tenant, subject) do update set challenge = excluded.challenge
    `),
    unname: db.prepare('delete from newest_challenges where challenge = ? and tenant = ?'),
    // The last attempt ends the challenge: its code cannot be used any more.
    claim: db.prepare(`
      update challenges set attempts = attempts + 1,
        ends_at = case when attempts + 1 < max_attempts then ends_at else min(ends_at, :at) end
      where id = :id and tenant = :tenant and hash is not null and verified_at is null and canceled_at is null
        and attempts < max_attempts and expires_at > :at
      returning *
    `),
    verified: conclude(db, 'verified_at'),
    canceled: conclude(db, 'canceled_at'),
    ended: db.prepare('select id, tenant from challenges where ends_at <= ? order by ends_at limit ?'),
    clear: db.prepare('update challenges set ends_at = null where id = ? and tenant = ?'),
    // Deletes more than one write adds.
    forget: db.prepare(`
      delete from challenges where id in (
        select id from challenges where tenant = ? and ends_at is null and created_at < ? order by created_at limit 4
      ) returning id
    `),
  }
}

const conclude = (db: DatabaseSync, column: 'verified_at' | 'canceled_at') =>
  db.prepare(`
    update challenges set ${column} = :at, ends_at = min(ends_at, :at)
    where id = :id and tenant = :tenant and hash is not null and verified_at is null and canceled_at is null
  `)
