/** How people sign in to the console: sessions, passwords and the identity provider, wired from the settings. */
import { sessionCookies } from './api/access/cookies.ts'
import { originCheck } from './api/access/own-origin.ts'
import { openSessionReader, type SessionReader } from './api/access/session-reader.ts'
import type { SignInParts } from './api/access/sign-in-parts.ts'
import type { Config } from './config/config.ts'
import { isLocalConsole } from './config/sign-in-conflicts.ts'
import type { Caller } from './domain/access/caller.ts'
import { parseTenantId } from './domain/ids.ts'
import { openPasswordHasher } from './engines/crypto/password-hasher.ts'
import { openSecretTokens } from './engines/crypto/secret-tokens.ts'
import { cachedSessions } from './engines/decorators/cached-sessions.ts'
import { openSignInThrottle } from './flows/access/sign-in-throttle.ts'
import { omitUndefined } from './lib/omit-undefined.ts'
import { seconds } from './lib/time.ts'
import type { Sessions, Users } from './ports/users.ts'
import type { Opening } from './profiles/profile.ts'

/** Replaces the stores of the profile. */
export type SignIn = Readonly<{
  users: Users
  sessions: Sessions
  signIn: SignInParts
  verifySession: SessionReader['verify']
}>

export async function openSignIn(
  { config, secrets, clock, opened }: Opening,
  engines: Readonly<{ users: Users; sessions: Sessions }>,
  checkTenant: (caller: Caller) => void = () => undefined,
): Promise<SignIn> {
  const { users, sessions } = cachedSessions(engines, clock)
  const publicUrl = publicUrlOf(config)
  const tokens = openSecretTokens(secrets.masterKey)
  const cookies = sessionCookies(!isLocalConsole(config))
  const checkOrigin = originCheck(omitUndefined({ publicUrl, isSecure: cookies.isSecure }))
  const lifetimes = { absolute: seconds(config.sessionHours * 3_600), idle: seconds(config.sessionIdleMinutes * 60) }
  const isPasswordOn = config.passwordSignIn === 'on'
  const reader = openSessionReader({ sessions, tokens, clock, lifetimes, cookies, checkOrigin, isPasswordOn })
  const signIn: SignInParts = {
    passwords: opened.use(openPasswordHasher()),
    ...{ tokens, cookies, checkOrigin, lifetimes, reader, checkTenant, isPasswordOn },
    throttle: openSignInThrottle(clock),
    ...omitUndefined({ publicUrl, identity: await openIdentity(config) }),
  }
  return { users, sessions, signIn, verifySession: reader.verify }
}

/** Without a trailing slash, so that paths can follow. */
const publicUrlOf = ({ publicUrl }: Config): string | undefined => publicUrl?.replace(/\/+$/, '')

/** Its client is loaded only where it is configured. */
async function openIdentity(config: Config): Promise<SignInParts['identity']> {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config
  const publicUrl = publicUrlOf(config)
  if (issuer === undefined || clientId === undefined || publicUrl === undefined) return undefined
  const { openIdentityProvider } = await import('./engines/oidc/identity-provider.ts')
  const { oidcScope: scope, oidcRoleClaim: roleClaim, oidcTenantClaim: tenantClaim } = config
  const redirectUrl = `${publicUrl}/v1/session/oidc/callback`
  const wanted = ['email', roleClaim]
  const provider = openIdentityProvider({
    ...omitUndefined({ clientSecret }),
    issuer,
    clientId,
    redirectUrl,
    scope,
    wanted,
  })
  const defaultTenant = parseTenantId(config.oidcDefaultTenant ?? '')
  return { provider, rules: omitUndefined({ roleClaim, tenantClaim, defaultTenant }) }
}
