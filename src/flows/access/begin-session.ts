/** Begins the session of a user who has proved who they are. Its token is new, whatever the browser had before. */
import { endOf, type SessionLifetimes } from '../../domain/access/session.ts'
import type { User } from '../../domain/access/user.ts'
import type { Clock } from '../../lib/clock.ts'
import type { SecretTokens } from '../../ports/secret-tokens.ts'
import type { Session, Sessions } from '../../ports/users.ts'
import { refuse } from '../errors.ts'
import { drawSessionToken } from './session-token.ts'

export type BeginSessionDeps = Readonly<{
  sessions: Pick<Sessions, 'begin'>
  tokens: SecretTokens
  clock: Clock
  lifetimes: SessionLifetimes
  /** Throws a refusal if the user's tenant may not call. */
  checkTenant: (user: User) => void
}>

/** The token goes into the cookie. */
export type Begun = Readonly<{ token: string; session: Session; user: User }>

export async function beginSession(deps: BeginSessionDeps, user: User): Promise<Begun> {
  const { sessions, tokens, clock, lifetimes, checkTenant } = deps
  checkTenant(user)
  const { token, hash } = drawSessionToken(tokens)
  const createdAt = clock()
  const expiresAt = endOf(createdAt, createdAt, lifetimes)
  const session = { hash, userId: user.id, createdAt, expiresAt }
  const hasBegun = await sessions.begin(session, user.version)
  if (!hasBegun) throw refuse('CONFLICT', 'The user was changed at the same time; sign in again')
  return { token, session, user: { ...user, lastSignInAt: createdAt } }
}
