/** Gives a user a new password, which ends all earlier sessions, and begins a new one. */
import { passwordProblem, toComparablePassword } from '../../domain/access/password.ts'
import { type User, withChanges, withoutInvitation } from '../../domain/access/user.ts'
import type { PasswordHasher } from '../../ports/password-hasher.ts'
import type { Users } from '../../ports/users.ts'
import { refuse } from '../errors.ts'
import { type BeginSessionDeps, type Begun, beginSession } from './begin-session.ts'

export type SetPasswordDeps = BeginSessionDeps &
  Readonly<{
    users: Pick<Users, 'change'>
    passwords: PasswordHasher
    /** Called once the user has the new password, before the session begins. */
    onChange: (user: User) => Promise<void>
  }>

/** `path` is the field that has the password. */
export async function setPassword(deps: SetPasswordDeps, user: User, password: string, path: string): Promise<Begun> {
  deps.checkTenant(user)
  const problem = passwordProblem(password, user.email)
  if (problem !== undefined) throw refuse('VALIDATION_ERROR', `${path} ${problem}`, [{ path, message: problem }])
  const encoded = await deps.passwords.hash(toComparablePassword(password))
  const signIn = { kind: 'password' as const, password: encoded }
  const next = withChanges(withoutInvitation(user), { signIn }, deps.clock())
  const outcome = await deps.users.change({ user: next, endsSessions: true, mayLeaveNoOperator: false })
  if (outcome !== 'changed') throw refuse('CONFLICT', 'The user was changed at the same time; try again')
  await deps.onChange(next)
  return await beginSession(deps, next)
}
