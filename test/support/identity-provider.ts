/**
 * A real OpenID Connect provider (oidc-provider) on loopback. Whoever comes is signed in at once, as the person whom the
 * test has named last.
 */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import Provider from 'oidc-provider'

export type Person = Readonly<{ sub: string } & Record<string, unknown>>

export type TestIdentityProvider = AsyncDisposable &
  Readonly<{
    issuer: string
    clientId: string
    clientSecret: string
    /** Who sits at the browser from now on; undefined for somebody who refuses to sign in. */
    be: (person: Person | undefined) => void
    /** Closes the port: the provider is down. */
    stop: () => Promise<void>
  }>

export type TestIdentityProviderOptions = Readonly<{
  redirectUrl: string
  /** Whether the ID token has all claims; otherwise only the UserInfo endpoint has them. */
  hasFullTokens?: boolean
}>

const CLIENT = { clientId: 'pombo', clientSecret: 'a secret for tests only' }
const MINUTES = 600

export async function openIdentityProvider(options: TestIdentityProviderOptions): Promise<TestIdentityProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const issuer = `http://127.0.0.1:${port}`
  let person: Person | undefined
  const people = new Map<string, Person>()
  const provider = new Provider(issuer, toConfiguration(options, people))
  const handle = provider.callback()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const isAsking = request.url?.startsWith('/interaction/') === true
    void (isAsking ? answer(provider, person, request, response) : handle(request, response))
  })
  const stop = async (): Promise<void> => {
    if (!server.listening) return
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return {
    ...CLIENT,
    issuer,
    be: (next) => {
      person = next
      if (next !== undefined) people.set(next.sub, next)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function answer(
  provider: Provider,
  person: Person | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response)
  if (person === undefined) {
    await provider.interactionFinished(request, response, { error: 'access_denied', error_description: '<script>' })
  } else if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: person.sub, remember: false } })
  } else {
    const grant = new provider.Grant({ accountId: session?.accountId ?? person.sub, clientId: params.client_id })
    grant.addOIDCScope(params.scope)
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
  }
}

function toConfiguration(
  { redirectUrl, hasFullTokens = false }: TestIdentityProviderOptions,
  people: ReadonlyMap<string, Person>,
) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [redirectUrl],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    claims: {
      openid: ['sub', 'pombo_role', 'pombo_tenant'],
      email: ['email', 'email_verified'],
      profile: ['name'],
    },
    conformIdTokenClaims: !hasFullTokens,
    findAccount: async (_: unknown, id: string) => ({ accountId: id, claims: async () => people.get(id) }),
    interactions: { url: async (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'tests', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['for tests only'] },
    ttl: {
      AccessToken: MINUTES,
      AuthorizationCode: MINUTES,
      Grant: MINUTES,
      IdToken: MINUTES,
      Interaction: MINUTES,
      Session: MINUTES,
    },
  }
}
