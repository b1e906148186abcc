/** What a file holds that is moved elsewhere: only asked while no gateway runs on it, by a connection of its own. */
import type { TenantId } from '../../domain/ids.ts'
import type { SetupListing } from '../../ports/setup-listing.ts'
import { toChallenge } from '../shared/rows.ts'
import { openReader } from './database.ts'

const TENANTS = `
  select tenant from limit_rules
  union select tenant from recipients where removed_at is null
  union select tenant from suppressions
  union select tenant from templates
  union select tenant from routes
  union select tenant from challenges where ends_at is not null
  order by tenant
`

const UNCLEARED = `
  select * from challenges where tenant = ? and ends_at is not null and id > ? order by id limit ?
`

/** The file must be up to date. */
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
      return { challenges: challenges.slice(0, limit), ...(last === undefined ? {} : { nextCursor: last.id }) }
    },

    [Symbol.dispose]: () => db.close(),
  }
}
