import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, cookieOf, openSignInWorld, PASSWORD } from '../../../test/support/sign-in-world.ts'
import type { Role } from '../../domain/access/user.ts'
import { seconds } from '../../lib/time.ts'
import { HASHED, someUser } from '../../ports/users.contract.ts'

const BOB = { email: 'Bob@Example.com', name: 'Bob', role: 'developer' }

async function openWorld(...args: Parameters<typeof openSignInWorld>) {
  const world = await openSignInWorld(...args)
  const caller = (scope: string, claims: object = {}) =>
    world.api.caller({ tenant_id: 'acme', scope, sub: 'tests', ...claims })
  return { ...world, admin: await caller('admin'), operator: await caller('operator'), caller }
}

type World = Awaited<ReturnType<typeof openWorld>>

async function add({ operator }: World, fields: object = BOB) {
  const answer = await operator('POST', '/v1/users', fields)
  assert.equal(answer.statusCode, 201, answer.body)
  const { user, invitation } = answer.json()
  const [, token = ''] = String(invitation.url).split('#invitation=')
  return { id: String(user.id), user, invitation, token }
}

const accept = ({ call }: World, token: string, password = PASSWORD) =>
  call('POST', '/v1/session/accept-invitation', { token, password })

test('an invited user sets a password once, and is signed in with the role', async () => {
  await using world = await openWorld()
  const { user, invitation, token } = await add(world)
  const at = '2030-01-31T12:00:00.000Z'
  assert.deepEqual(user, {
    id: user.id,
    tenant_id: 'acme',
    email: 'bob@example.com',
    name: 'Bob',
    role: 'developer',
    state: 'invited',
    sign_in: 'password',
    invitation_expires_at: '2030-02-03T12:00:00.000Z',
    created_at: at,
    updated_at: at,
    last_sign_in_at: null,
  })
  assert.equal(invitation.url, `https://pombo.example/console/accept-invitation#invitation=${token}`)
  assert.equal((await world.signIn('bob@example.com')).statusCode, 401)

  const shown = await world.call('POST', '/v1/session/invitation', { token })
  assert.deepEqual(shown.json(), { email: 'bob@example.com', name: 'Bob', expires_at: invitation.expires_at })
  const weak = await accept(world, token, 'Password2030!')
  assert.deepEqual([weak.statusCode, weak.json().details[0].path], [400, '/password'])
  const accepted = await accept(world, token)
  assert.equal(accepted.statusCode, 200, accepted.body)
  assert.deepEqual([accepted.json().user.role, accepted.json().tenant_id], ['developer', 'acme'])
  const cookie = cookieOf(accepted)
  assert.equal((await world.call('GET', '/v1/messages', undefined, { cookie })).statusCode, 200)

  assert.deepEqual(codeOf(await accept(world, token)), [410, 'INVALID_INVITATION'])
  assert.equal((await world.signIn('bob@example.com')).statusCode, 200)
  const found = (await world.admin('GET', `/v1/users/${user.id}`)).json()
  assert.deepEqual([found.state, found.invitation_expires_at, found.last_sign_in_at], ['active', null, at])
})

test('invitations expire, are replaced by the next, and cannot be made up', async () => {
  await using world = await openWorld()
  const { id, token } = await add(world)
  const again = await world.admin('POST', `/v1/users/${id}/invitation`)
  assert.equal(again.statusCode, 200, again.body)
  const [, newer = ''] = String(again.json().invitation.url).split('#invitation=')
  for (const bad of [token, '', id, `${id}.`, `${id}.guess`, 'x.y', `${newer}x`]) {
    const answer = await world.call('POST', '/v1/session/invitation', { token: bad })
    assert.ok([400, 410].includes(answer.statusCode), bad)
  }
  world.api.pass(seconds(72 * 3_600))
  assert.deepEqual(codeOf(await accept(world, newer)), [410, 'INVALID_INVITATION'])
})

test('a new invitation replaces a lost password, which works until then; accepting ends all sessions', async () => {
  await using world = await openWorld({}, { tenantId: 'acme' as never })
  const before = await world.signedIn()
  const again = await world.admin('POST', `/v1/users/${world.ana.id}/invitation`)
  assert.equal((await world.call('GET', '/v1/messages', undefined, before)).statusCode, 200)
  const [, token = ''] = String(again.json().invitation.url).split('#invitation=')
  assert.equal((await accept(world, token, 'five words are easier')).statusCode, 200)
  assert.equal((await world.call('GET', '/v1/messages', undefined, before)).statusCode, 401)
  assert.equal((await world.signIn()).statusCode, 401)
  assert.equal((await world.signIn(undefined, 'five words are easier')).statusCode, 200)
})

