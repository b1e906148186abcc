import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCookieBrowser } from '../../../test/support/cookie-jar.ts'
import { openIdentityProvider as openProvider, type Person } from '../../../test/support/identity-provider.ts'
import type { SignInChecks } from '../../ports/identity-provider.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openIdentityProvider } from './identity-provider.ts'

/** Nothing listens here: the browser stops before it goes there. */
const REDIRECT = 'http://127.0.0.1:9/v1/session/oidc/callback'
const ANA: Person = {
  sub: 'ana',
  email: 'ana@example.com',
  email_verified: true,
  name: 'Ana',
  pombo_role: 'support',
  pombo_tenant: 'acme',
}

async function openWorld(hasFullTokens = false) {
  const idp = await openProvider({ redirectUrl: REDIRECT, hasFullTokens })
  const { issuer, clientId, clientSecret } = idp
  const client = { issuer, clientId, clientSecret, redirectUrl: REDIRECT, scope: 'openid email profile' }
  const provider = openIdentityProvider({ ...client, wanted: ['email', 'pombo_role'] })
  return {
    idp,
    provider,
    /** What the browser brings back, as the provider sends it. */
    async comeBack(url: string): Promise<string> {
      const browser = openCookieBrowser()
      let visited = await browser.visit(url, 0)
      for (;;) {
        const next = new URL(visited.headers.get('location') ?? '', visited.url)
        if (next.href.startsWith(REDIRECT)) return next.search.slice(1)
        assert.equal(visited.status, 303, visited.text)
        visited = await browser.visit(next.href, 0)
      }
    },
    [Symbol.asyncDispose]: () => idp[Symbol.asyncDispose](),
  }
}

const reasonOf = (answer: Readonly<{ kind: string; reason?: string }>) => [answer.kind, answer.reason]

const WRONG = ['refused', 'The answer of the identity provider does not belong to this sign-in, or was used.']

for (const hasFullTokens of [false, true]) {
  test(`returns the claims of ${hasFullTokens ? 'the ID token' : 'the UserInfo endpoint'}`, async () => {
    await using world = await openWorld(hasFullTokens)
    world.idp.be(ANA)
    const { url, checks } = await world.provider.begin()
    const answer = await world.provider.finish(await world.comeBack(url), checks)
    assert.ok(answer.kind === 'claims', JSON.stringify(answer))
    const { sub, email, pombo_role, pombo_tenant } = answer.claims
    assert.deepEqual([sub, email, pombo_role, pombo_tenant], ['ana', ANA['email'], 'support', 'acme'])
  })
}

test('every sign-in has checks of its own, and the address asks for PKCE', async () => {
  await using world = await openWorld()
  const [one, other] = [await world.provider.begin(), await world.provider.begin()]
  for (const name of ['state', 'nonce', 'verifier'] as const) assert.notEqual(one.checks[name], other.checks[name])
  const query = new URL(one.url).searchParams
  assert.equal(query.get('code_challenge_method'), 'S256')
  assert.equal(query.get('state'), one.checks.state)
  assert.equal(one.url.includes(one.checks.verifier), false)
})

test('refuses another state, nonce or verifier, and a code that was used', async () => {
  await using world = await openWorld()
  world.idp.be(ANA)
  const changes: readonly Partial<SignInChecks>[] = [
    { state: 'another' },
    { nonce: 'another' },
    { verifier: 'another-verifier-of-the-right-length-0123456789' },
  ]
  for (const change of changes) {
    const { url, checks } = await world.provider.begin()
    const query = await world.comeBack(url)
    assert.deepEqual(reasonOf(await world.provider.finish(query, { ...checks, ...change })), WRONG)
  }
  const { url, checks } = await world.provider.begin()
  const query = await world.comeBack(url)
  assert.equal((await world.provider.finish(query, checks)).kind, 'claims')
  assert.deepEqual(reasonOf(await world.provider.finish(query, checks)), WRONG)
  for (const forged of ['', 'code=made-up', `code=made-up&state=${checks.state}`])
    assert.equal((await world.provider.finish(forged, checks)).kind, 'refused')
})

test('says when the person or the provider has refused, without repeating what was sent', async () => {
  await using world = await openWorld()
  world.idp.be(undefined)
  const { url, checks } = await world.provider.begin()
  const answer = await world.provider.finish(await world.comeBack(url), checks)
  assert.deepEqual(reasonOf(answer), ['refused', 'The identity provider has refused the sign-in.'])
})

test('a provider that is down is unavailable, and is asked again once it is back', async () => {
  await using world = await openWorld()
  const { checks } = await world.provider.begin()
  await world.idp.stop()
  await assert.rejects(
    world.provider.finish(`code=x&state=${checks.state}&iss=${world.idp.issuer}`, checks),
    Unavailable,
  )
  const nowhere = { issuer: 'http://127.0.0.1:9', clientId: 'x', redirectUrl: REDIRECT, scope: 'openid', wanted: [] }
  const down = openIdentityProvider(nowhere)
  await assert.rejects(down.begin(), Unavailable)
  await assert.rejects(down.begin(), Unavailable)
})
