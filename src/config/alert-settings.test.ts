import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfigFile } from './file.ts'

function read(alerts: unknown) {
  const problems: string[] = []
  const config = readConfigFile('pombo.json', {}, () => JSON.stringify({ alerts }), problems)
  return { ...config, problems: problems.map((problem) => problem.replace('POMBO_CONFIG (pombo.json): ', '')) }
}

test('reads who gets alerts as mail, and how many dead letters are too many', () => {
  const email = { tenant_id: 'ops', to: ['oncall@acme.example'], from: 'Pombo <alerts@acme.example>' }
  const { alerts, problems } = read({ dead_letters_per_hour: 5, email })
  assert.deepEqual(problems, [])
  assert.deepEqual(alerts, {
    deadLettersPerHour: 5,
    email: {
      tenantId: 'ops',
      accountId: 'default',
      to: ['oncall@acme.example'],
      from: { address: 'alerts@acme.example', name: 'Pombo' },
    },
  })
})

test('without them, alerts are webhooks only', () => {
  assert.deepEqual(read(undefined).alerts, { deadLettersPerHour: 100 })
})

const WRONG: readonly [alerts: unknown, problem: RegExp][] = [
  [[], /^alerts must be an object$/],
  [{ colour: 'red' }, /^alerts has unknown keys; remove or correct colour$/],
  [{ dead_letters_per_hour: 0 }, /^alerts\/dead_letters_per_hour must be a whole number from 1 to /],
  [{ email: { to: ['a@b.example'] } }, /^alerts\/email is missing tenant_id$/],
  [{ email: { tenant_id: 'ops', to: [] } }, /^alerts\/email\/to must be a list of 1 to 10 email addresses$/],
  [{ email: { tenant_id: 'ops', to: ['nobody'] } }, /^alerts\/email\/to\/0 must be an email address$/],
  [{ email: { tenant_id: 'o p s', to: ['a@b.example'] } }, /^alerts\/email\/tenant_id must be a name of/],
  [{ email: { tenant_id: 'ops', to: ['a@b.example'], from: 'x' } }, /^alerts\/email\/from must be a mailbox/],
]

for (const [alerts, problem] of WRONG) {
  test(`refuses ${JSON.stringify(alerts)}`, () => {
    const { problems } = read(alerts)
    assert.equal(problems.length, 1, problems.join('; '))
    assert.match(problems[0] ?? '', problem)
  })
}
