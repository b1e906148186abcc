import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LOG_MARGIN } from '../domain/message/retention.ts'
import { seconds } from '../lib/time.ts'
import { ConfigError, loadConfig } from './config.ts'
import { logAgeOf, retentionPolicyOf } from './retention.ts'

const load = (env: Record<string, string>, retention?: unknown) =>
  loadConfig({ POMBO_CONFIG: 'pombo.json', ...env }, () => JSON.stringify({ retention }))

function problemsOf(env: Record<string, string>, retention?: unknown): readonly string[] {
  try {
    load(env, retention)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems.map((problem) => problem.replace('POMBO_CONFIG (pombo.json): ', ''))
  }
}

describe('the retention of messages', () => {
  test('is forever by default', () => {
    assert.deepEqual(retentionPolicyOf(load({})), { rules: [] })
  })

  test('is set for all messages, with exceptions in the file', () => {
    const retention = [
      { tenant_id: 'acme', days: 0 },
      { channel: 'email', days: 365 },
      { tenant_id: 'acme', channel: 'sms', days: 3 },
    ]
    assert.deepEqual(retentionPolicyOf(load({ POMBO_RETENTION_DAYS: '90' }, retention)), {
      days: 90,
      rules: [
        { tenantId: 'acme', days: 0 },
        { channel: 'email', days: 365 },
        { tenantId: 'acme', channel: 'sms', days: 3 },
      ],
    })
  })

  for (const days of ['1', '2']) {
    test(`cannot be ${days} days, because idempotency keys are valid for longer`, () => {
      const [problem, ...others] = problemsOf({ POMBO_RETENTION_DAYS: days })
      assert.match(problem ?? '', new RegExp(`^POMBO_RETENTION_DAYS is ${days}, but .* 48 hours; set it to 3 or more`))
      assert.deepEqual(others, [])
      assert.match(
        problemsOf({}, [{ channel: 'sms', days: Number(days) }]).join(),
        /^retention\/0\/days must be 0, or a whole number from 3 to 36500$/,
      )
    })
  }

  test('is refused with the fix where rules make no sense', () => {
    for (const [retention, problem] of [
      [[{ days: 30 }], /^retention\/0 names neither tenant_id nor channel; .* POMBO_RETENTION_DAYS instead$/],
      [
        [
          { tenant_id: 'a', days: 3 },
          { tenant_id: 'a', days: 4 },
        ],
        /^retention\/1 is for the same messages as an earlier/,
      ],
      [[{ channel: 'fax', days: 30 }], /^retention\/0\/channel must be sms or email$/],
      [[{ tenant_id: 'a b', days: 30 }], /^retention\/0\/tenant_id must be a name/],
      [[{ channel: 'sms', days: 3.5 }], /^retention\/0\/days must be 0, or a whole number/],
      [[{ channel: 'sms' }], /^retention\/0 is missing days$/],
      [[{ tenant: 'a', days: 3 }], /^retention\/0 has unknown keys; remove or correct tenant$/],
      [{ days: 3 }, /^retention must be a list$/],
    ] as const) {
      assert.match(problemsOf({}, retention).join('\n'), problem)
    }
    assert.deepEqual(
      problemsOf({}, [
        { tenant_id: 'a', days: 3 },
        { tenant_id: 'a', channel: 'sms', days: 3 },
      ]),
      [],
    )
  })
})

describe('the log of the cluster', () => {
  const days = (count: number) => seconds(count * 24 * 60 * 60)
  const age = (env: Record<string, string>, retention?: unknown) => logAgeOf(load(env, retention))

  test('keeps events as long as it is told, shorter or longer than messages are kept', () => {
    assert.equal(age({ POMBO_LOG_DAYS: '7', POMBO_RETENTION_DAYS: '90' }), days(7))
    assert.equal(age({ POMBO_LOG_DAYS: '365', POMBO_RETENTION_DAYS: '90' }), days(365))
    assert.equal(age({ POMBO_LOG_DAYS: '7' }), days(7))
  })

  test('otherwise never forgets a message before the index does', () => {
    assert.equal(age({ POMBO_RETENTION_DAYS: '90' }), days(90) + LOG_MARGIN)
    assert.equal(age({ POMBO_RETENTION_DAYS: '90' }, [{ tenant_id: 'a', days: 365 }]), days(365) + LOG_MARGIN)
    assert.equal(age({ POMBO_RETENTION_DAYS: '90' }, [{ tenant_id: 'a', days: 0 }]), undefined)
    assert.equal(age({}, [{ tenant_id: 'a', days: 3 }]), undefined)
    assert.equal(age({}), undefined)
  })
})
