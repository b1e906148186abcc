import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiKey, ApiKeyId } from '../../domain/access/api-key.ts'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import { openApiKeySecrets } from '../../engines/crypto/api-key-secrets.ts'
import { openSmppPasswords } from '../../engines/crypto/smpp-passwords.ts'
import { refuse } from '../../flows/errors.ts'
import { type Instant, instant, later, seconds } from '../../lib/time.ts'
import { Credentials } from './credentials.ts'
import { Answered } from './statuses.ts'

const MASTER_KEY = new Uint8Array(32).fill(7)
const ID = 'c3kj6s5wv9as' as ApiKeyId
const SECRET = 's'.repeat(40)
const HOME = '203.0.113.9'
const secrets = openApiKeySecrets(MASTER_KEY)
const shortPassword = openSmppPasswords(MASTER_KEY)
const KEY: ApiKey = {
  id: ID,
  tenantId: 'north' as TenantId,
  accountId: 'shop' as AccountId,
  name: 'Shop',
  scopes: ['sms:send'],
  mode: 'live',
  hash: secrets.hash(SECRET),
  createdAt: instant(0),
}

function openWorld(key: Partial<ApiKey> = {}, { allowsShort = true } = {}) {
  const world = { now: instant(1_000), key: { ...KEY, ...key }, isServed: true, isLoaded: true, uses: 0 }
  const credentials = new Credentials({
    apiKeys: { find: (id) => (id === ID ? world.key : undefined), isLoaded: () => world.isLoaded },
    secrets,
    ...(allowsShort ? { shortPassword } : {}),
    checkTenant: () => {
      if (!world.isServed) throw refuse('TENANT_SUSPENDED', 'suspended')
    },
    clock: (): Instant => world.now,
    onUse: () => {
      world.uses += 1
    },
  })
  const statusOf = (password: string, more: object = {}): number => {
    try {
      credentials.verify({ systemId: ID, password, address: HOME, ...more })
      return 0
    } catch (error) {
      if (error instanceof Answered) return error.status
      throw error
    }
  }
  return { world, credentials, statusOf }
}

test('the secret, the whole key and the short password are right', () => {
  const { world, statusOf } = openWorld()
  for (const password of [SECRET, `pk_live_${ID}_${SECRET}`, shortPassword(KEY)]) assert.equal(statusOf(password), 0)
  assert.equal(world.uses, 3)
})

test('everything else is wrong', () => {
  const { statusOf } = openWorld()
  const other = shortPassword({ ...KEY, hash: 'of another secret' })
  for (const password of ['', SECRET.slice(1), `pk_test_${ID}_${SECRET}`, `pk_live_000000000000_${SECRET}`, other]) {
    assert.equal(statusOf(password), 0x0e, password)
  }
  assert.equal(statusOf(SECRET, { systemId: 'somebody' }), 0x0e)
})

test('short passwords are good only where they are allowed', () => {
  assert.equal(openWorld({}, { allowsShort: false }).statusOf(shortPassword(KEY)), 0x0e)
})

for (const [name, key] of [
  ['a revoked key', { revokedAt: instant(1) }],
  ['an expired key', { expiresAt: instant(999) }],
  ['a key of another network', { networks: ['198.51.100.0/24'] }],
  ['a key without the scope', { scopes: ['messages:read'] }],
] as const) {
  test(`${name} cannot bind, and ends its sessions`, () => {
    const { credentials, statusOf } = openWorld(key)
    assert.equal(statusOf(SECRET), 0x0d)
    assert.equal(credentials.isStillGood(ID, HOME), false)
  })
}

test('the tenant must be served, now and later', () => {
  const { world, credentials, statusOf } = openWorld()
  assert.equal(statusOf(SECRET), 0)
  assert.equal(credentials.isStillGood(ID, HOME), true)
  world.isServed = false
  assert.equal(statusOf(SECRET), 0x0d)
  assert.equal(credentials.isStillGood(ID, HOME), false)
})

test('before the keys are loaded, clients are told to try again', () => {
  const { world, statusOf } = openWorld()
  world.isLoaded = false
  assert.equal(statusOf(SECRET), 0x08)
})

test('wrong passwords are slowed down, for the one who guesses', () => {
  const { world, statusOf } = openWorld()
  for (let guess = 0; guess < 10; guess += 1) assert.equal(statusOf(`guess ${guess}`), 0x0e)
  assert.equal(statusOf(SECRET), 0x0d)
  assert.equal(statusOf(SECRET, { address: '198.51.100.1' }), 0, 'others may bind')
  world.now = later(world.now, seconds(10))
  assert.equal(statusOf(SECRET), 0)
})

test('guesses from many addresses, and of many keys, are slowed down too', () => {
  const { statusOf } = openWorld()
  for (let guess = 0; guess < 1_000; guess += 1) statusOf('wrong', { address: `10.0.${guess >> 8}.${guess & 255}` })
  assert.equal(statusOf(SECRET), 0x0d)
  const other = openWorld()
  for (let guess = 0; guess < 100; guess += 1) other.statusOf('wrong', { systemId: `key ${guess}` })
  assert.equal(other.statusOf(SECRET), 0x0d)
})
