/** Stores a change of a user, and turns what prevents it into a refusal. */
import { endsSessions, type User } from '../../domain/access/user.ts'
import type { Users } from '../../ports/users.ts'
import { type Refusal, refuse } from '../errors.ts'

export type ChangeUserDeps = Readonly<{ users: Pick<Users, 'change'> }>

/** A user who has another role, or is disabled, has to sign in again. */
export async function changeUser({ users }: ChangeUserDeps, before: User, after: User): Promise<User> {
  const change = { user: after, endsSessions: endsSessions(before, after), mayLeaveNoOperator: false }
  const outcome = await users.change(change)
  switch (outcome) {
    case 'changed':
      return after
    case 'taken':
      throw refuse('CONFLICT', 'Another user already has this email address')
    case 'outdated':
      throw refuse('CONFLICT', 'The user was changed at the same time; get it and try again')
    case 'last_operator':
      throw lastOperator()
  }
}

export const lastOperator = (): Refusal =>
  refuse('CONFLICT', 'This is the last active operator; make somebody else an operator first')