test('lists, finds, changes and removes the users of its own tenant only', async () => {
  await using world = await openWorld()
  const { id } = await add(world)
  await add(world, { email: 'abe@example.com', role: 'viewer' })
  const list = (await world.admin('GET', '/v1/users')).json().items
  assert.deepEqual(
    list.map(({ email }: { email: string }) => email),
    ['abe@example.com', 'bob@example.com'],
  )
  const changed = await world.admin('PATCH', `/v1/users/${id}`, { name: null, role: 'support' })
  assert.deepEqual([changed.json().name, changed.json().role], [null, 'support'])

  const other = await world.caller('admin', { tenant_id: 'other' })
  assert.deepEqual((await other('GET', '/v1/users')).json(), { items: [] })
  for (const [method, path, body] of [
    ['GET', `/v1/users/${id}`],
    ['PATCH', `/v1/users/${id}`, { role: 'viewer' }],
    ['DELETE', `/v1/users/${id}`],
    ['POST', `/v1/users/${id}/invitation`],
  ] as const)
    assert.equal((await other(method, path, body)).statusCode, 404)
  assert.equal((await world.admin('DELETE', `/v1/users/${id}`)).statusCode, 204)
  assert.equal((await world.admin('DELETE', `/v1/users/${id}`)).statusCode, 404)
  assert.equal((await world.admin('GET', '/v1/users/nonsense')).statusCode, 404)
})

test('an operator manages the users of every tenant by naming it', async () => {
  await using world = await openWorld()
  const named = { 'pombo-tenant': 'globex' }
  const answer = await world.operator('POST', '/v1/users', { ...BOB, role: 'admin' }, named)
  assert.equal(answer.json().user.tenant_id, 'globex')
  assert.equal((await world.operator('GET', '/v1/users', undefined, named)).json().items.length, 1)
  assert.equal((await world.operator('GET', '/v1/users')).json().items.length, 0)
  assert.equal((await world.admin('GET', '/v1/users', undefined, named)).statusCode, 403)
})

test('an admin can neither make, change, invite nor remove an operator', async () => {
  await using world = await openWorld()
  assert.deepEqual(codeOf(await world.admin('POST', '/v1/users', { ...BOB, role: 'operator' })), [403, 'FORBIDDEN'])
  const { id } = await add(world, { email: 'op@example.com', role: 'operator' })
  const bob = await add(world)
  for (const [method, path, body] of [
    ['PATCH', `/v1/users/${id}`, { role: 'viewer' }],
    ['PATCH', `/v1/users/${id}`, { name: 'Eve' }],
    ['DELETE', `/v1/users/${id}`],
    ['POST', `/v1/users/${id}/invitation`],
    ['PATCH', `/v1/users/${bob.id}`, { role: 'operator' }],
  ] as const)
    assert.deepEqual(codeOf(await world.admin(method, path, body)), [403, 'FORBIDDEN'], `${method} ${path}`)
  assert.equal((await world.operator('PATCH', `/v1/users/${bob.id}`, { role: 'operator' })).statusCode, 200)
})

test('nobody below an admin manages users, nor does anybody in test mode', async () => {
  await using world = await openWorld()
  const { id } = await add(world)
  const below = await world.caller('messages:read messages:write content:read sms:send email:send otp')
  const inTest = await world.caller('operator', { test: true })
  for (const call of [below, inTest])
    for (const [method, path, body] of [
      ['GET', '/v1/users'],
      ['GET', `/v1/users/${id}`],
      ['POST', '/v1/users', BOB],
      ['PATCH', `/v1/users/${id}`, { role: 'admin' }],
      ['DELETE', `/v1/users/${id}`],
      ['POST', `/v1/users/${id}/invitation`],
    ] as const)
      assert.deepEqual(codeOf(await call(method, path, body)), [403, 'FORBIDDEN'], `${method} ${path}`)
})

test('the last operator who can sign in is neither demoted, disabled nor removed', async () => {
  await using world = await openWorld({}, { role: 'operator', tenantId: 'acme' as never })
  const path = `/v1/users/${world.ana.id}`
  for (const [method, body] of [
    ['PATCH', { role: 'admin' }],
    ['PATCH', { state: 'disabled' }],
    ['DELETE', undefined],
  ] as const)
    assert.deepEqual(codeOf(await world.operator(method, path, body)), [409, 'CONFLICT'])
  await world.users.add(someUser({ role: 'operator', signIn: HASHED }))
  assert.equal((await world.operator('DELETE', path)).statusCode, 204)
})

