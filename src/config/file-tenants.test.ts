import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfigFile } from './file.ts'

const PROVIDERS = ['one', 'two'].map((name) => ({ name, kind: 'simulator' }))

function read(tenants: unknown, others: object = {}) {
  const problems: string[] = []
  const file = { providers: PROVIDERS, tenants, ...others }
  const config = readConfigFile('pombo.json', {}, () => JSON.stringify(file), problems)
  return { ...config, problems: problems.map((problem) => problem.replace('POMBO_CONFIG (pombo.json): ', '')) }
}

test('reads tenants by id', () => {
  const { tenants, problems } = read({
    acme: {
      name: 'Acme',
      state: 'suspended',
      providers: ['two'],
      senders: ['Acme', ' +15005550006', '*.acme.example'],
      quotas: { api_keys: 3, waiting_messages: 0 },
      retention_days: 30,
      default_locale: 'pt-br',
    },
    bare: {},
  })
  assert.deepEqual(problems, [])
  assert.deepEqual(tenants, [
    {
      id: 'acme',
      name: 'Acme',
      state: 'suspended',
      providers: ['two'],
      senders: ['Acme', '+15005550006', '*.acme.example'],
      quotas: { apiKeys: 3, waitingMessages: 0 },
      retentionDays: 30,
      defaultLocale: 'pt-BR',
    },
    { id: 'bare', state: 'active' },
  ])
})

test('a file without tenants has none', () => {
  assert.deepEqual(read(undefined).tenants, [])
})

const WRONG: readonly [tenants: unknown, problem: RegExp][] = [
  [[], /^tenants must be an object$/],
  [{ acme: [] }, /^tenants\/acme must be an object$/],
  [{ 'a b': {} }, /^tenants\/a b is not an id of a tenant; use a name of/],
  [{ 'acme~test': {} }, /^tenants\/acme~test is not an id of a tenant/],
  [{ acme: { colour: 'red' } }, /^tenants\/acme has unknown keys; remove or correct colour$/],
  [{ acme: { state: 'closed' } }, /^tenants\/acme\/state must be active or suspended$/],
  [{ acme: { name: '' } }, /^tenants\/acme\/name must be 1 to 128 printable characters$/],
  [{ acme: { providers: [] } }, /^tenants\/acme\/providers must be a list with at least one provider$/],
  [{ acme: { providers: ['one', 'three'] } }, /^tenants\/acme\/providers\/1 is not a provider; choose among one, two$/],
  [{ acme: { providers: ['one', 'one'] } }, /^tenants\/acme\/providers\/1 is already listed$/],
  [{ acme: { senders: ['a@b@c'] } }, /^tenants\/acme\/senders\/0 must be a sender id, a number/],
  [{ acme: { quotas: { routes: -1 } } }, /^tenants\/acme\/quotas\/routes must be a whole number$/],
  [{ acme: { retention_days: 1 } }, /^tenants\/acme\/retention_days must be a whole number from 3 to 36500$/],
  [{ acme: { default_locale: '??' } }, /^tenants\/acme\/default_locale must be a BCP 47 language tag/],
]

for (const [tenants, problem] of WRONG) {
  test(`refuses ${JSON.stringify(tenants)}`, () => {
    const { problems } = read(tenants)
    assert.equal(problems.length, 1, problems.join('\n'))
    assert.match(problems[0] ?? '', problem)
  })
}

const reservedFor = (...tenants: unknown[]) => ({ providers: [{ ...PROVIDERS[0], tenants }, PROVIDERS[1]] })

test('a provider may be reserved for tenants, also those that the file does not describe', () => {
  const { providers, problems } = read({ acme: { providers: ['one'] } }, reservedFor('acme', 'nobody'))
  assert.deepEqual(problems, [])
  assert.deepEqual(
    providers.map(({ name, tenants }) => [name, tenants]),
    [
      ['one', ['acme', 'nobody']],
      ['two', undefined],
    ],
  )
})

test('refuses a reservation for what is no tenant, or for none', () => {
  for (const id of ['a b', 'acme~test', '', 7]) {
    const { problems } = read(undefined, reservedFor('acme', id))
    assert.equal(problems.length, 1, problems.join('\n'))
    assert.match(problems[0] ?? '', /^providers\/0\/tenants\/1 must be a name of at most 64 letters, digits, - or _$/)
  }
  for (const tenants of [[], 'acme']) {
    const { problems } = read(undefined, { providers: [{ ...PROVIDERS[0], tenants }, PROVIDERS[1]] })
    assert.deepEqual(problems, ['providers/0/tenants must be a list with at least one id of a tenant'])
  }
})

test('refuses a tenant whose list has a provider that is reserved for others', () => {
  const { problems } = read({ other: { providers: ['two', 'one'] } }, reservedFor('acme'))
  assert.deepEqual(problems, ['tenants/other/providers/1 is reserved for other tenants; choose among two'])
  const alone = read({ other: { providers: ['one'] } }, { providers: [{ ...PROVIDERS[0], tenants: ['acme'] }] })
  assert.deepEqual(alone.problems, [
    'tenants/other/providers/0 is reserved for other tenants; no provider is left for this tenant',
  ])
})

test('refuses a route of a tenant that names a provider reserved for others, and no other route', () => {
  const route = { id: 'r', channel: 'sms', providers: ['two', 'one'] }
  const problemsOf = (...routes: unknown[]) => read(undefined, { ...reservedFor('acme'), routes }).problems
  assert.deepEqual(problemsOf({ ...route, tenant_id: 'other' }), [
    'routes/0/providers/1 is not allowed for this tenant; choose among two',
  ])
  assert.deepEqual(problemsOf(route, { ...route, id: 's', tenant_id: 'acme' }), [])
})
