import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ConfigError, loadConfig } from './config.ts'
import { LISTENER_DEFAULTS } from './listener-defaults.fixture.ts'
import { networksOf, rolesOf, trustedProxiesOf } from './settings.ts'

const noFile = (path: string): string => {
  throw new Error(`no file ${path}`)
}
const load = (env: Record<string, string>, file: unknown = {}) =>
  loadConfig({ POMBO_CONFIG: 'pombo.json', ...env }, () => JSON.stringify(file))
/** By the simulator on any address. */
const loadAnywhere = (env: Record<string, string>) => loadConfig({ POMBO_SIMULATOR: 'allowed', ...env }, noFile)

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

  test('the simulator carries every SMS and every email', () => {
    assert.deepEqual(config.providers, [{ name: 'simulator', kind: 'simulator', settings: {} }])
    assert.deepEqual(config.routes, [
      { id: 'default', channel: 'sms', providers: ['simulator'] },
      { id: 'default-email', channel: 'email', providers: ['simulator'] },
    ])
  })

  test('every default comes from the schema', () => {
    assert.deepEqual(
      { ...config, providers: [], routes: [] },
      {
        profile: 'embedded',
        roles: 'api,worker,callbacks,poller,projector',
        natsReplicas: '1',
        natsPartitions: 4,
        natsPrefix: 'POMBO',
        integrationEvents: 'wanted',
        logDays: 0,
        host: '127.0.0.1',
        port: 8080,
        dataDir: './data',
        logLevel: 'info',
        metricsCacheSeconds: 10,
        logSampleOneIn: 0,
        jwtMaxLifetimeSeconds: 7_776_000,
        ...LISTENER_DEFAULTS,
        maxWaiting: 1_000_000,
        retentionDays: 0,
        retentionRules: [],
        sinks: [],
        alerts: { deadLettersPerHour: 100 },
        tenantPolicy: 'any',
        tenants: [],
        indexBodies: false,
        maxParts: 24,
        otpCost: 10,
        otpLimit: 5,
        otpWindowSeconds: 600,
        otpWrongLimit: 10,
        otpWrongWindowSeconds: 3600,
        sessionHours: 12,
        sessionIdleMinutes: 60,
        passwordSignIn: 'on',
        usersApi: 'token',
        usersApiTenant: 'demo',
        usersApiAccount: 'default',
        oidcScope: 'openid email profile',
        oidcRoleClaim: 'pombo_role',
        oidcTenantClaim: 'pombo_tenant',
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

  test('the config is deeply frozen', () => {
    const leaves = (value: unknown): unknown[] =>
      typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(leaves)] : []
    assert(leaves(config).length > 5)
    for (const leaf of leaves(config)) assert(Object.isFrozen(leaf))
  })
})

const SECRET = 'do-not-print'
const WRONG: readonly [name: string, value: string, message: RegExp][] = [
  [
    'POMBO_PROFILE',
    'both',
    /^POMBO_PROFILE must be embedded or cluster, not "both"; correct it, or unset it to use embedded$/,
  ],
  ['POMBO_ROLES', 'api,cook', /^POMBO_ROLES must be one or more of api, worker, .*, not "api,cook"/],
  [
    'POMBO_ROLES',
    'api,worker',
    /^POMBO_ROLES is "api,worker", but the embedded profile has a single process; add callbacks, projector, or unset it$/,
  ],
  ['POMBO_NATS_URL', `http://${SECRET}`, /^POMBO_NATS_URL must be URLs that begin with nats:/],
  ['POMBO_NATS_REPLICAS', '2', /^POMBO_NATS_REPLICAS must be 1, 3 or 5, not "2"/],
  ['POMBO_POSTGRES_URL', `mysql://${SECRET}`, /^POMBO_POSTGRES_URL must be a URL that begins with postgres:/],
  ['POMBO_REDIS_URL', `http://${SECRET}`, /^POMBO_REDIS_URL must be a URL that begins with redis:/],
  ['POMBO_SIMULATOR_SECRET', SECRET, /^POMBO_SIMULATOR_SECRET must be 16 bytes or longer; correct it, or unset it$/],
  ['POMBO_PORT', '65536', /^POMBO_PORT must be a whole number from 0 to 65535, not "65536"; .* to use 8080$/],
  ['POMBO_PORT', '80.5', /^POMBO_PORT must be a whole number .*, not "80.5"/],
  ['POMBO_PORT', '-1', /^POMBO_PORT must be a whole number .*, not "-1"/],
  ['POMBO_JWT_SECRET', SECRET, /^POMBO_JWT_SECRET must be 32 bytes or longer, .*; correct it, or unset it$/],
  ['POMBO_JWKS_URL', `ftp://${SECRET}`, /^POMBO_JWKS_URL must be a URL that begins with http/],
  ['POMBO_JWKS_FILE', 'keys.json', /^POMBO_JWKS_FILE is "keys.json", which is not a readable JSON Web Key Set; /],
  ['POMBO_MASTER_KEY', SECRET, /^POMBO_MASTER_KEY must be 32 bytes in base64 or as 64 hexadecimal digits, .*openssl/],
  ['POMBO_PUBLIC_URL', `${SECRET}@here`, /^POMBO_PUBLIC_URL must be a URL that begins with http/],
  ['POMBO_LOG_LEVEL', 'loud', /^POMBO_LOG_LEVEL must be fatal, error, .*, not "loud"; .* to use info$/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'here', /^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/],
  ['POMBO_INDEX_BODIES', 'yes', /^POMBO_INDEX_BODIES must be true or false, not "yes"; .* to use false$/],
  ['POMBO_DEFAULT_LOCALE', 'pt_BR', /^POMBO_DEFAULT_LOCALE must be a BCP 47 language tag .* to use en$/],
  ['POMBO_MAX_PARTS', '0', /^POMBO_MAX_PARTS must be a whole number from 1 to 255, not "0"; .* to use 24$/],
  ['POMBO_CONCURRENCY', '0', /^POMBO_CONCURRENCY must be a whole number from 1 to 65536/],
  ['POMBO_PROVIDER_TIMEOUT_SECONDS', '601', /^POMBO_PROVIDER_TIMEOUT_SECONDS must be a whole number from 1 to 600/],
  ['POMBO_WEBHOOK_NETWORKS', '10.0.0.0/33', /^POMBO_WEBHOOK_NETWORKS must be networks .*, not "10.0.0.0\/33"/],
  ['POMBO_TRUSTED_PROXIES', 'loopback', /^POMBO_TRUSTED_PROXIES must be networks .*, not "loopback"/],
  ['POMBO_SHUTDOWN_SECONDS', 'soon', /^POMBO_SHUTDOWN_SECONDS must be a whole number from 0 to 3600/],
  ['POMBO_CONFIG', 'gone.json', /^POMBO_CONFIG \(gone.json\): cannot read the file; correct the path/],
  [
    'POMBO_JWKS_URL',
    'http://example.com/jwks',
    /^POMBO_JWKS_URL begins with http:.*; use https:\/\/, or a host on this/,
  ],
  ['POMBO_JWT_MAX_LIFETIME_SECONDS', '599', /^POMBO_JWT_MAX_LIFETIME_SECONDS must be a whole number from 600 to/],
  ['POMBO_MAX_WAITING', '0', /^POMBO_MAX_WAITING must be a whole number from 1 to .* to use 1000000$/],
  ['POMBO_MAX_STORED_BYTES', '1e9', /^POMBO_MAX_STORED_BYTES must be a whole number from 1 to/],
  ['POMBO_SIMULATOR', 'yes', /^POMBO_SIMULATOR must be allowed, not "yes"; correct it, or unset it$/],
]

test('webhooks may not be sent to private networks by default', () => {
  assert.deepEqual(networksOf(load({})), [])
  assert.deepEqual(networksOf(load({ POMBO_WEBHOOK_NETWORKS: '10.0.0.0/8, ::1' })), ['10.0.0.0/8', '::1/128'])
})

test('no proxy is trusted by default', () => {
  assert.deepEqual(trustedProxiesOf(load({})), [])
  assert.deepEqual(trustedProxiesOf(load({ POMBO_TRUSTED_PROXIES: '10.0.0.0/8, ::1' })), ['10.0.0.0/8', '::1/128'])
})

describe('a wrong setting is reported with the fix', () => {
  for (const [name, value, message] of WRONG) {
    test(`${name}=${value}`, () => {
      const [problem = '', ...others] = problemsOf(() => loadConfig({ [name]: value }, noFile))
      assert.match(problem, message)
      assert.deepEqual(others, [])
      assert(!problem.includes(SECRET))
    })
  }

  test('several are reported together', () => {
    const env = { POMBO_PORT: 'x', POMBO_MAX_PARTS: 'y', POMBO_CONFIG: 'z' }
    assert.equal(problemsOf(() => loadConfig(env, noFile)).length, 3)
  })

  test('POMBO_JWKS_URL and POMBO_JWKS_FILE exclude each other', () => {
    const env = { POMBO_JWKS_URL: 'https://example.com/jwks', POMBO_JWKS_FILE: 'keys.json' }
    assert.match(problemsOf(() => loadConfig(env, () => '{"keys":[]}')).join(), /both set; unset one of them/)
  })
})

describe('a valid setting', () => {
  test('is parsed as a number or a boolean', () => {
    const { port, indexBodies } = loadConfig({ POMBO_PORT: '0', POMBO_INDEX_BODIES: 'true' }, noFile)
    assert.deepEqual({ port, indexBodies }, { port: 0, indexBodies: true })
  })

  test('counts as not set when it is empty', () => {
    assert.equal(loadConfig({ POMBO_PORT: '', POMBO_JWT_SECRET: '', POMBO_TYPO: '' }, noFile).port, 8080)
  })

  test('lets the gateway listen anywhere when a secret or a JWKS is set', () => {
    const secret = 'x'.repeat(32)
    assert.equal(loadAnywhere({ POMBO_HOST: '0.0.0.0', POMBO_JWT_SECRET: secret }).host, '0.0.0.0')
    assert.equal(loadAnywhere({ POMBO_HOST: '::', POMBO_JWKS_URL: 'https://example.com/jwks' }).host, '::')
    assert.match(
      problemsOf(() => loadAnywhere({ POMBO_HOST: '0.0.0.0' })).join(),
      /^POMBO_HOST is "0.0.0.0", which other machines can reach, and no token settings .*; set POMBO_JWT_SECRET/,
    )
  })

  test('lets the gateway listen anywhere when a configuration file names providers, or the simulator is allowed', () => {
    const env = { POMBO_HOST: '0.0.0.0', POMBO_JWT_SECRET: 'x'.repeat(32) }
    const [problem = '', ...others] = problemsOf(() => loadConfig(env, noFile))
    assert.match(problem, /^POMBO_HOST is "0.0.0.0".* POMBO_CONFIG is not set, .* set POMBO_CONFIG .* POMBO_SIMULATOR=/)
    assert.deepEqual(others, [])
    const [none = ''] = problemsOf(() => load(env, { tenants: {} }))
    assert.match(none, /the file of POMBO_CONFIG \(pombo.json\) has no providers, so the simulator/)
    assert.equal(load(env, { providers: [{ name: 'phones', kind: 'simulator' }] }).host, '0.0.0.0')
    assert.equal(loadConfig({ ...env, POMBO_SIMULATOR: 'allowed' }, noFile).simulator, 'allowed')
  })

  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]']) {
    test(`keys may come from ${host} without encryption`, () => {
      const url = `http://${host}:8080/jwks`
      assert.equal(loadConfig({ POMBO_JWKS_URL: url }, noFile).jwksUrl, url)
    })
  }

  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1']) {
    test(`${host} is loopback`, () => assert.equal(loadConfig({ POMBO_HOST: host }, noFile).host, host))
  }

  for (const host of ['127.0.0.1.example.com', 'localhost.example.com', '::', '10.0.0.1']) {
    test(`${host} is not`, () => assert.equal(problemsOf(() => loadAnywhere({ POMBO_HOST: host })).length, 1))
  }

  test('is a port only if it is a whole number in range', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: -9, max: 70_000 }).map(String), fc.string({ minLength: 1 })), (text) => {
        const isPort = /^\d+$/.test(text) && Number(text) <= 65_535
        const problems = problemsOf(() => assert.equal(loadConfig({ POMBO_PORT: text }, noFile).port, Number(text)))
        assert.equal(problems.length, isPort ? 0 : 1)
      }),
    )
  })
})

