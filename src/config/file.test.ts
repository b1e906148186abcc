import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { millis, seconds } from '../lib/time.ts'
import { readConfigFile } from './file.ts'

function read(file: unknown, env: Record<string, string> = {}) {
  const problems: string[] = []
  const text = typeof file === 'string' ? file : JSON.stringify(file)
  const config = readConfigFile('pombo.json', env, () => text, problems)
  return { ...config, problems: problems.map((problem) => problem.replace('POMBO_CONFIG (pombo.json): ', '')) }
}

const inBraces = (name: string): string => `\${${name}}`
const route = { id: 'all', channel: 'sms', providers: ['simulator'] }

describe('the file', () => {
  test('reads providers and routes', () => {
    const { providers, routes, problems } = read({
      providers: [
        { name: 'sim', kind: 'simulator', settings: { receipt_delay_ms: 5, latency_ms: 2, error_rate: 0.5 } },
      ],
      routes: [
        {
          id: 'brazil',
          channel: 'sms',
          tenant_id: 'demo',
          kind: 'flash_sms',
          sender: 'Pombo',
          prefix: '+55',
          operator_id: 'vivo',
          providers: ['sim'],
          retry: { delays_seconds: [1, 2.5], max_attempts: 2, jitter: 0.1 },
          unknown: { wait_seconds: 9, policy: 'failover', give_up_seconds: 60 },
        },
      ],
    })
    assert.deepEqual(problems, [])
    assert.deepEqual(providers, [
      { name: 'sim', kind: 'simulator', settings: { receiptDelay: millis(5), latency: millis(2), errorRate: 0.5 } },
    ])
    assert.deepEqual(routes, [
      {
        id: 'brazil',
        channel: 'sms',
        tenantId: 'demo',
        kind: 'flash_sms',
        sender: 'Pombo',
        prefix: '+55',
        operatorId: 'vivo',
        providers: ['sim'],
        retry: { delays: [seconds(1), seconds(2.5)], maxAttempts: 2, jitter: 0.1 },
        unknown: { wait: seconds(9), policy: 'failover', giveUp: seconds(60) },
      },
    ])
  })

  test('leaves missing values to the channel and the lane', () => {
    const { routes } = read({ routes: [{ ...route, retry: { max_attempts: 2 }, unknown: { policy: 'resend' } }] })
    assert.equal(routes[0]?.retry?.maxAttempts, 2)
    assert.equal(routes[0]?.retry?.delays[0], seconds(2))
    assert.deepEqual(routes[0]?.unknown, { policy: 'resend' })
  })

  test('without routes uses the providers in their order', () => {
    const { routes } = read({ providers: ['a', 'b'].map((name) => ({ name, kind: 'simulator' })) })
    assert.deepEqual(routes[0]?.providers, ['a', 'b'])
  })
})

describe('providers with weights', () => {
  const providers = ['a', 'b'].map((name) => ({ name, kind: 'simulator' }))
  const listed = (...listed: unknown[]) => read({ providers, routes: [{ ...route, providers: listed }] })

  test('keep their order', () => {
    const { routes, problems } = listed({ name: 'b', weight: 1 }, { name: 'a', weight: 0 })
    assert.deepEqual([problems, routes[0]?.providers, routes[0]?.weights], [[], ['b', 'a'], [1, 0]])
    assert.equal(listed('b', 'a').routes[0]?.weights, undefined)
  })

  test('cannot be mixed with names, and one weight must be above 0', () => {
    assert.match(
      listed({ name: 'b', weight: 1 }, 'a').problems.join(),
      /^routes\/0\/providers mixes two forms; give every/,
    )
    assert.match(listed({ name: 'b', weight: 0 }).problems.join(), /^routes\/0\/providers has no weight above 0/)
  })
})

describe('a variable reference', () => {
  test('is replaced by the variable', () => {
    const { providers } = read({ providers: [{ name: inBraces('CARRIER'), kind: 'simulator' }] }, { CARRIER: 'sim' })
    assert.equal(providers[0]?.name, 'sim')
  })

  test('must refer to a variable that is set', () => {
    const { problems } = read({ providers: [{ name: inBraces('CARRIER'), kind: 'simulator' }] })
    assert.match(problems[0] ?? '', /^the file refers to the variable CARRIER, which is not set; set it/)
  })

  test('inside a longer string is not replaced', () => {
    assert.match(
      read({ routes: [{ ...route, sender: `x${inBraces('b')}` }] }, { b: 'c' }).problems.join(),
      /^routes\/0\/sender must/,
    )
  })
})

const simulator = { name: 'a', kind: 'simulator' }
const TWILIO = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'do-not-print' }
const BIRD = { access_key: 'do-not-print', signing_key: 'do-not-print' }

