import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, cookieOf, EMAIL, openSignInWorld, PASSWORD, setCookieOf } from '../../../test/support/sign-in-world.ts'
import { until } from '../../../test/support/until.ts'
import { withChanges } from '../../domain/access/user.ts'
import { refuse } from '../../flows/errors.ts'
import { millis, seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { box, someUser } from '../../ports/users.contract.ts'
import { plainPasswords } from './sign-in.fixture.ts'

test('signs in with a cookie that scripts and other sites cannot use, and says who is signed in', async () => {
  await using world = await openSignInWorld({}, { name: 'Ana', role: 'support' })
  const { ana } = world
  const answer = await world.signIn(' Ana@Example.com '.trim())
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(
    setCookieOf(answer),
    'pombo_session=token-1.session-of-token-1; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200',
  )
  assert.equal(answer.headers['cache-control'], 'no-store')
  const shown = {
    signed_in: true,
    actor: 'user',
    user: { id: ana.id, email: EMAIL, name: 'Ana', role: 'support', sign_in: 'password' },
    tenant_id: ana.tenantId,
    account_id: 'default',
    scopes: ['messages:read', 'messages:write', 'content:read'],
    csrf_token: 'csrf-of-hash-of-token-1',
    expires_at: '2030-02-01T00:00:00.000Z',
    ways: { password: true, oidc: false },
  }
  assert.deepEqual(answer.json(), shown)
  const session = await world.call('GET', '/v1/session', undefined, { cookie: cookieOf(answer) })
  assert.deepEqual(session.json(), shown)
  assert.equal((await world.users.find(ana.id))?.lastSignInAt, world.api.clock())
})

test('without credentials answers how to sign in; a token or a session that has ended is told apart', async () => {
  await using world = await openSignInWorld()
  const nobody = await world.call('GET', '/v1/session')
  assert.deepEqual([nobody.statusCode, nobody.json().signed_in, nobody.json().scopes], [200, false, []])
  const ended = await world.call('GET', '/v1/session', undefined, { cookie: 'pombo_session=gone' })
  assert.equal(ended.json().signed_in, false)
  assert.match(setCookieOf(ended), /^pombo_session=; .*Max-Age=0$/)
  const token = `Bearer ${await world.api.token()}`
  const caller = (await world.call('GET', '/v1/session', undefined, { authorization: token })).json()
  assert.deepEqual([caller.actor, caller.tenant_id, caller.user, caller.csrf_token], ['token', 'acme', null, null])
  assert.equal((await world.call('GET', '/v1/session', undefined, { authorization: 'Bearer x.y.z' })).statusCode, 401)
})

test('a wrong password, an unknown, invited, disabled or foreign user get one answer after one hash', async () => {
  await using world = await openSignInWorld()
  const { users } = world
  await users.add(someUser({ email: box('invited@example.com') }))
  const hashed = { signIn: { kind: 'password', password: `new ${PASSWORD}` } } as const
  await users.add(someUser({ email: box('disabled@example.com'), state: 'disabled', ...hashed }))
  await users.add(someUser({ email: box('oidc@example.com'), signIn: { kind: 'oidc', subject: '1' } }))
  const tried = [EMAIL, 'invited@example.com', 'disabled@example.com', 'oidc@example.com', 'no@example.com', 'no one']
  const bodies = new Set<string>()
  for (const [index, email] of tried.entries()) {
    const answer = await world.signIn(email, index === 0 ? 'wrong words' : PASSWORD)
    assert.deepEqual(codeOf(answer), [401, 'INVALID_CREDENTIALS'])
    assert.equal(answer.headers['set-cookie'], undefined)
    const { http_request_id: _, trace_id: __, ...body } = answer.json()
    bodies.add(JSON.stringify(body))
    assert.equal(world.verified(), index + 1)
  }
  assert.equal(bodies.size, 1)
})

test('a refused sign-in is logged with the client, and neither an address, a password nor a token is', async () => {
  await using world = await openSignInWorld()
  const { cookie } = await world.signedIn()
  await world.signIn(EMAIL, 'wrong words')
  const noted = world.api.lines.filter(({ msg }) => msg === 'sign-in: refused')
  assert.deepEqual(
    noted.map(({ client, error_code: code }) => [client, code]),
    [['127.0.0.1', 'INVALID_CREDENTIALS']],
  )
  await world.call('GET', '/v1/users', undefined, { cookie })
  const log = JSON.stringify(world.api.lines)
  for (const secret of [PASSWORD, 'wrong words', 'token-1', EMAIL]) assert.equal(log.includes(secret), false, secret)
})

test('guessing is slowed down per address, with Retry-After, and hashes nothing while it waits', async () => {
  await using world = await openSignInWorld()
  for (let index = 0; index < 5; index += 1) assert.equal((await world.signIn(EMAIL, `guess ${index}`)).statusCode, 401)
  const refused = await world.signIn()
  assert.deepEqual([...codeOf(refused), refused.headers['retry-after']], [429, 'TOO_MANY_ATTEMPTS', '1'])
  assert.equal(world.verified(), 5)
  assert.equal((await world.signIn('ANA@example.com')).statusCode, 429)
  world.api.pass(seconds(1))
  assert.equal((await world.signIn()).statusCode, 200)
  assert.equal((await world.signIn(EMAIL, 'guess')).statusCode, 401)
})

test('many guesses at the same moment are no way around', async () => {
  await using world = await openSignInWorld()
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => world.signIn(EMAIL, `guess ${index}`)))
  assert.equal(answers.filter(({ statusCode }) => statusCode === 401).length, 5)
  assert.equal(answers.filter(({ statusCode }) => statusCode === 429).length, 35)
})

