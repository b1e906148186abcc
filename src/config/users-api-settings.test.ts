import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, loadConfig } from './config.ts'
import type { Env } from './names.ts'
import { openUsersOf } from './users-api-settings.ts'

const load = (env: Env) => loadConfig(env, () => assert.fail('no file'))
const OPEN = { POMBO_USERS_API: 'open' }

function problemsOf(env: Env): readonly string[] {
  try {
    load(env)
    return []
  } catch (error) {
    return error instanceof ConfigError ? error.problems : assert.fail(String(error))
  }
}

test('the users API needs credentials by default', () => {
  assert.equal(openUsersOf(load({})), undefined)
  assert.match(problemsOf({ POMBO_USERS_API: 'yes' }).join(), /^POMBO_USERS_API must be token or open, not "yes"/)
})

test('an open one answers loopback, and the networks that are named', () => {
  const same = { tenantId: 'demo', accountId: 'default', networks: [], trustedProxies: [] }
  assert.deepEqual(openUsersOf(load(OPEN)), same)
  const env = {
    ...OPEN,
    POMBO_USERS_API_NETWORKS: '10.0.0.0/8, 198.51.100.7',
    POMBO_USERS_API_TENANT: 'acme',
    POMBO_USERS_API_ACCOUNT: 'shop',
    POMBO_TRUSTED_PROXIES: '172.16.0.1',
  }
  const networks = ['10.0.0.0/8', '198.51.100.7/32']
  assert.deepEqual(openUsersOf(load(env)), {
    tenantId: 'acme',
    accountId: 'shop',
    networks,
    trustedProxies: ['172.16.0.1/32'],
  })
})

test('does not start when it would be open to the world by mistake', () => {
  for (const wide of ['0.0.0.0/0', '::/0', '0.0.0.0/1', '10.0.0.0/8,2000::/3', '::ffff:0:0/96']) {
    const [problem = '', ...others] = problemsOf({ ...OPEN, POMBO_USERS_API_NETWORKS: wide })
    assert.match(problem, /^POMBO_USERS_API_NETWORKS contains .*, from where anybody on the internet could/, wide)
    assert.deepEqual(others, [])
  }
  const published = { ...OPEN, POMBO_PUBLIC_URL: 'https://pombo.example' }
  assert.match(problemsOf(published).join(), /^POMBO_USERS_API is open .* set POMBO_TRUSTED_PROXIES to/)
  assert.deepEqual(problemsOf({ ...published, POMBO_TRUSTED_PROXIES: '10.0.0.1' }), [])
  assert.deepEqual(problemsOf({ ...OPEN, POMBO_PUBLIC_URL: 'http://localhost:8080' }), [])
})

test('networks without an open API are reported, because they have no effect', () => {
  const [problem = ''] = problemsOf({ POMBO_USERS_API_NETWORKS: '10.0.0.0/8' })
  assert.match(problem, /^POMBO_USERS_API_NETWORKS is set, but POMBO_USERS_API is not open; set it to open, or unset/)
})
