/** Wires who may call: callers are verified by token, API key or session, and their tenants checked. */
import { openKeyVerifier } from './api/access/api-key-auth.ts'
import { type AuthenticatorDeps, openAuthenticator } from './api/access/authenticator.ts'
import { tenantCheck } from './api/access/check-tenant.ts'
import { openTokenVerifier } from './api/access/jwt.ts'
import { openCallers } from './api/access/open-callers.ts'
import type { Authenticator } from './api/http/auth.ts'
import type { Config } from './config/config.ts'
import type { Secrets } from './config/secrets.ts'
import { openUsersOf } from './config/users-api-settings.ts'
import { openApiKeySecrets } from './engines/crypto/api-key-secrets.ts'
import type { Clock } from './lib/clock.ts'
import { omitUndefined } from './lib/omit-undefined.ts'
import { seconds } from './lib/time.ts'
import type { Engines } from './ports/engines.ts'
import type { Opening } from './profiles/profile.ts'
import { openSignIn } from './sign-in.ts'
import { openApiKeyUses } from './workers/api-key-uses.ts'

/** Who may call: by a token, an API key or the session of somebody who has signed in to the console. */
export async function openAccess(
  opening: Opening,
  world: Pick<Engines, 'apiKeys' | 'tenants' | 'users' | 'sessions'> & Readonly<{ clock: Clock }>,
) {
  const { config, secrets, time } = opening
  const ofTenant = tenantCheck(world.tenants, config.tenantPolicy)
  const { verifyKey, ...keys } = openApiKeys(secrets, world)
  const { verifySession, ...people } = await openSignIn(opening, world, ofTenant.checkTenant)
  const verifyToken = await openTokenVerifier({ ...toTrust(config, secrets), clock: time.wall })
  const credentials = { verifyToken, verifyKey, verifySession, ...ofTenant }
  const auths = { auth: openAuthenticator(credentials), ...usersAuthOf(config, credentials) }
  return { keys, people, auths, credentials }
}

/** An authenticator of its own for the users API, if it is open. */
function usersAuthOf(config: Config, credentials: AuthenticatorDeps): Readonly<{ usersAuth?: Authenticator }> {
  const open = openUsersOf(config)
  return open === undefined ? {} : { usersAuth: openAuthenticator({ ...credentials, verifyOpen: openCallers(open) }) }
}

/** How API keys are issued and verified, and where their uses are noted. */
function openApiKeys(
  { masterKey }: Secrets,
  { apiKeys, clock }: Pick<Engines, 'apiKeys'> & Readonly<{ clock: Clock }>,
) {
  const apiKeySecrets = openApiKeySecrets(masterKey)
  const apiKeyUses = openApiKeyUses(apiKeys)
  const verifyKey = openKeyVerifier({ apiKeys, secrets: apiKeySecrets, clock, onUse: apiKeyUses.note })
  return { apiKeySecrets, apiKeyUses, verifyKey }
}

function toTrust(config: Config, { jwtSecret }: Secrets) {
  const { jwksUrl, jwksFile, jwtIssuer, jwtAudience, jwtMaxLifetimeSeconds } = config
  const hasKeySet = (jwksUrl ?? jwksFile) !== undefined
  return omitUndefined({
    secret: jwtSecret,
    jwks: hasKeySet ? omitUndefined({ url: jwksUrl, file: jwksFile }) : undefined,
    issuer: jwtIssuer,
    audience: jwtAudience,
    maxLifetime: seconds(jwtMaxLifetimeSeconds),
  })
}