test('one client is slowed down whatever addresses it tries', async () => {
  await using world = await openSignInWorld()
  const statuses = []
  for (let index = 0; index < 22; index += 1)
    statuses.push((await world.signIn(`user-${index}@example.com`, 'x')).statusCode)
  assert.deepEqual(statuses, [...Array(20).fill(401), 429, 429])
})

test('when too many passwords are being hashed, the attempt does not count', async () => {
  const passwords = { hash: async () => '', verify: () => Promise.reject(new Unavailable('too many')) }
  await using world = await openSignInWorld({ passwords })
  for (let index = 0; index < 30; index += 1) assert.equal((await world.signIn()).statusCode, 503)
})

test('a password hashed with earlier parameters is hashed again, and sessions stay', async () => {
  await using world = await openSignInWorld({}, { signIn: { kind: 'password', password: `old ${PASSWORD}` } })
  const first = await world.signedIn()
  assert.deepEqual((await world.users.find(world.ana.id))?.signIn, { kind: 'password', password: `new ${PASSWORD}` })
  await world.signedIn()
  assert.equal((await world.call('GET', '/v1/session', undefined, first)).json().signed_in, true)
})

test('signing in again replaces the session: no cookie that was there before is worth anything', async () => {
  await using world = await openSignInWorld()
  const planted = { cookie: 'pombo_session=planted-by-somebody' }
  const first = await world.signIn(EMAIL, PASSWORD, planted)
  assert.notEqual(cookieOf(first), planted.cookie)
  assert.equal((await world.call('GET', '/v1/session', undefined, planted)).json().signed_in, false)
  const second = await world.signIn(EMAIL, PASSWORD, { cookie: cookieOf(first) })
  assert.notEqual(cookieOf(second), cookieOf(first))
  const isOver = await world.call('GET', '/v1/messages', undefined, { cookie: cookieOf(first) })
  assert.deepEqual(codeOf(isOver), [401, 'UNAUTHENTICATED'])
})

test('a call that may change something needs the CSRF token, and no page of another site may make it', async () => {
  await using world = await openSignInWorld({}, { role: 'admin' })
  const { cookie, ...token } = await world.signedIn()
  const add = (headers: Readonly<Record<string, string>>) =>
    world.call('POST', '/v1/recipients', { phone: '+5511987654321' }, headers)
  assert.deepEqual(codeOf(await add({ cookie })), [403, 'INVALID_CSRF_TOKEN'])
  assert.deepEqual(codeOf(await add({ cookie, 'x-csrf-token': 'wrong' })), [403, 'INVALID_CSRF_TOKEN'])
  assert.deepEqual(codeOf(await add({ cookie, ...token, origin: 'https://evil.example' })), [403, 'FORBIDDEN'])
  assert.deepEqual(codeOf(await add({ cookie, ...token, origin: 'null' })), [403, 'FORBIDDEN'])
  assert.equal((await add({ cookie, ...token })).statusCode, 201)
  const ours = { cookie, ...token, host: 'gateway.local:8080' }
  assert.equal((await add({ ...ours, origin: 'http://gateway.local:8080' })).statusCode, 201)
  assert.equal((await add({ ...ours, origin: 'https://pombo.example' })).statusCode, 201)
  assert.deepEqual(codeOf(await add({ ...ours, origin: 'https://gateway.local:8080' })), [403, 'FORBIDDEN'])
  assert.equal((await world.call('GET', '/v1/recipients', undefined, { cookie })).statusCode, 200)
})

