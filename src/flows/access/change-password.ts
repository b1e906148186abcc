/** Changes the password of somebody who is signed in and knows the current one. */
import type { User } from '../../domain/access/user.ts'
import type { Users } from '../../ports/users.ts'
import { refuse } from '../errors.ts'
import type { Begun } from './begin-session.ts'
import { type SetPasswordDeps, setPassword } from './set-password.ts'
import { type VerifyPasswordDeps, verifyPassword } from './sign-in.ts'

export type ChangePasswordDeps = SetPasswordDeps & VerifyPasswordDeps & Readonly<{ users: Pick<Users, 'find'> }>

export type PasswordChange = Readonly<{ current: string; next: string; client: string }>

export async function changePassword(
  deps: ChangePasswordDeps,
  { id, email }: Pick<User, 'id' | 'email'>,
  { current, next, client }: PasswordChange,
): Promise<Begun> {
  const tried = { email, password: current, client }
  const { user, verdict } = await verifyPassword(deps, tried, () => deps.users.find(id))
  if (user === undefined || verdict === 'wrong') throw refuseField('/current_password', 'is wrong')
  if (next === current) throw refuseField('/new_password', 'must not be the current password')
  return await setPassword(deps, user, next, '/new_password')
}

const refuseField = (path: string, message: string) =>
  refuse('VALIDATION_ERROR', `${path} ${message}`, [{ path, message }])