describe('an unknown setting', () => {
  const warningsOf = (name: string) => loadConfig({ [name]: 'x' }, noFile).warnings

  test('is reported with the one that was probably meant', () => {
    assert.deepEqual(warningsOf('POMBO_PROT'), ['POMBO_PROT is not a setting; did you mean POMBO_PORT?'])
    assert.deepEqual(warningsOf('POMBO_JWT_SECRETS'), [
      'POMBO_JWT_SECRETS is not a setting; did you mean POMBO_JWT_SECRET?',
    ])
  })

  test('is reported without a suggestion when none is close', () => {
    assert.deepEqual(warningsOf('POMBO_COLOUR_OF_THE_SKY'), ['POMBO_COLOUR_OF_THE_SKY is not a setting'])
  })

  test('is ignored without the prefix POMBO_', () => assert.deepEqual(warningsOf('PORT'), []))
})

test('suspicious settings of a provider cause a warning with its name', () => {
  const settings = { host: 'mx.example', tls: 'none', user: 'pombo', password: SECRET, from: 'no-reply@acme.example' }
  const { warnings } = load({}, { providers: [{ name: 'relay', kind: 'smtp', settings }] })
  assert.match(warnings.join(), /^provider relay: "tls" is "none", so the password is sent unencrypted/)
  assert.ok(!warnings.join().includes(SECRET))
})

