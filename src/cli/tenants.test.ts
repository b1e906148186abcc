/** `pombo tenants`, against a gateway on a real socket. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestGateway, refuseWith, run } from './test-world.ts'

const ACME = {
  id: 'acme',
  source: 'api',
  state: 'active',
  name: 'Acme',
  providers: ['twilio', 'ses'],
  senders: null,
  quotas: { routes: 10, stored_bytes: 1000 },
  retention_days: 30,
  default_locale: null,
  created_at: '2030-01-31T12:00:00.000Z',
  updated_at: '2030-01-31T12:00:00.000Z',
}

test('lists tenants as a table or as JSON', async () => {
  await using gateway = await openTestGateway(() => ({ items: [ACME], next_cursor: null }))
  const { code, out } = await run(['tenants', 'list'], gateway)
  assert.equal(code, 0)
  assert.deepEqual(out.trimEnd().split('\n'), [
    'id    state   name  source  providers    retention  locale',
    'acme  active  Acme  api     twilio, ses  30         –',
  ])
  assert.deepEqual(JSON.parse((await run(['tenants', 'list', '--json'], gateway)).out), ACME)
  assert.ok(gateway.requests.every(({ method, path }) => method === 'GET' && path === '/v1/tenants'))
})

test('says that there are none', async () => {
  await using gateway = await openTestGateway(() => ({ items: [], next_cursor: null }))
  assert.equal((await run(['tenants', 'list'], gateway)).out, 'no tenants\n')
})

test('shows a tenant', async () => {
  await using gateway = await openTestGateway(() => ACME)
  const { out } = await run(['tenants', 'show', 'acme'], gateway)
  assert.match(out, /^id +acme$/m)
  assert.match(out, /^quotas +routes=10, stored_bytes=1000$/m)
  assert.match(out, /^senders +–$/m)
  assert.match(out, /^created_at +2030-01-31 12:00:00Z$/m)
  assert.equal(gateway.requests[0]?.path, '/v1/tenants/acme')
})

test('creates a tenant with all that is given', async () => {
  await using gateway = await openTestGateway(() => ACME)
  const argv = [
    'tenants',
    'create',
    'acme',
    '--name',
    'Acme',
    '--providers',
    'twilio, ses',
    '--senders',
    'Acme Inc,acme.example',
  ]
  const more = ['--quotas', 'routes=10,stored_bytes=0', '--retention-days', '30', '--locale', 'pt-BR', '--json']
  assert.deepEqual(JSON.parse((await run([...argv, ...more], gateway)).out), ACME)
  const [request] = gateway.requests
  assert.deepEqual([request?.method, request?.path], ['POST', '/v1/tenants'])
  assert.deepEqual(request?.body, {
    id: 'acme',
    name: 'Acme',
    providers: ['twilio', 'ses'],
    senders: ['Acme Inc', 'acme.example'],
    quotas: { routes: 10, stored_bytes: 0 },
    retention_days: 30,
    default_locale: 'pt-BR',
  })
})

test('changes and removes fields', async () => {
  await using gateway = await openTestGateway(() => ACME)
  const argv = ['tenants', 'change', 'acme', '--name', 'Acme Ltd', '--unset', 'providers,retention_days']
  assert.equal((await run(argv, gateway)).code, 0)
  const [request] = gateway.requests
  assert.deepEqual([request?.method, request?.path], ['PATCH', '/v1/tenants/acme'])
  assert.deepEqual(request?.body, { name: 'Acme Ltd', providers: null, retention_days: null })
})

test('suspends and activates a tenant', async () => {
  await using gateway = await openTestGateway(() => ACME)
  assert.equal((await run(['tenants', 'suspend', 'acme'], gateway)).out, 'acme is suspended\n')
  assert.equal((await run(['tenants', 'activate', 'acme'], gateway)).out, 'acme is active\n')
  assert.deepEqual(
    gateway.requests.map(({ method, path, body }) => [method, path, body]),
    ['suspended', 'active'].map((state) => ['PATCH', '/v1/tenants/acme', { state }]),
  )
})

test('repeats what the gateway says', async () => {
  await using gateway = await openTestGateway(refuseWith(403, 'This needs the scope operator'))
  const { code, err } = await run(['tenants', 'list'], gateway)
  assert.deepEqual([code, err], [1, 'pombo: the gateway answered 403: This needs the scope operator\n'])
})

const WRONG: readonly [argv: readonly string[], message: RegExp][] = [
  [[], /usage: pombo tenants list \| show ID/],
  [['burn'], /usage: pombo tenants list \| show ID/],
  [['list', 'acme'], /usage: pombo tenants list \| show ID/],
  [['suspend'], /usage: pombo tenants list \| show ID/],
  [['show', 'no id'], /ID must be the id of a tenant/],
  [['change', 'acme'], /nothing to change/],
  [['change', 'acme', '--unset', 'state'], /--unset: unknown state; use name, providers,/],
  [['create', 'acme', '--unset', 'name'], /--unset is for `pombo tenants change`/],
  [['create', 'acme', '--quotas', 'routes'], /--quotas must be quotas such as routes=10/],
  [['create', 'acme', '--quotas', 'cats=3'], /--quotas must be quotas such as routes=10/],
  [['create', 'acme', '--retention-days', 'x'], /--retention-days must be a whole number from 1 to 36500/],
]

for (const [argv, message] of WRONG) {
  test(`rejects \`pombo tenants ${argv.join(' ')}\` without calling the gateway`, async () => {
    await using gateway = await openTestGateway(() => ACME)
    const { code, err } = await run(['tenants', ...argv], gateway)
    assert.equal(code, 2)
    assert.match(err, message)
    assert.equal(gateway.requests.length, 0)
  })
}
