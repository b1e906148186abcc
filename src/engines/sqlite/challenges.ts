/** The challenges of the embedded profile. An attempt is on disk before its code is compared. */

import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { Challenge } from '../../domain/otp/challenge.ts'
import type { Challenges } from '../../ports/challenges.ts'
import { toChallenge } from '../shared/rows.ts'
import type { ChallengeRow } from './challenge-table.ts'
import type { Driver } from './driver.ts'
import type { StoreMethods } from './store.ts'

export function sqliteChallenges(driver: Driver<StoreMethods>): Challenges {
  return {
    begin: ({ id, tenantId, accountId, maxAttempts, createdAt, expiresAt }) =>
      driver.call('beginChallenge', [id, tenantId, accountId, maxAttempts, createdAt, expiresAt]),
    arm: ({ id, tenantId }, { hash, maxAttempts, expiresAt }) =>
      driver.call('armChallenge', id, tenantId, hash, maxAttempts, expiresAt),
    find: async ({ id, tenantId }) => toFound(await driver.call('findChallenge', id, tenantId)),
    claim: async ({ id, tenantId }, at) => toFound(await driver.call('claimChallenge', id, tenantId, at)),
    verify: ({ id, tenantId }, at) => driver.call('verifyChallenge', id, tenantId, at),
    ended: async (at, limit) =>
      (await driver.call('endedChallenges', at, limit)).map(({ id, tenant }) => ({
        id: String(id) as MessageId,
        tenantId: String(tenant) as TenantId,
      })),
    clear: ({ id, tenantId }, forgetBefore) => driver.call('clearChallenge', id, tenantId, forgetBefore),
  }
}

const toFound = (row: ChallengeRow | undefined): Challenge | undefined => row && toChallenge(row)
