/**
 * An OpenID Connect provider, by its discovery document. The document is fetched when somebody first signs in, and again
 * after a failure, so that Pombo starts while the provider is down.
 */
import * as oidc from 'openid-client'
import type { Claims, IdentityAnswer, IdentityProvider, SignInChecks } from '../../ports/identity-provider.ts'
import { Unavailable } from '../../ports/unavailable.ts'

export type IdentityProviderOptions = Readonly<{
  issuer: string
  clientId: string
  /** A public client has none. */
  clientSecret?: string
  /** Where the provider sends the browser back to. */
  redirectUrl: string
  scope: string
  /** The claims that must be there; what the ID token lacks is asked from the UserInfo endpoint. */
  wanted: readonly string[]
}>

const TIMEOUT_SECONDS = 10

export function openIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { redirectUrl, scope } = options
  let discovered: Promise<oidc.Configuration> | undefined

  function configuration(): Promise<oidc.Configuration> {
    discovered ??= discover(options).catch((cause: unknown) => {
      discovered = undefined
      throw new Unavailable('the identity provider cannot be reached', { cause })
    })
    return discovered
  }

  return {
    async begin() {
      const config = await configuration()
      const verifier = oidc.randomPKCECodeVerifier()
      const checks = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier }
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUrl,
        scope,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, checks }
    },

    async finish(query, checks) {
      const config = await configuration()
      try {
        const tokens = await exchange(config, `${redirectUrl}?${query}`, checks)
        return { kind: 'claims', claims: await claimsOf(config, tokens, options.wanted) }
      } catch (error) {
        return toAnswer(error)
      }
    },
  }
}

function discover({ issuer, clientId, clientSecret }: IdentityProviderOptions): Promise<oidc.Configuration> {
  const authentication = clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret)
  // The configuration allows http on loopback only.
  const insecure = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []
  const execute = [oidc.enableNonRepudiationChecks, ...insecure]
  return oidc.discovery(new URL(issuer), clientId, undefined, authentication, { execute, timeout: TIMEOUT_SECONDS })
}

type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>

const exchange = (config: oidc.Configuration, url: string, checks: SignInChecks): Promise<Tokens> =>
  oidc.authorizationCodeGrant(config, new URL(url), {
    pkceCodeVerifier: checks.verifier,
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    idTokenExpected: true,
  })

async function claimsOf(config: oidc.Configuration, tokens: Tokens, wanted: readonly string[]): Promise<Claims> {
  const claims = tokens.claims()
  if (claims === undefined) throw new Error('the identity provider has sent no ID token')
  const isComplete = wanted.every((name) => claims[name] !== undefined)
  if (isComplete || config.serverMetadata().userinfo_endpoint === undefined) return claims
  return { ...(await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims }
}

/** What the provider or the browser has sent may be forged, so the person reads nothing of it. */
function toAnswer(error: unknown): IdentityAnswer {
  if (error instanceof oidc.AuthorizationResponseError)
    return { kind: 'refused', reason: 'The identity provider has refused the sign-in.' }
  if (isOutage(error)) throw new Unavailable('the identity provider cannot be reached', { cause: error })
  return {
    kind: 'refused',
    reason: 'The answer of the identity provider does not belong to this sign-in, or was used.',
  }
}

const OUTAGES: ReadonlySet<unknown> = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT'])
const SERVER_ERROR = 500

/** Without a connection `fetch` throws a TypeError. */
function isOutage(error: unknown): boolean {
  if (error instanceof oidc.ClientError) return OUTAGES.has(error.code) || isOutage(error.cause)
  if (error instanceof Response) return error.status >= SERVER_ERROR
  return error instanceof TypeError && error.message === 'fetch failed'
}
