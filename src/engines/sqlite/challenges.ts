/** The challenges of the embedded profile. A counted attempt is on disk before its code is compared. */
import type { Challenge, CodeHash } from '../../domain/challenge.ts'
import type { AccountId, MessageId, TenantId } from '../../domain/ids.ts'
import { instant } from '../../domain/time.ts'
import type { Challenges } from '../../ports/challenges.ts'
import type { ChallengeRow } from './challenge-table.ts'
import type { Driver } from './driver.ts'
import type { StoreMethods } from './store.ts'

export function sqliteChallenges(driver: Driver<StoreMethods>): Challenges {
  return {
    begin: ({ id, tenantId, accountId, maxAttempts, createdAt, expiresAt }) =>
      driver.call('beginChallenge', [id, tenantId, accountId, maxAttempts, createdAt, expiresAt]),
    arm: ({ id, tenantId }, { hash, maxAttempts, expiresAt }) =>
      driver.call('armChallenge', id, tenantId, hash, maxAttempts, expiresAt),
    find: async ({ id, tenantId }) => toChallenge(await driver.call('findChallenge', id, tenantId)),
    claim: async ({ id, tenantId }, at) => toChallenge(await driver.call('claimChallenge', id, tenantId, at)),
    verify: ({ id, tenantId }, at) => driver.call('verifyChallenge', id, tenantId, at),
    ended: async (at, limit) =>
      (await driver.call('endedChallenges', at, limit)).map(({ id, tenant }) => ({
        id: String(id) as MessageId,
        tenantId: String(tenant) as TenantId,
      })),
    clear: ({ id, tenantId }, forgetBefore) => driver.call('clearChallenge', id, tenantId, forgetBefore),
  }
}

export function toChallenge(row: ChallengeRow | undefined): Challenge | undefined {
  if (row === undefined) return undefined
  const { hash, verified_at: verifiedAt } = row
  return {
    id: String(row['id']) as MessageId,
    tenantId: String(row['tenant']) as TenantId,
    accountId: String(row['account']) as AccountId,
    maxAttempts: Number(row['max_attempts']),
    attempts: Number(row['attempts']),
    createdAt: instant(Number(row['created_at'])),
    expiresAt: instant(Number(row['expires_at'])),
    ...(typeof hash === 'string' ? { hash: hash as CodeHash } : {}),
    ...(typeof verifiedAt === 'number' ? { verifiedAt: instant(verifiedAt) } : {}),
  }
}
