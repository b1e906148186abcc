import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ConfigError, loadConfig, SETTINGS } from './config.ts'
import { EXAMPLE_FILE, renderConfigurationDocs } from './docs.ts'
import { networksOf, rolesOf } from './settings.ts'

const noFile = (path: string): string => {
  throw new Error(`no file ${path}`)
}
const load = (env: Record<string, string>, file: unknown = {}) =>
  loadConfig({ POMBO_CONFIG: 'pombo.json', ...env }, () => JSON.stringify(file))

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run()
  } catch (error) {
    assert(error instanceof ConfigError)
    assert.equal(error.exitCode, 78)
    for (const problem of error.problems) assert(error.message.includes(problem))
    return error.problems
  }
  return []
}

describe('without any setting', () => {
  const config = loadConfig({}, noFile)

  test('the simulator carries every SMS and every mail', () => {
    assert.deepEqual(config.providers, [{ name: 'simulator', kind: 'simulator', settings: {} }])
    assert.deepEqual(config.routes, [
      { id: 'default', channel: 'sms', providers: ['simulator'] },
      { id: 'default-email', channel: 'email', providers: ['simulator'] },
    ])
  })

  test('every default stands in the schema', () => {
    assert.deepEqual(
      { ...config, providers: [], routes: [] },
      {
        profile: 'embedded',
        roles: 'api,worker,callbacks,poller,projector',
        natsReplicas: '1',
        natsPartitions: 4,
        natsPrefix: 'POMBO',
        logDays: 0,
        host: '127.0.0.1',
        port: 8080,
        dataDir: './data',
        logLevel: 'info',
        indexBodies: false,
        maxParts: 24,
        otpCost: 10,
        otpLimit: 5,
        otpWindowSeconds: 600,
        defaultLocale: 'en',
        breakerFailures: 5,
        breakerSeconds: 30,
        providerTimeoutSeconds: 30,
        shutdownSeconds: 30,
        providers: [],
        routes: [],
        warnings: [],
      },
    )
  })

  test('the config is frozen to its last leaf', () => {
    const leaves = (value: unknown): unknown[] =>
      typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(leaves)] : []
    assert(leaves(config).length > 5)
    for (const leaf of leaves(config)) assert(Object.isFrozen(leaf))
  })
})

const SECRET = 'tell-nobody'
const WRONG: readonly [name: string, value: string, sentence: RegExp][] = [
  ['POMBO_PROFILE', 'both', /^POMBO_PROFILE must be embedded or cluster, and "both" is not; .* out for embedded$/],
  ['POMBO_ROLES', 'api,cook', /^POMBO_ROLES must be some of api, worker, .* and "api,cook" is not/],
  [
    'POMBO_ROLES',
    'api,worker',
    /^POMBO_ROLES is "api,worker", and in the embedded profile one process has all roles; add callbacks, projector, or leave it out$/,
  ],
  ['POMBO_NATS_URL', `http://${SECRET}`, /^POMBO_NATS_URL must be addresses that begin with nats:/],
  ['POMBO_NATS_REPLICAS', '2', /^POMBO_NATS_REPLICAS must be 1, 3 or 5, and "2" is not/],
  ['POMBO_POSTGRES_URL', `mysql://${SECRET}`, /^POMBO_POSTGRES_URL must be an address that begins with postgres:/],
  ['POMBO_REDIS_URL', `http://${SECRET}`, /^POMBO_REDIS_URL must be an address that begins with redis:/],
  ['POMBO_SIMULATOR_SECRET', SECRET, /^POMBO_SIMULATOR_SECRET must be 16 bytes or longer, and the value given is not/],
  ['POMBO_PORT', '65536', /^POMBO_PORT must be a whole number from 0 to 65535, and "65536" is not; .* for 8080$/],
  ['POMBO_PORT', '80.5', /^POMBO_PORT must be a whole number .*"80.5" is not/],
  ['POMBO_PORT', '-1', /^POMBO_PORT must be a whole number .*"-1" is not/],
  ['POMBO_JWT_SECRET', SECRET, /^POMBO_JWT_SECRET must be 32 bytes or longer, .* and the value given is not; correct/],
  ['POMBO_JWKS_URL', `ftp://${SECRET}`, /^POMBO_JWKS_URL must be an address that begins with http/],
  ['POMBO_JWKS_FILE', 'keys.json', /^POMBO_JWKS_FILE names "keys.json", which cannot be read as a JSON Web Key Set; /],
  ['POMBO_MASTER_KEY', SECRET, /^POMBO_MASTER_KEY must be 32 bytes in base64 or as 64 hexadecimal digits, .*openssl/],
  ['POMBO_PUBLIC_URL', `${SECRET}@here`, /^POMBO_PUBLIC_URL must be an address that begins with http/],
  ['POMBO_LOG_LEVEL', 'loud', /^POMBO_LOG_LEVEL must be fatal, error, .*, and "loud" is not; .* for info$/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'here', /^OTEL_EXPORTER_OTLP_ENDPOINT must be an address/],
  ['POMBO_INDEX_BODIES', 'yes', /^POMBO_INDEX_BODIES must be true or false, and "yes" is not; .* for false$/],
  ['POMBO_DEFAULT_LOCALE', 'pt_BR', /^POMBO_DEFAULT_LOCALE must be a BCP 47 tag .* for en$/],
  ['POMBO_MAX_PARTS', '0', /^POMBO_MAX_PARTS must be a whole number from 1 to 255, and "0" is not; .* for 24$/],
  ['POMBO_CONCURRENCY', '0', /^POMBO_CONCURRENCY must be a whole number from 1 to 65536/],
  ['POMBO_PROVIDER_TIMEOUT_SECONDS', '601', /^POMBO_PROVIDER_TIMEOUT_SECONDS must be a whole number from 1 to 600/],
  ['POMBO_WEBHOOK_NETWORKS', '10.0.0.0/33', /^POMBO_WEBHOOK_NETWORKS must be networks .* "10.0.0.0\/33" is not/],
  ['POMBO_SHUTDOWN_SECONDS', 'soon', /^POMBO_SHUTDOWN_SECONDS must be a whole number from 0 to 3600/],
  ['POMBO_CONFIG', 'gone.json', /^POMBO_CONFIG \(gone.json\): the file cannot be read; correct the path/],
  ['POMBO_HOST', '0.0.0.0', /^POMBO_HOST is "0.0.0.0", which others can reach, .*; set POMBO_JWT_SECRET/],
]

