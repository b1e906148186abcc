/** Sets the password of somebody who has an invitation, and signs them in. */
import type { Users } from '../../ports/users.ts'
import type { Begun } from './begin-session.ts'
import { findInvited } from './invitation.ts'
import { type SetPasswordDeps, setPassword } from './set-password.ts'

export type AcceptInvitationDeps = SetPasswordDeps & Readonly<{ users: Pick<Users, 'find'> }>

export async function acceptInvitation(deps: AcceptInvitationDeps, token: string, password: string): Promise<Begun> {
  return await setPassword(deps, await findInvited(deps, token), password, '/password')
}
