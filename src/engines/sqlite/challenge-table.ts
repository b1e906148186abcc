/** Challenges in a table. Every change is a single statement, so concurrent callers see each other's changes. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { CallKind } from './store.ts'

/** The columns of the table: id, tenant, account, attempts and so on. */
export type ChallengeRow = Readonly<Record<string, SQLOutputValue>>
export type NewChallenge = readonly [
  id: string,
  tenant: string,
  account: string,
  maxAttempts: number,
  createdAt: number,
  expiresAt: number,
]

export type ChallengeMethods = ReturnType<typeof challengeTable>

export function challengeTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    beginChallenge: (challenge: NewChallenge): void => void sql.begin.run(...challenge),
    armChallenge: (id: string, tenant: string, hash: string, maxAttempts: number, expiresAt: number): void =>
      void sql.arm.run({ id, tenant, hash, maxAttempts, expiresAt }),
    findChallenge: (id: string, tenant: string): ChallengeRow | undefined => sql.find.get(id, tenant),
    claimChallenge: (id: string, tenant: string, at: number): ChallengeRow | undefined =>
      sql.claim.get({ id, tenant, at }),
    verifyChallenge: (id: string, tenant: string, at: number): boolean =>
      sql.verify.run({ id, tenant, at }).changes === 1,
    endedChallenges: (at: number, limit: number): readonly ChallengeRow[] => sql.ended.all(at, limit),
    clearChallenge(id: string, tenant: string, forgetBefore: number): void {
      sql.clear.run(id, tenant)
      sql.forget.run(tenant, forgetBefore)
    },
  }
}

export const CHALLENGE_CALLS: Readonly<Record<keyof ChallengeMethods, CallKind>> = {
  beginChallenge: 'write',
  armChallenge: 'write',
  findChallenge: 'read',
  claimChallenge: 'write',
  verifyChallenge: 'write',
  endedChallenges: 'read',
  clearChallenge: 'write',
}

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
