import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfigFile } from './file.ts'

function read(tenants: unknown) {
  const problems: string[] = []
  const file = { providers: ['one', 'two'].map((name) => ({ name, kind: 'simulator' })), tenants }
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
