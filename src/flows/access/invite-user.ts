/** Draws a new invitation for a user: the earlier link ends. The password, if there is one, stays until it is replaced. */
import { type User, withChanges } from '../../domain/access/user.ts'
import type { Clock } from '../../lib/clock.ts'
import type { SecretTokens } from '../../ports/secret-tokens.ts'
import { refuse } from '../errors.ts'
import { type ChangeUserDeps, changeUser } from './change-user.ts'
import type { Invited } from './create-user.ts'
import { drawInvitation } from './invitation.ts'

export type InviteUserDeps = ChangeUserDeps & Readonly<{ tokens: SecretTokens; clock: Clock }>

export async function inviteUser(deps: InviteUserDeps, user: User): Promise<Invited> {
  if (user.signIn.kind === 'oidc')
    throw refuse('CONFLICT', 'The user signs in with the identity provider and has no password here')
  if (user.state === 'disabled') throw refuse('CONFLICT', 'The user is disabled; enable it first')
  const at = deps.clock()
  const { token, invitation } = drawInvitation(deps.tokens, user.id, at)
  return { user: await changeUser(deps, user, withChanges(user, { invitation }, at)), token }
}
