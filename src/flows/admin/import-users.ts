/** Imports the users of a store into another, without their sessions. Users that exist stay as they are, so it can be repeated. */
import type { User } from '../../domain/access/user.ts'
import type { SetupListing } from '../../ports/setup-listing.ts'
import type { Users } from '../../ports/users.ts'
import { type ImportCounts, type ImportOutcome, importPages, NOTHING, sum } from './import-pages.ts'

export type ImportUsersDeps = Readonly<{
  source: Readonly<{ users: Pick<Users, 'list'>; listing: Pick<SetupListing, 'tenants'> }>
  target: Readonly<{ users: Pick<Users, 'find' | 'add'> }>
}>

export async function importUsers(deps: ImportUsersDeps): Promise<ImportCounts> {
  const { users, listing } = deps.source
  let counts = NOTHING
  for (const tenantId of await listing.tenants()) {
    const read = async () => ({ items: await users.list(tenantId), nextCursor: undefined })
    counts = sum(counts, await importPages(read, (user) => importUser(deps, user)))
  }
  return counts
}

/** Passwords are hashed without the master key, so they stay valid; links of invitations are signed with it. */
async function importUser({ target: { users } }: ImportUsersDeps, user: User): Promise<ImportOutcome> {
  if ((await users.find(user.id)) !== undefined) return 'there'
  const { lastSignInAt: _, ...asAdded } = user
  return (await users.add(asAdded)) === 'added' ? 'added' : 'left'
}
