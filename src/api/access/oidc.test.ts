import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cookieOf, EMAIL, openSignInWorld, setCookieOf } from '../../../test/support/sign-in-world.ts'
import type { User } from '../../domain/access/user.ts'
import type { TenantId } from '../../domain/ids.ts'
import { refuse } from '../../flows/errors.ts'
import { seconds } from '../../lib/time.ts'
import type { IdentityAnswer, IdentityProvider, SignInChecks } from '../../ports/identity-provider.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { HASHED, someUser } from '../../ports/users.contract.ts'
import type { SignInParts } from './sign-in-parts.ts'

const CHECKS: SignInChecks = { state: 's1', nonce: 'n1', verifier: 'v1' }
const CLAIMS = { sub: 'sub|1', email: EMAIL, name: 'Ana', pombo_role: 'support', pombo_tenant: 'acme' }
const VERIFIED = { ...CLAIMS, email_verified: true }
const RULES = { roleClaim: 'pombo_role', tenantClaim: 'pombo_tenant' }

/** A provider that answers with these claims, to whatever the browser brings back. */
async function openWorld(claims: object = CLAIMS, wanted: Partial<User> = {}, changes: Partial<SignInParts> = {}) {
  const finished: (readonly [string, SignInChecks])[] = []
  let answer: () => Promise<IdentityAnswer> = async () => ({ kind: 'claims', claims: { ...claims } })
  const provider: IdentityProvider = {
    begin: async () => ({ url: 'https://idp.example/authorize?x=1', checks: CHECKS }),
    finish: async (query, checks) => {
      finished.push([query, checks])
      return answer()
    },
  }
  const world = await openSignInWorld(
    { identity: { provider, rules: RULES }, ...changes },
    { email: 'zoe@example.com' as never, ...wanted },
  )
  const begin = async () => cookieOf(await world.call('GET', '/v1/session/oidc'))
  const finish = (cookie: string, query = 'code=c1&state=s1') =>
    world.call('GET', `/v1/session/oidc/callback?${query}`, undefined, { cookie })
  return {
    ...world,
    finished,
    begin,
    finish,
    signInWithProvider: async () => finish(await begin()),
    provider: (next: typeof answer) => {
      answer = next
    },
  }
}

/** The session cookie, which is not the first that is set. */
const sessionIn = (answer: Readonly<{ headers: Readonly<Record<string, unknown>> }>): string =>
  [answer.headers['set-cookie']]
    .flat()
    .map(String)
    .find((one) => one.startsWith('pombo_session=')) ?? ''

const refusalIn = (answer: Readonly<{ statusCode: number; body: string }>) => [
  answer.statusCode,
  /<p>([^<]+)<\/p>/.exec(answer.body)?.[1],
]