test('the networks that webhooks may be sent to are none unless they are named', () => {
  assert.deepEqual(networksOf(load({})), [])
  assert.deepEqual(networksOf(load({ POMBO_WEBHOOK_NETWORKS: '10.0.0.0/8, ::1' })), ['10.0.0.0/8', '::1/128'])
})

describe('a wrong setting is named with what is wrong and the fix', () => {
  for (const [name, value, sentence] of WRONG) {
    test(`${name}=${value}`, () => {
      const [problem = '', ...others] = problemsOf(() => loadConfig({ [name]: value }, noFile))
      assert.match(problem, sentence)
      assert.deepEqual(others, [])
      assert(!problem.includes(SECRET))
    })
  }

  test('several are told together', () => {
    const env = { POMBO_PORT: 'x', POMBO_MAX_PARTS: 'y', POMBO_CONFIG: 'z' }
    assert.equal(problemsOf(() => loadConfig(env, noFile)).length, 3)
  })

  test('keys from an address and from a file exclude each other', () => {
    const env = { POMBO_JWKS_URL: 'https://example.com/jwks', POMBO_JWKS_FILE: 'keys.json' }
    assert.match(problemsOf(() => loadConfig(env, () => '{"keys":[]}')).join(), /both set, .*leave one out/)
  })
})

describe('a right setting is taken as what it means', () => {
  test('numbers and truth values are no texts', () => {
    const { port, indexBodies } = loadConfig({ POMBO_PORT: '0', POMBO_INDEX_BODIES: 'true' }, noFile)
    assert.deepEqual({ port, indexBodies }, { port: 0, indexBodies: true })
  })

  test('an empty variable is one that is not set', () => {
    assert.equal(loadConfig({ POMBO_PORT: '', POMBO_JWT_SECRET: '', POMBO_TYPO: '' }, noFile).port, 8080)
  })

  test('whoever brings a secret or keys may listen anywhere', () => {
    const secret = 'x'.repeat(32)
    assert.equal(loadConfig({ POMBO_HOST: '0.0.0.0', POMBO_JWT_SECRET: secret }, noFile).host, '0.0.0.0')
    assert.equal(loadConfig({ POMBO_HOST: '::', POMBO_JWKS_URL: 'https://example.com/jwks' }, noFile).host, '::')
  })

  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1']) {
    test(`${host} is loopback`, () => assert.equal(loadConfig({ POMBO_HOST: host }, noFile).host, host))
  }

  for (const host of ['127.0.0.1.example.com', 'localhost.example.com', '::', '10.0.0.1']) {
    test(`${host} is not`, () => assert.equal(problemsOf(() => loadConfig({ POMBO_HOST: host }, noFile)).length, 1))
  }

  test('any whole number in range is a port, and nothing else is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: -9, max: 70_000 }).map(String), fc.string({ minLength: 1 })), (text) => {
        const isPort = /^\d+$/.test(text) && Number(text) <= 65_535
        const problems = problemsOf(() => assert.equal(loadConfig({ POMBO_PORT: text }, noFile).port, Number(text)))
        assert.equal(problems.length, isPort ? 0 : 1)
      }),
    )
  })
})

describe('a name that is not a setting', () => {
  const warningsOf = (name: string) => loadConfig({ [name]: 'x' }, noFile).warnings

  test('is told with the one that was meant', () => {
    assert.deepEqual(warningsOf('POMBO_PROT'), ['POMBO_PROT is not a setting; did you mean POMBO_PORT?'])
    assert.deepEqual(warningsOf('POMBO_JWT_SECRETS'), [
      'POMBO_JWT_SECRETS is not a setting; did you mean POMBO_JWT_SECRET?',
    ])
  })

  test('is told without one when nothing is near', () => {
    assert.deepEqual(warningsOf('POMBO_COLOUR_OF_THE_SKY'), ['POMBO_COLOUR_OF_THE_SKY is not a setting'])
  })

  test('is let be when it is not ours', () => assert.deepEqual(warningsOf('PORT'), []))
})

