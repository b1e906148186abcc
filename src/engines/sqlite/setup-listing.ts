/** The contents of a file to be moved elsewhere: read while no gateway uses it, on a connection of its own. */

import type { TenantId } from '../../domain/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { SetupListing } from '../../ports/setup-listing.ts'
import { toChallenge } from '../shared/rows.ts'
import { openReader } from './database.ts'

const TENANTS = `
  select tenant from limit_rules
  union select tenant from operator_limit_rules
  union select tenant from recipients where removed_at is null
  union select tenant from suppressions
  union select tenant from templates
  union select tenant from routes
  union select tenant from api_keys
  union select tenant from domains
  union select tenant from users
  union select tenant from challenges where ends_at is not null
  order by tenant
`

const UNCLEARED = `
  select * from challenges where tenant = ? and ends_at is not null and id > ? order by id limit ?
`

/** The schema must be current. */
export function openSetupListing(path: string): SetupListing & Disposable {
  const db = openReader(path)
  return {
    tenants: async () =>
      db
        .prepare(TENANTS)
        .all()
        .map(({ tenant }) => String(tenant) as TenantId),

    async uncleared({ tenantId, limit, cursor = '' }) {
      const challenges = db
        .prepare(UNCLEARED)
        .all(tenantId, cursor, limit + 1)
        .map(toChallenge)
      const last = challenges.length > limit ? challenges[limit - 1] : undefined
      return omitUndefined({ challenges: challenges.slice(0, limit), nextCursor: last?.id })
    },

    [Symbol.dispose]: () => db.close(),
  }
}