test('the CSRF token of one session is worth nothing in another', async () => {
  await using world = await openSignInWorld({}, { role: 'admin' })
  const [one, other] = [await world.signedIn(), await world.signedIn()]
  const mixed = { cookie: one.cookie, 'x-csrf-token': other['x-csrf-token'] }
  assert.deepEqual(codeOf(await world.call('DELETE', '/v1/session', undefined, mixed)), [403, 'INVALID_CSRF_TOKEN'])
})

test('other sites cannot sign anybody in or accept invitations', async () => {
  await using world = await openSignInWorld()
  const foreign = { origin: 'https://evil.example' }
  assert.deepEqual(codeOf(await world.signIn(EMAIL, PASSWORD, foreign)), [403, 'FORBIDDEN'])
  const body = { token: 'x', password: PASSWORD }
  const accepting = await world.call('POST', '/v1/session/accept-invitation', body, foreign)
  assert.deepEqual(codeOf(accepting), [403, 'FORBIDDEN'])
  assert.equal(world.verified(), 0)
})

test('signing out ends the session, and works without one', async () => {
  await using world = await openSignInWorld()
  const session = await world.signedIn()
  const { cookie } = session
  assert.deepEqual(codeOf(await world.call('DELETE', '/v1/session', undefined, { cookie })), [
    403,
    'INVALID_CSRF_TOKEN',
  ])
  const answer = await world.call('DELETE', '/v1/session', undefined, session)
  assert.equal(answer.statusCode, 204)
  assert.match(setCookieOf(answer), /^pombo_session=; .*Max-Age=0$/)
  assert.equal((await world.call('GET', '/v1/messages', undefined, session)).statusCode, 401)
  assert.equal((await world.call('DELETE', '/v1/session', undefined, session)).statusCode, 204)
  assert.equal((await world.call('DELETE', '/v1/session')).statusCode, 204)
})

test('a session ends after an idle hour, and after twelve hours in any case', async () => {
  await using world = await openSignInWorld()
  const headers = await world.signedIn()
  const get = async (more = {}) =>
    (await world.call('GET', '/v1/messages', undefined, { ...headers, ...more })).statusCode
  world.api.pass(seconds(3_599))
  assert.equal(await get(), 200)
  world.api.pass(seconds(3_599))
  assert.equal(await get({ 'pombo-background': 'true' }), 200)
  world.api.pass(seconds(1))
  assert.equal(await get(), 401, 'a call that nobody made does not keep a session')

  const busy = await world.signedIn()
  const statuses = []
  for (let minutes = 0; minutes < 12 * 60; minutes += 30) {
    statuses.push((await world.call('GET', '/v1/messages', undefined, busy)).statusCode)
    world.api.pass(seconds(1_800))
  }
  assert.deepEqual(new Set(statuses), new Set([200]))
  world.api.pass(millis(1))
  assert.equal((await world.call('GET', '/v1/messages', undefined, busy)).statusCode, 401)
})

test('a bearer token is used rather than the cookie, and needs no CSRF token', async () => {
  await using world = await openSignInWorld()
  const { cookie } = await world.signedIn()
  const headers = { cookie, authorization: `Bearer ${await world.api.token({ tenant_id: 'other' })}` }
  assert.equal((await world.call('GET', '/v1/session', undefined, headers)).json().tenant_id, 'other')
  assert.equal((await world.call('POST', '/v1/recipients', { phone: '+5511987654321' }, headers)).statusCode, 201)
})

test('changing the password needs the current one, ends all sessions and begins a new one', async () => {
  await using world = await openSignInWorld()
  const [one, other] = [await world.signedIn(), await world.signedIn()]
  const change = (current: string, next: string, headers = other) =>
    world.call('POST', '/v1/session/password', { current_password: current, new_password: next }, headers)
  for (const [current, next, path] of [
    ['wrong words here', 'five words are easier', '/current_password'],
    [PASSWORD, 'short', '/new_password'],
    [PASSWORD, PASSWORD, '/new_password'],
    [PASSWORD, 'ana@example.com is me', '/new_password'],
  ] as const) {
    const answer = await change(current, next)
    assert.deepEqual([answer.statusCode, answer.json().details?.[0]?.path], [400, path])
  }
  const changed = await change(PASSWORD, 'five words are easier')
  assert.equal(changed.statusCode, 200, changed.body)
  for (const headers of [one, other])
    assert.equal((await world.call('GET', '/v1/messages', undefined, headers)).statusCode, 401)
  const fresh = { cookie: cookieOf(changed) }
  assert.equal((await world.call('GET', '/v1/messages', undefined, fresh)).statusCode, 200)
  assert.equal((await world.signIn()).statusCode, 401)
  assert.equal((await world.signIn(EMAIL, 'five words are easier')).statusCode, 200)
})