describe('a provider with callbacks', () => {
  const settings = { account_sid: `AC${'0'.repeat(32)}`, auth_token: SECRET }
  const fileOf = (more: object) => ({
    providers: [{ name: 'main', kind: 'twilio', settings: { ...settings, ...more } }],
  })

  test('requires POMBO_PUBLIC_URL', () => {
    assert.match(
      problemsOf(() => load({}, fileOf({}))).join(),
      /^POMBO_PUBLIC_URL is not set, so main cannot send callbacks; set it .* or set "callbacks": false/,
    )
    assert.equal(load({ POMBO_PUBLIC_URL: 'https://pombo.example' }, fileOf({})).providers[0]?.kind, 'twilio')
  })

  test('does not require it when callbacks are off', () => {
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
  test('supports single roles and any host', () => {
    const file = { providers: [{ name: 'simulator', kind: 'simulator' }] }
    const config = load({ ...CLUSTER, POMBO_ROLES: 'api,callbacks', POMBO_HOST: '0.0.0.0' }, file)
    assert.deepEqual(rolesOf(config), new Set(['api', 'callbacks']))
  })

  test('reports every required setting that is missing', () => {
    const names = Object.keys(CLUSTER).filter((name) => !['POMBO_PROFILE', 'POMBO_JWT_SECRET'].includes(name))
    const problems = problemsOf(() => load({ POMBO_PROFILE: 'cluster' }))
    for (const name of names)
      assert.ok(
        problems.some((problem) => problem.startsWith(`${name} is not set`)),
        name,
      )
    assert.ok(problems.some((problem) => problem.startsWith('no token settings are set')))
    assert.equal(problems.length, names.length + 1)
  })

  test('requires no simulator settings without a simulator', () => {
    const { POMBO_SIMULATOR_URL: _url, POMBO_SIMULATOR_SECRET: _secret, ...others } = CLUSTER
    const settings = { access_key: 'key', signing_key: 'key' }
    const { providers } = load(others, { providers: [{ name: 'bird', kind: 'messagebird', settings }] })
    assert.deepEqual(providers, [{ name: 'bird', kind: 'messagebird', settings }])
  })

  test('requires a log that outlives idempotency keys', () => {
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