test('a changed role, a disabled and a removed user lose their sessions; a changed name does not matter', async () => {
  for (const change of [{ role: 'viewer' as Role }, { state: 'disabled' }]) {
    await using world = await openWorld({}, { tenantId: 'acme' as never })
    const session = await world.signedIn()
    const path = `/v1/users/${world.ana.id}`
    const isKnown = async () => (await world.call('GET', '/v1/messages', undefined, session)).statusCode === 200
    assert.equal((await world.admin('PATCH', path, { name: 'Ana' })).statusCode, 200)
    assert.equal(await isKnown(), true)
    assert.equal((await world.admin('PATCH', path, change)).statusCode, 200)
    assert.equal(await isKnown(), false)
  }
  await using world = await openWorld({}, { tenantId: 'acme' as never })
  const session = await world.signedIn()
  await world.admin('DELETE', `/v1/users/${world.ana.id}`)
  assert.equal((await world.call('GET', '/v1/messages', undefined, session)).statusCode, 401)
})

test('an address belongs to one user of the installation', async () => {
  await using world = await openWorld()
  await add(world)
  const other = await world.caller('admin', { tenant_id: 'other' })
  const answer = await other('POST', '/v1/users', { email: 'BOB@example.com', role: 'viewer' })
  assert.deepEqual(codeOf(answer), [409, 'CONFLICT'])
})

test('a disabled user and one of the identity provider get no invitation', async () => {
  await using world = await openWorld({}, { tenantId: 'acme' as never, state: 'disabled' })
  const eva = someUser({ tenantId: 'acme' as never, signIn: { kind: 'oidc', subject: 'eva' } })
  await world.users.add(eva)
  for (const { id } of [world.ana, eva])
    assert.deepEqual(codeOf(await world.admin('POST', `/v1/users/${id}/invitation`)), [409, 'CONFLICT'])
  const role = await world.admin('PATCH', `/v1/users/${eva.id}`, { role: 'admin' })
  assert.deepEqual(codeOf(role), [409, 'CONFLICT'])
  assert.equal((await world.admin('PATCH', `/v1/users/${eva.id}`, { state: 'disabled' })).statusCode, 200)
})

test('without passwords there are no invitations', async () => {
  await using world = await openWorld({ isPasswordOn: false })
  assert.deepEqual(codeOf(await world.admin('POST', '/v1/users', BOB)), [409, 'CONFLICT'])
})

test('names each wrong field', async () => {
  await using world = await openWorld()
  const { id } = await add(world, { ...BOB, email: 'x@example.com' })
  for (const [method, url, body, path] of [
    ['POST', '/v1/users', { ...BOB, email: 'nobody' }, '/email'],
    ['POST', '/v1/users', { ...BOB, name: '\u0007' }, '/name'],
    ['POST', '/v1/users', { ...BOB, role: 'root' }, '/role'],
    ['POST', '/v1/users', { ...BOB, password: 'x' }, '/password'],
    ['PATCH', `/v1/users/${id}`, { state: 'invited' }, '/state'],
    ['PATCH', `/v1/users/${id}`, { email: 'y@example.com' }, '/email'],
  ] as const) {
    const answer = await world.admin(method, url, body)
    assert.deepEqual([answer.statusCode, answer.json().details?.[0]?.path], [400, path])
  }
})

test('every change is in the audit log, without address, name or secret', async () => {
  await using world = await openWorld()
  const { id, token } = await add(world)
  await world.admin('PATCH', `/v1/users/${id}`, { role: 'support' })
  await world.admin('POST', `/v1/users/${id}/invitation`)
  await world.admin('DELETE', `/v1/users/${id}`)
  const entries = await world.api.deps.auditLog.list({ tenantId: 'acme' as never, limit: 10 })
  assert.deepEqual(
    entries.map(({ action, before, after }) => [action, before?.['role'], after?.['role']]),
    [
      ['user.removed', 'support', undefined],
      ['user.invited', undefined, undefined],
      ['user.changed', 'developer', 'support'],
      ['user.created', undefined, 'developer'],
    ],
  )
  const text = JSON.stringify(entries)
  for (const secret of [token, 'bob@example.com', 'Bob']) assert.equal(text.includes(secret), false)
})