test('settings of a provider that are allowed and suspicious are warned of, by its name', () => {
  const settings = { host: 'mx.example', tls: 'none', user: 'pombo', password: SECRET, from: 'no-reply@acme.example' }
  const { warnings } = load({}, { providers: [{ name: 'relay', kind: 'smtp', settings }] })
  assert.match(warnings.join(), /^provider relay: "tls" is "none", so the password is sent unencrypted/)
  assert.ok(!warnings.join().includes(SECRET))
})

describe('a provider that reports', () => {
  const settings = { account_sid: `AC${'0'.repeat(32)}`, auth_token: SECRET }
  const fileOf = (more: object) => ({
    providers: [{ name: 'main', kind: 'twilio', settings: { ...settings, ...more } }],
  })

  test('must be told where to', () => {
    assert.match(
      problemsOf(() => load({}, fileOf({}))).join(),
      /^POMBO_PUBLIC_URL is not set, and main would not know where to report; set it .* or set "callbacks": false/,
    )
    assert.equal(load({ POMBO_PUBLIC_URL: 'https://pombo.example' }, fileOf({})).providers[0]?.kind, 'twilio')
  })

  test('need not be told when it is not to', () => {
    assert.deepEqual(load({}, fileOf({ callbacks: false })).providers, [
      { name: 'main', kind: 'twilio', settings: { ...settings, callbacks: false } },
    ])
  })
})

describe('the cluster profile', () => {
  const CLUSTER = {
    POMBO_PROFILE: 'cluster',
    POMBO_NATS_URL: 'nats://one:4222,nats://two:4222',
    POMBO_POSTGRES_URL: 'postgres://pombo@db/pombo',
    POMBO_REDIS_URL: 'rediss://cache:6379',
    POMBO_MASTER_KEY: 'ab'.repeat(32),
    POMBO_JWT_SECRET: 'x'.repeat(32),
    POMBO_SIMULATOR_URL: 'http://simulator:8090',
    POMBO_SIMULATOR_SECRET: 'y'.repeat(16),
    POMBO_PUBLIC_URL: 'http://api:8080',
  }
  test('takes roles, and listens where others can reach it', () => {
    const config = load({ ...CLUSTER, POMBO_ROLES: 'api,callbacks', POMBO_HOST: '0.0.0.0' })
    assert.deepEqual(rolesOf(config), new Set(['api', 'callbacks']))
  })

  test('names everything it needs and has not got', () => {
    const names = Object.keys(CLUSTER).filter((name) => !['POMBO_PROFILE', 'POMBO_JWT_SECRET'].includes(name))
    const problems = problemsOf(() => load({ POMBO_PROFILE: 'cluster' }))
    for (const name of names)
      assert.ok(
        problems.some((problem) => problem.startsWith(`${name} is not set`)),
        name,
      )
    assert.ok(problems.some((problem) => problem.startsWith('nothing says whose tokens to trust')))
    assert.equal(problems.length, names.length + 1)
  })

  test('needs no simulator where none is set up', () => {
    const { POMBO_SIMULATOR_URL: _url, POMBO_SIMULATOR_SECRET: _secret, ...others } = CLUSTER
    const settings = { access_key: 'key', signing_key: 'key' }
    const { providers } = load(others, { providers: [{ name: 'bird', kind: 'messagebird', settings }] })
    assert.deepEqual(providers, [{ name: 'bird', kind: 'messagebird', settings }])
  })

  test('keeps the log longer than an idempotency key is good for', () => {
    assert.match(
      problemsOf(() => load({ ...CLUSTER, POMBO_LOG_DAYS: '2' })).join(),
      /^POMBO_LOG_DAYS is 2, .* 3 or more/,
    )
    assert.deepEqual(
      problemsOf(() => load({ ...CLUSTER, POMBO_LOG_DAYS: '3' })),
      [],
    )
  })
})

describe('docs/configuration.md', () => {
  test('is what the schemas say', () => {
    const path = join(import.meta.dirname, '../../docs/configuration.md')
    assert.equal(readFileSync(path, 'utf8'), renderConfigurationDocs(), 'stale: run npm run docs')
  })

  test('names every setting', () => {
    const docs = renderConfigurationDocs()
    for (const [, { env, description }] of SETTINGS) assert(docs.includes(env) && docs.includes(description))
  })

  test('has an example that loads', () => {
    const env = {
      TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      TWILIO_AUTH_TOKEN: 'token',
      POMBO_PUBLIC_URL: 'https://pombo.example',
    }
    const { providers, routes } = load(env, EXAMPLE_FILE)
    assert.deepEqual([providers.length, routes.length], [2, 2])
  })
})