test('sends the browser to the provider, and remembers what the answer must match in a signed cookie', async () => {
  await using world = await openWorld()
  const answer = await world.call('GET', '/v1/session/oidc')
  assert.deepEqual([answer.statusCode, answer.headers['location']], [303, 'https://idp.example/authorize?x=1'])
  assert.match(setCookieOf(answer), /^pombo_oidc=[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)
  assert.equal((await world.call('GET', '/v1/session')).json().ways.oidc, true)
})

test('the first sign-in creates the user, later ones bring role, tenant and name up to date', async () => {
  await using world = await openWorld()
  const first = await world.signInWithProvider()
  assert.deepEqual([first.statusCode, first.headers['location']], [303, 'https://pombo.example/console/'])
  assert.deepEqual(world.finished, [['code=c1&state=s1', CHECKS]])
  const cookie = sessionIn(first).split(';', 1).join()
  assert.match(sessionIn(first), /HttpOnly; SameSite=Strict/)
  const session = (await world.call('GET', '/v1/session', undefined, { cookie })).json()
  const { id, ...shown } = session.user
  assert.deepEqual(shown, { email: EMAIL, name: 'Ana', role: 'support', sign_in: 'oidc' })

  const later = {
    ...CLAIMS,
    email: 'ana.souza@example.com',
    name: undefined,
    pombo_role: 'admin',
    pombo_tenant: 'globex',
  }
  world.provider(async () => ({ kind: 'claims', claims: later }))
  const second = await world.signInWithProvider()
  const user = await world.users.find(id)
  assert.deepEqual(
    [user?.email, user?.name, user?.role, user?.tenantId],
    ['ana.souza@example.com', 'Ana', 'admin', 'globex'],
  )
  assert.equal((await world.call('GET', '/v1/session', undefined, { cookie })).json().signed_in, false)
  const fresh = sessionIn(second).split(';', 1).join()
  assert.deepEqual((await world.call('GET', '/v1/session', undefined, { cookie: fresh })).json().scopes, ['admin'])
})

test('signing in twice with the same claims keeps the first session', async () => {
  await using world = await openWorld()
  const first = sessionIn(await world.signInWithProvider())
    .split(';', 1)
    .join()
  await world.signInWithProvider()
  assert.equal((await world.call('GET', '/v1/session', undefined, { cookie: first })).json().signed_in, true)
})

test('a user with a password is taken over by the provider, and the password ends', async () => {
  for (const role of ['operator', 'support'] as const) {
    await using world = await openWorld(VERIFIED, { email: EMAIL, role, tenantId: 'acme' as TenantId })
    const before = await world.signedIn()
    assert.equal((await world.signInWithProvider()).statusCode, 303)
    const user = await world.users.find(world.ana.id)
    assert.deepEqual([user?.signIn, user?.role], [{ kind: 'oidc', subject: 'sub|1' }, 'support'])
    assert.equal((await world.call('GET', '/v1/session', undefined, before)).json().signed_in, false)
    assert.equal((await world.signIn()).statusCode, 401)
  }
})

test('nobody takes over a user by an address that the provider does not say it has verified', async () => {
  const signIns: readonly User['signIn'][] = [HASHED, { kind: 'password' }, { kind: 'oidc' }]
  for (const signIn of signIns) {
    await using world = await openWorld(CLAIMS, { email: EMAIL, signIn })
    const [status, reason] = refusalIn(await world.signInWithProvider())
    assert.equal(status, 403)
    assert.match(String(reason), /does not say that it has verified your address/)
    assert.deepEqual(await world.users.find(world.ana.id), world.ana)
    world.provider(async () => ({ kind: 'claims', claims: { ...CLAIMS, email_verified: 'true' } }))
    assert.equal((await world.signInWithProvider()).statusCode, 303)
  }
})

test('a user of a tenant that may not call is not created', async () => {
  const checkTenant = () => {
    throw refuse('TENANT_SUSPENDED', 'The tenant is suspended')
  }
  await using world = await openWorld(CLAIMS, {}, { checkTenant })
  assert.deepEqual(refusalIn(await world.signInWithProvider()), [403, 'The tenant is suspended.'])
  assert.equal(await world.users.findByEmail(EMAIL), undefined)
})

test('refuses an answer that no sign-in in this browser asked for', async () => {
  await using world = await openWorld()
  const [text = '', signature = ''] = (await world.begin()).replace('pombo_oidc=', '').split('.')
  const forged = Buffer.from(JSON.stringify({ ...CHECKS, state: 'mine', until: 9e15 })).toString('base64url')
  for (const cookie of ['', 'pombo_oidc=x', `pombo_oidc=${forged}.${signature}`, `pombo_oidc=${text}.`]) {
    const answer = await world.finish(cookie)
    assert.deepEqual(refusalIn(answer), [403, 'It was not begun in this browser, or took too long.'])
  }
  const late = await world.begin()
  world.api.pass(seconds(600))
  assert.equal((await world.finish(late)).statusCode, 403)
  assert.deepEqual(world.finished, [])
})

test('the cookie is removed by the first answer, whatever it is', async () => {
  await using world = await openWorld()
  world.provider(async () => ({ kind: 'refused', reason: 'No.' }))
  const answer = await world.signInWithProvider()
  assert.match(setCookieOf(answer), /^pombo_oidc=; .*Max-Age=0$/)
  assert.deepEqual([...refusalIn(answer), sessionIn(answer)], [403, 'No.', ''])
})

test('refuses people without a role on a page that says so, and creates no user', async () => {
  await using world = await openWorld({ ...CLAIMS, pombo_role: undefined })
  const answer = await world.signInWithProvider()
  assert.equal(answer.statusCode, 403)
  assert.match(answer.body, /It did not give you a role: the claim pombo_role/)
  assert.match(String(answer.headers['content-type']), /^text\/html/)
  assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/)
  assert.match(answer.body, /href="https:\/\/pombo.example\/console\/"/)
  assert.equal(await world.users.findByEmail(EMAIL), undefined)
})

test('refuses disabled users, and another person with the address of a user', async () => {
  await using disabled = await openWorld(VERIFIED, { email: EMAIL, state: 'disabled' })
  assert.match(String(refusalIn(await disabled.signInWithProvider())[1]), /disabled/)
  await using other = await openWorld(CLAIMS, { email: EMAIL, signIn: { kind: 'oidc', subject: 'sub|2' } })
  assert.match(String(refusalIn(await other.signInWithProvider())[1]), /belongs to another user/)
})

test('a provider that demotes the last operator is obeyed', async () => {
  await using world = await openWorld(CLAIMS, {
    email: EMAIL,
    role: 'operator',
    signIn: { kind: 'oidc', subject: 'sub|1' },
  })
  assert.equal((await world.signInWithProvider()).statusCode, 303)
  assert.equal((await world.users.find(world.ana.id))?.role, 'support')
})

test('a provider that is down is a page too, and nothing else is affected', async () => {
  await using world = await openWorld()
  world.provider(() => Promise.reject(new Unavailable('down')))
  assert.equal((await world.signInWithProvider()).statusCode, 503)
  await world.users.add(someUser({ signIn: HASHED }))
  assert.equal((await world.call('GET', '/v1/session')).statusCode, 200)
})

test('without a provider there is nothing to go to', async () => {
  await using world = await openSignInWorld()
  for (const path of ['/v1/session/oidc', '/v1/session/oidc/callback?code=1'])
    assert.equal((await world.call('GET', path)).statusCode, 404)
})