const WRONG: readonly [title: string, file: unknown, problem: RegExp][] = [
  ['invalid JSON', '{"token": "do-not-print', /^the file is not valid JSON; `jq \. pombo\.json` shows where/],
  ['a list', [], /^the file must be an object$/],
  ['an unknown key', { route: [] }, /^the file has unknown keys; remove or correct route$/],
  ['no provider', { providers: [] }, /^providers must be a list with at least one provider$/],
  ['no kind', { providers: [{ name: 'a' }] }, /^providers\/0 is missing kind$/],
  [
    'an unknown kind',
    { providers: [{ name: 'a', kind: 'pigeon' }] },
    /^providers\/0\/kind must be simulator, twilio, messagebird, smpp, ses or smtp$/,
  ],
  [
    'a bad name',
    { providers: [{ name: 'a b', kind: 'simulator' }] },
    /^providers\/0\/name must be a name of at most 64/,
  ],
  [
    'an error rate above 1',
    { providers: [{ name: 'a', kind: 'simulator', settings: { error_rate: 2 } }] },
    /error_rate must be a number from 0 to 1/,
  ],
  [
    'settings that are not an object',
    { providers: [{ name: 'a', kind: 'twilio', settings: 'do-not-print' }] },
    /^providers\/0\/settings must be an object$/,
  ],
  [
    'missing settings',
    { providers: [simulator, { name: 'b', kind: 'twilio' }] },
    /^providers\/1\/settings is missing account_sid, auth_token$/,
  ],
  [
    'settings of another kind',
    { providers: [{ name: 'a', kind: 'twilio', settings: { ...TWILIO, error_rate: 1 } }] },
    /^providers\/0\/settings has unknown keys; remove or correct error_rate$/,
  ],
  [
    'a malformed account',
    { providers: [{ name: 'a', kind: 'twilio', settings: { ...TWILIO, account_sid: 'do-not-print' } }] },
    /^providers\/0\/settings\/account_sid must be AC and 32 hexadecimal digits$/,
  ],
  [
    'a key without its secret',
    { providers: [{ name: 'a', kind: 'twilio', settings: { ...TWILIO, api_key: { sid: `SK${'0'.repeat(32)}` } } }] },
    /^providers\/0\/settings\/api_key is missing secret$/,
  ],
  [
    'a wrong URL',
    { providers: [{ name: 'a', kind: 'messagebird', settings: { ...BIRD, base_url: 'ftp://do-not-print' } }] },
    /^providers\/0\/settings\/base_url must be a URL that begins with http/,
  ],
  [
    'a duplicate provider',
    { providers: ['a', 'a'].map((name) => ({ name, kind: 'simulator' })) },
    /^providers\/1\/name is used/,
  ],
  [
    'an unknown provider with a weight',
    { routes: [{ ...route, providers: [{ name: 'x', weight: 1 }] }] },
    /^routes\/0\/providers\/0 is not a provider; choose among simulator$/,
  ],
  [
    'a negative weight',
    { routes: [{ ...route, providers: [{ name: 'simulator', weight: -1 }] }] },
    /^routes\/0\/providers\/0 must be the name of a provider, or { "name", "weight" } with a whole number from 0 to/,
  ],
  [
    'a provider listed twice',
    { routes: [{ ...route, providers: ['simulator', 'simulator'] }] },
    /^routes\/0\/providers\/1 is already listed$/,
  ],
  ['a duplicate route', { routes: [route, route] }, /^routes\/1\/id is used by an earlier route; choose another$/],
  [
    'an unknown provider',
    { routes: [{ ...route, providers: ['x'] }] },
    /^routes\/0\/providers\/0 is not a provider; choose among simulator$/,
  ],
  ['a wrong prefix', { routes: [{ ...route, prefix: '55' }] }, /^routes\/0\/prefix must be a phone number prefix/],
  [
    'an unknown policy',
    { routes: [{ ...route, unknown: { policy: 'pray' } }] },
    /policy must be resend, failover or hold$/,
  ],
  [
    'no delays',
    { routes: [{ ...route, retry: { delays_seconds: [] } }] },
    /delays_seconds must be a list with at least one number/,
  ],
  ['an unknown channel', { routes: [{ ...route, channel: 'fax' }] }, /^routes\/0\/channel must be sms or email$/],
  [
    'a prefix of the other channel',
    { routes: [{ ...route, channel: 'email', prefix: '+55' }] },
    /^routes\/0\/prefix must be a domain in lower case/,
  ],
  [
    'a provider of the other channel',
    {
      providers: [{ name: 'a', kind: 'messagebird', settings: { access_key: 'k', signing_key: 's' } }],
      routes: [{ id: 'r', channel: 'email', providers: ['a'] }],
    },
    /^routes\/0\/providers\/0 does not carry email; no configured provider does$/,
  ],
]

describe('a problem names the key and never repeats its value', () => {
  for (const [title, file, problem] of WRONG) {
    test(title, () => {
      const { problems } = read(file)
      assert.equal(problems.length, 1)
      assert.match(problems.join(), problem)
      assert(!problems.join().includes('do-not-print'))
    })
  }
})
