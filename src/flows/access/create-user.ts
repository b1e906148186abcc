/** Creates a user with a password to be set, and the invitation with which the person sets it. */
import type { Role, User } from '../../domain/access/user.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { SecretTokens } from '../../ports/secret-tokens.ts'
import type { Users } from '../../ports/users.ts'
import type { Ids } from '../../ports/world.ts'
import { refuse } from '../errors.ts'
import { drawInvitation } from './invitation.ts'

export type CreateUserDeps = Readonly<{
  users: Pick<Users, 'add' | 'list'>
  tokens: SecretTokens
  ids: Pick<Ids, 'userId'>
  clock: Clock
}>

export type NewUser = Readonly<{ tenantId: TenantId; email: EmailAddress; name?: string; role: Role }>

/** `token` is for the link. */
export type Invited = Readonly<{ user: User; token: string }>

/** Lists are not paged. */
export const MAX_USERS = 1_000

export async function createUser({ users, tokens, ids, clock }: CreateUserDeps, wanted: NewUser): Promise<Invited> {
  const { length } = await users.list(wanted.tenantId)
  if (length >= MAX_USERS) throw refuse('CONFLICT', `The maximum of ${MAX_USERS} users is reached; remove one first`)
  const at = clock()
  const id = ids.userId(at)
  const { token, invitation } = drawInvitation(tokens, id, at)
  const { tenantId, email, name, role } = wanted
  const user: User = {
    ...omitUndefined({ id, tenantId, email, name, role }),
    state: 'active',
    signIn: { kind: 'password' },
    invitation,
    version: 1,
    createdAt: at,
    updatedAt: at,
  }
  if ((await users.add(user)) === 'taken') throw refuse('CONFLICT', 'Another user already has this email address')
  return { user, token }
}