test('only somebody who is signed in with a password can change it', async () => {
  await using world = await openSignInWorld()
  const body = { current_password: PASSWORD, new_password: 'five words are easier' }
  const authorization = `Bearer ${await world.api.token()}`
  assert.deepEqual(codeOf(await world.call('POST', '/v1/session/password', body, { authorization })), [
    403,
    'FORBIDDEN',
  ])
  assert.equal((await world.call('POST', '/v1/session/password', body)).statusCode, 401)
})

test('guesses at the current password are slowed down too', async () => {
  await using world = await openSignInWorld()
  const session = await world.signedIn()
  const body = { current_password: 'wrong', new_password: 'five words are easier' }
  const statuses = []
  for (let index = 0; index < 6; index += 1)
    statuses.push((await world.call('POST', '/v1/session/password', body, session)).statusCode)
  assert.deepEqual(statuses, [400, 400, 400, 400, 400, 429])
})

test('passwords can be turned off', async () => {
  await using world = await openSignInWorld({ isPasswordOn: false })
  assert.deepEqual(codeOf(await world.signIn()), [403, 'FORBIDDEN'])
  const accepting = await world.call('POST', '/v1/session/accept-invitation', { token: 'x', password: PASSWORD })
  assert.deepEqual(codeOf(accepting), [403, 'FORBIDDEN'])
  assert.deepEqual((await world.call('GET', '/v1/session')).json().ways, { password: false, oidc: false })
  assert.equal(world.verified(), 0)
})

test('somebody whose tenant may not call gets no session', async () => {
  const checkTenant = () => {
    throw refuse('FORBIDDEN', 'The tenant is suspended')
  }
  await using world = await openSignInWorld({ checkTenant })
  const answer = await world.signIn()
  assert.deepEqual([...codeOf(answer), answer.headers['set-cookie']], [403, 'FORBIDDEN', undefined])
  assert.equal((await world.users.find(world.ana.id))?.lastSignInAt, undefined)
})

test('a user who is changed while signing in gets no session of the time before', async () => {
  const plain = plainPasswords()
  let meanwhile = async (): Promise<unknown> => undefined
  const verify: typeof plain.verify = async (...args) => {
    await meanwhile()
    return plain.verify(...args)
  }
  await using world = await openSignInWorld({ passwords: { ...plain, verify } })
  const user = withChanges(world.ana, { role: 'viewer' }, world.ana.updatedAt)
  meanwhile = () => world.users.change({ user, endsSessions: true, mayLeaveNoOperator: false })
  assert.deepEqual(codeOf(await world.signIn()), [409, 'CONFLICT'])
})

test('a wrong password is in the audit log of an account that exists', async () => {
  await using world = await openSignInWorld()
  await world.signIn('nobody@example.com', 'wrong words')
  await world.signIn(EMAIL, 'wrong words')
  const [entry, ...others] = await until('the entry', async () => {
    const entries = await world.api.deps.auditLog.list({ limit: 10 })
    return entries.length > 0 && entries
  })
  const { action, actor, target, tenantId, address } = entry ?? assert.fail()
  assert.deepEqual(
    [action, actor, target.id, tenantId, address, others],
    ['user.sign_in_failed', { kind: 'anonymous' }, world.ana.id, world.ana.tenantId, '127.0.0.1', []],
  )
})

test('sign-ins are in the audit log, with who it was and from where', async () => {
  await using world = await openSignInWorld()
  const headers = await world.signedIn()
  await world.call('DELETE', '/v1/session', undefined, headers)
  const entries = await world.api.deps.auditLog.list({ tenantId: world.ana.tenantId, limit: 10 })
  assert.deepEqual(
    entries.map(({ action, actor, target, address }) => [action, actor.kind, target.id, address]),
    ['user.signed_out', 'user.signed_in'].map((action) => [action, 'user', world.ana.id, '127.0.0.1']),
  )
})
