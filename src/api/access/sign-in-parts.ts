/** What signing in to the console needs besides the stores, and how a session that has begun reaches the browser. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/access/caller.ts'
import type { IdentityRules } from '../../domain/access/identity.ts'
import type { SessionLifetimes } from '../../domain/access/session.ts'
import type { Begun } from '../../flows/access/begin-session.ts'
import { hashOfSessionToken } from '../../flows/access/session-token.ts'
import type { SignInThrottle } from '../../flows/access/sign-in-throttle.ts'
import type { IdentityProvider } from '../../ports/identity-provider.ts'
import type { PasswordHasher } from '../../ports/password-hasher.ts'
import type { SecretTokens } from '../../ports/secret-tokens.ts'
import type { Sessions } from '../../ports/users.ts'
import { readCookie, type SessionCookies, toClearedCookie, toSetCookie } from './cookies.ts'
import type { OriginCheck } from './own-origin.ts'
import type { SessionReader } from './session-reader.ts'

export type SignInParts = Readonly<{
  passwords: PasswordHasher
  tokens: SecretTokens
  throttle: SignInThrottle
  lifetimes: SessionLifetimes
  cookies: SessionCookies
  reader: SessionReader
  checkOrigin: OriginCheck
  /** Throws a refusal if the tenant may not call. */
  checkTenant: (caller: Caller) => void
  isPasswordOn: boolean
  /** Only where an identity provider is configured. */
  identity?: Readonly<{ provider: IdentityProvider; rules: IdentityRules }>
  /** Without a trailing slash. Without it, links lead to the host that the call named. */
  publicUrl?: string
}>

/** The URL of the console as people reach it, without a trailing slash. */
export const consoleUrlOf = ({ publicUrl }: Pick<SignInParts, 'publicUrl'>, { host }: FastifyRequest): string =>
  `${publicUrl ?? `http://${host}`}/console`

type Replacing = Readonly<{ sessions: Pick<Sessions, 'end'>; signIn: SignInParts }>

/** Sets the cookie, and ends the session of the cookie that it replaces. */
export async function enter(
  { sessions, signIn }: Replacing,
  request: FastifyRequest,
  reply: FastifyReply,
  { token }: Begun,
): Promise<void> {
  const { cookies, tokens, lifetimes } = signIn
  const cookie = readCookie(request, cookies.session)
  const replaced = cookie === undefined ? undefined : hashOfSessionToken(tokens, cookie)
  if (replaced !== undefined) await sessions.end(replaced)
  const maxAgeSeconds = lifetimes.absolute / 1_000
  reply.header('set-cookie', toSetCookie(cookies.session, token, { ...attributes(cookies), maxAgeSeconds }))
}

export const leave = ({ cookies }: SignInParts, reply: FastifyReply): FastifyReply =>
  reply.header('set-cookie', toClearedCookie(cookies.session, attributes(cookies)))

const attributes = ({ isSecure }: SessionCookies) => ({ isSecure, sameSite: 'Strict' as const })
