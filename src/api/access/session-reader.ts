/**
 * Finds the session of a cookie. Another site can make a browser send the cookie, but not the header X-CSRF-Token: every
 * call that may change something needs both.
 */

import type { Caller } from '../../domain/access/caller.ts'
import { extendedEnd, type SessionLifetimes } from '../../domain/access/session.ts'
import { type Role, SCOPES_OF, type User } from '../../domain/access/user.ts'
import type { AccountId } from '../../domain/ids.ts'
import { hashOfSessionToken } from '../../flows/access/session-token.ts'
import { refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { isSame } from '../../lib/constant-time.ts'
import type { SecretTokens } from '../../ports/secret-tokens.ts'
import type { Session, Sessions, SignedIn } from '../../ports/users.ts'
import type { Presented } from '../http/auth.ts'
import { readCookie, type SessionCookies } from './cookies.ts'
import type { OriginCheck } from './own-origin.ts'

export type SessionReaderDeps = Readonly<{
  sessions: Pick<Sessions, 'find' | 'extend'>
  tokens: SecretTokens
  clock: Clock
  lifetimes: SessionLifetimes
  cookies: SessionCookies
  checkOrigin: OriginCheck
  /** Otherwise sessions that began with a password are over. */
  isPasswordOn: boolean
}>

export type SessionReader = Readonly<{
  /** The session of the cookie, whatever the call may do; undefined without one that is valid. */
  read: (request: Presented) => Promise<SignedIn | undefined>
  /** Resolves the cookie to its caller, or throws a refusal; undefined without a cookie. */
  verify: (request: Presented) => Promise<Caller> | undefined
  csrfTokenOf: (session: Session) => string
}>

/** Only what cannot change anything does without the token. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export function openSessionReader(deps: SessionReaderDeps): SessionReader {
  const { tokens, cookies, checkOrigin } = deps
  const csrfTokenOf = ({ hash }: Session): string => tokens.sign('csrf', hash)

  async function verify(request: Presented, token: string): Promise<Caller> {
    const isRead = READS.has(request.method)
    if (!isRead) checkOrigin(request)
    const found = await findSession(deps, token, request)
    if (found === undefined) throw refuse('UNAUTHENTICATED', 'The session has ended; sign in again')
    if (!isRead && !isSame(csrfTokenOf(found.session), csrfTokenIn(request)))
      throw refuse('INVALID_CSRF_TOKEN', 'Send the header X-CSRF-Token with the csrf_token of GET /v1/session')
    return callerOfUser(found.user)
  }

  return {
    csrfTokenOf,
    read: async (request) => {
      const token = readCookie(request, cookies.session)
      return token === undefined ? undefined : await findSession(deps, token, request)
    },
    verify: (request) => {
      const token = readCookie(request, cookies.session)
      return token === undefined ? undefined : verify(request, token)
    },
  }
}

const csrfTokenIn = ({ headers: { 'x-csrf-token': given } }: Presented): string =>
  typeof given === 'string' ? given : ''

/** Calls that the console makes by itself carry this header, so that an unattended console becomes idle. */
const isBackground = ({ headers }: Presented): boolean => headers['pombo-background'] !== undefined

/** Asks the store only for tokens that we made. Using a session moves its end. */
async function findSession(deps: SessionReaderDeps, token: string, request: Presented): Promise<SignedIn | undefined> {
  const { sessions, tokens, clock, lifetimes } = deps
  const [hash, now] = [hashOfSessionToken(tokens, token), clock()]
  if (hash === undefined) return undefined
  const found = await sessions.find(hash, now)
  if (found === undefined || now >= found.session.expiresAt || !isWayOpen(deps, found)) return undefined
  const expiresAt = isBackground(request) ? undefined : extendedEnd(found.session, now, lifetimes)
  if (expiresAt === undefined) return found
  await sessions.extend(hash, expiresAt)
  return { ...found, session: { ...found.session, expiresAt } }
}

/** Sessions end when their user gets another way to sign in, so this is also the way in which the session began. */
const isWayOpen = ({ isPasswordOn }: SessionReaderDeps, { user: { signIn } }: SignedIn): boolean =>
  isPasswordOn || signIn.kind !== 'password'

const DEFAULT_ACCOUNT = 'default' as AccountId

export const callerOfUser = ({
  id,
  tenantId,
  email,
  role,
}: Pick<User, 'id' | 'tenantId' | 'email' | 'role'>): Caller => ({
  tenantId,
  accountId: DEFAULT_ACCOUNT,
  scopes: scopesOf(role),
  actor: { kind: 'user', id, email },
})

const scopesOf = (role: Role): Caller['scopes'] => new Set(SCOPES_OF[role])
