/** `pombo users`, against a gateway on a real socket and without one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../../test/support/free-port.ts'
import { type Answer, openTestGateway, refuseWith, run } from './test-world.ts'
import type { InvitedUser, WantedUser, World } from './world.ts'

const ANA = { id: '01978d5e-0000-7000-8000-00000000abcd', email: 'ana@example.com', role: 'operator', state: 'invited' }
const LINK = 'https://pombo.example/console/accept-invitation#invitation=secret'
const INVITED = { user: ANA, invitation: { url: LINK, expires_at: '2030-02-03T12:00:00Z' } }

const answer: Answer = ({ method, path }) => {
  if (method === 'DELETE') return {}
  if (method === 'PATCH') return { ...ANA, role: 'viewer' }
  return method === 'GET' && path === '/v1/users' ? { items: [ANA] } : INVITED
}

test('create asks the gateway, and prints the link and nothing else on standard output', async () => {
  await using gateway = await openTestGateway(answer)
  const words = ['users', 'create', '--email', 'Ana@Example.com', '--role', 'operator', '--name', 'Ana']
  const { code, out, err } = await run([...words, '--tenant', 'acme'], gateway)
  assert.deepEqual([code, out], [0, `${LINK}\n`])
  assert.equal(err, 'ana@example.com can set a password with this link until 2030-02-03 12:00:00Z\n')
  const [request] = gateway.requests
  assert.deepEqual(
    [request?.method, request?.path, request?.headers['pombo-tenant'], request?.body],
    ['POST', '/v1/users', 'acme', { email: 'ana@example.com', role: 'operator', name: 'Ana' }],
  )
})

test('change, remove and invite find the user by address or id', async () => {
  await using gateway = await openTestGateway(answer)
  const changed = await run(['users', 'change', 'Ana@example.com', '--role', 'viewer', '--state', 'disabled'], gateway)
  assert.deepEqual([changed.code, changed.out], [0, 'ana@example.com viewer invited\n'])
  assert.equal((await run(['users', 'remove', ANA.id], gateway)).out, `${ANA.id} removed\n`)
  assert.equal((await run(['users', 'invite', ANA.email], gateway)).out, `${LINK}\n`)
  const calls = gateway.requests.filter(({ method }) => method !== 'GET')
  assert.deepEqual(
    calls.map(({ method, path, body }) => [method, path, body]),
    [
      ['PATCH', `/v1/users/${ANA.id}`, { role: 'viewer', state: 'disabled' }],
      ['DELETE', `/v1/users/${ANA.id}`, undefined],
      ['POST', `/v1/users/${ANA.id}/invitation`, undefined],
    ],
  )
  const nobody = await run(['users', 'remove', 'eve@example.com'], gateway)
  assert.deepEqual([nobody.code, nobody.err.includes('no user eve@example.com')], [1, true])
})

test('list prints a table, or JSON', async () => {
  await using gateway = await openTestGateway(answer)
  const { out } = await run(['users', 'list'], gateway)
  assert.match(out, /^email +role +state .*\nana@example.com +operator +invited/)
  assert.deepEqual(JSON.parse((await run(['users', 'list', '--json'], gateway)).out), ANA)
  await using empty = await openTestGateway(() => ({ items: [] }))
  assert.equal((await run(['users', 'list'], empty)).out, 'no users\n')
})

test('says why the gateway refuses, and does not go around it', async () => {
  await using gateway = await openTestGateway(refuseWith(409, 'Another user already has this email address'))
  const { code, err } = await run(['users', 'create', '--email', 'ana@example.com', '--role', 'admin'], gateway)
  assert.deepEqual([code, err.includes('Another user already has this email address')], [1, true])
  await using busy = await openTestGateway(refuseWith(503, 'Nothing was changed'))
  assert.equal((await run(['users', 'create', '--email', 'ana@example.com', '--role', 'admin'], busy)).code, 69)
})

/** A world without a gateway; `wanted` gets what its stores are asked for. */
async function stopped(env: Readonly<Record<string, string>> = {}) {
  const wanted: (WantedUser | string)[] = []
  const take = async (asked: WantedUser | string): Promise<InvitedUser> => {
    wanted.push(asked)
    return { ...INVITED, user: { email: ANA.email, role: 'operator', tenant_id: 'demo' } }
  }
  const changes: Partial<World> = {
    env: { POMBO_PORT: String(await freePort()), POMBO_JWT_SECRET: 'x'.repeat(32), ...env },
    createUser: (_config, asked) => take(asked),
    inviteUser: (_config, email) => take(email),
  }
  return { changes, wanted }
}

test('without a running gateway create and invite work on its stores', async () => {
  for (const env of [{}, { POMBO_PORT: '0' }, { POMBO_JWT_SECRET: '', POMBO_DATA_DIR: '/nowhere' }]) {
    const { changes, wanted } = await stopped(env as Readonly<Record<string, string>>)
    const words = ['users', 'create', '--email', 'ana@example.com', '--role', 'operator']
    assert.equal((await run(words, changes)).out, `${LINK}\n`)
    assert.equal((await run(['users', 'invite', 'Ana@example.com'], changes)).out, `${LINK}\n`)
    assert.deepEqual(wanted, [{ email: 'ana@example.com', role: 'operator', tenantId: 'demo' }, 'ana@example.com'])
  }
})

test('a gateway that was named must answer', async () => {
  const { changes, wanted } = await stopped()
  const url = `http://127.0.0.1:${await freePort()}`
  const words = ['users', 'create', '--email', 'ana@example.com', '--role', 'operator', '--url', url]
  assert.equal((await run(words, changes)).code, 69)
  assert.deepEqual(wanted, [])
  const env = { ...changes.env, POMBO_URL: url }
  assert.equal((await run(words.slice(0, -2), { ...changes, env })).code, 69)
})

test('names what is wrong with a command without calling anybody', async () => {
  await using gateway = await openTestGateway(answer)
  for (const words of [
    [],
    ['nonsense'],
    ['create', 'ana@example.com'],
    ['create', '--email', 'ana@example.com'],
    ['create', '--email', 'nobody', '--role', 'admin'],
    ['create', '--email', 'ana@example.com', '--role', 'root'],
    ['change', 'ana@example.com'],
    ['change', 'ana@example.com', '--state', 'gone'],
    ['remove'],
  ])
    assert.equal((await run(['users', ...words], gateway)).code, 2, words.join(' '))
  assert.equal(gateway.requests.length, 0)
})
