import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { memoryApiKeys } from '../../../test/memory/api-keys.ts'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { toApiKeyText } from '../../domain/access/api-key.ts'
import { MODES } from '../../domain/access/test-mode.ts'
import { openApiKeySecrets } from '../../engines/crypto/api-key-secrets.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import { ROOM, someApiKey } from '../../ports/api-keys.contract.ts'
import { NOON } from '../../ports/samples.contract.ts'
import { SMS } from '../server.fixture.ts'
import { openKeyVerifier } from './api-key-auth.ts'
import { KEYS, openKeys } from './api-keys.fixture.ts'

const secrets = openApiKeySecrets(new Uint8Array(32))
const world = { openEngine: openMemoryEngine, ids: openIds() }
const open = () => openKeys(world, { apiKeySecrets: secrets })
const ANYWHERE = { ip: '203.0.113.9' }
const NOT_VALID = { code: 'UNAUTHENTICATED', message: 'The API key is not valid' }

/** A verifier that knows one key, and counts what it computes and finds. */
async function openVerifier(wanted: Parameters<typeof someApiKey>[0] = {}) {
  const counts = { hashed: 0, found: 0 }
  const used: unknown[] = []
  let now: Instant = NOON
  const apiKeys = memoryApiKeys()
  const { id, secret } = secrets.draw()
  const key = someApiKey({ ...wanted, id, hash: secrets.hash(secret) })
  await apiKeys.add(key, ROOM)
  const verify = openKeyVerifier({
    apiKeys: {
      isLoaded: () => true,
      find: (wantedId) => {
        counts.found += 1
        return apiKeys.find(wantedId)
      },
    },
    secrets: {
      hash: (text) => {
        counts.hashed += 1
        return secrets.hash(text)
      },
    },
    clock: () => now,
    onUse: (...use) => used.push(use),
  })
  const text = toApiKeyText({ mode: key.mode, id, secret })
  const refusalOf = (presented: string, ip = ANYWHERE.ip): unknown => {
    try {
      verify(presented, { ip })
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : error
    }
  }
  return {
    apiKeys,
    key,
    text,
    verify,
    refusalOf,
    counts,
    used,
    pass: (count: number) => {
      now = later(now, seconds(count))
    },
  }
}

test('a key is a caller of its tenant and account with its scopes, and each use is noted', async () => {
  const { verify, text, key, used, pass } = await openVerifier({ scopes: ['otp', 'messages:read'], name: 'Shop' })
  assert.deepEqual(verify(text, ANYWHERE), {
    tenantId: key.tenantId,
    accountId: 'shop',
    scopes: new Set(['otp', 'messages:read']),
    actor: { kind: 'api_key', id: key.id, name: 'Shop' },
  })
  pass(5)
  verify(text, ANYWHERE)
  assert.deepEqual(used, [
    [key.id, NOON],
    [key.id, later(NOON, seconds(5))],
  ])
})

test('a test key acts in the test tenant', async () => {
  const { verify, text, key } = await openVerifier({ mode: 'test' })
  assert.equal(verify(text, ANYWHERE).tenantId, `${key.tenantId}~test`)
})

test('a key with any character changed, added or removed is not valid', async () => {
  await using opened = await open()
  const { key } = await opened.create({ scopes: ['admin'] })
  const characters = [...'abyz019ABYZ_-. '].map((character) => fc.constant(character))
  const at = fc.nat({ max: key.length - 1 })
  const tampered = fc.oneof(
    fc.tuple(at, fc.oneof(...characters)).map(([place, one]) => key.slice(0, place) + one + key.slice(place + 1)),
    fc.tuple(at, fc.oneof(...characters)).map(([place, one]) => key.slice(0, place) + one + key.slice(place)),
    at.map((place) => key.slice(0, place) + key.slice(place + 1)),
    at.map((place) => key.slice(0, place)),
    fc.constantFrom(
      key.toUpperCase(),
      key.toLowerCase(),
      `${key}x`,
      key.replace('live', 'test'),
      `${key} `,
      `${key}\t`,
    ),
  )
  const property = fc.asyncProperty(tampered, async (text) => {
    fc.pre(text.trim() !== key)
    const answer = await opened.api.callerWith(text)('GET', KEYS)
    assert.equal(answer.statusCode, 401)
    assert.equal(answer.json().error_code, 'UNAUTHENTICATED')
  })
  await fc.assert(property, { numRuns: 500 })
  assert.equal((await opened.api.callerWith(key)('GET', KEYS)).statusCode, 200)
})

describe('a key that is not valid', () => {
  test('costs the same whether its id exists or not: one lookup and one hash', async () => {
    const { verify, text, key, counts } = await openVerifier()
    const costs: unknown[] = []
    const other = secrets.draw()
    for (const presented of [
      toApiKeyText({ mode: 'live', id: key.id, secret: other.secret }),
      toApiKeyText({ mode: 'live', id: other.id, secret: other.secret }),
      toApiKeyText({ mode: 'live', id: other.id, secret: text.slice(-40) }),
    ]) {
      Object.assign(counts, { hashed: 0, found: 0 })
      assert.throws(() => verify(presented, ANYWHERE), NOT_VALID)
      costs.push({ ...counts })
    }
    assert.deepEqual(costs, Array(3).fill({ hashed: 1, found: 1 }))
  })

  test('is not told why: neither its mode nor whether it was revoked', async () => {
    for (const mode of MODES) {
      const { refusalOf, text, key, apiKeys } = await openVerifier({ mode })
      const wrong = `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`
      const otherMode = text.replace(`pk_${mode}`, `pk_${mode === 'live' ? 'test' : 'live'}`)
      await apiKeys.end(key.tenantId, key.id, { kind: 'revoked', at: NOON })
      for (const presented of [wrong, otherMode]) assert.equal(refusalOf(presented), NOT_VALID.message)
      assert.equal(refusalOf(text), 'The API key was revoked')
    }
  })

  test('is not noted as used', async () => {
    const { refusalOf, text, used, apiKeys, key } = await openVerifier({ networks: ['10.0.0.0/8'] })
    refusalOf(text)
    refusalOf(`${text.slice(0, -1)}-`)
    await apiKeys.end(key.tenantId, key.id, { kind: 'revoked', at: NOON })
    refusalOf(text, '10.0.0.1')
    assert.deepEqual(used, [])
  })
})

describe('a key that was proved before', () => {
  test('is not hashed again', async () => {
    const { verify, text, counts } = await openVerifier()
    const first = verify(text, ANYWHERE)
    for (let call = 0; call < 9; call += 1) assert.equal(verify(text, ANYWHERE), first)
    assert.equal(counts.hashed, 1)
  })

  test('is refused from the moment it is revoked, forgotten or replaced', async () => {
    const { refusalOf, text, key, apiKeys, pass } = await openVerifier()
    assert.equal(refusalOf(text), undefined)
    await apiKeys.end(key.tenantId, key.id, { kind: 'revoked', at: NOON })
    assert.equal(refusalOf(text), 'The API key was revoked')
    await apiKeys.forget(NOON)
    pass(1)
    assert.equal(refusalOf(text), NOT_VALID.message)
    await apiKeys.add({ ...key, hash: 'another' }, ROOM)
    assert.equal(refusalOf(text), NOT_VALID.message)
  })

  test('is refused from the moment it expires', async () => {
    const { refusalOf, text, pass } = await openVerifier({ expiresAt: later(NOON, seconds(5)) })
    pass(4)
    assert.equal(refusalOf(text), undefined)
    pass(1)
    assert.equal(refusalOf(text), 'The API key has expired')
  })

  test('is refused from other networks than its own', async () => {
    const { refusalOf, text } = await openVerifier({ networks: ['10.1.0.0/16', 'fd00::/8'] })
    for (const ip of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::7']) assert.equal(refusalOf(text, ip), undefined)
    for (const ip of ['10.2.0.1', '203.0.113.9', '::1', 'unknown', '']) {
      assert.equal(refusalOf(text, ip), `The API key may not be used from ${ip}`)
    }
  })
})

describe('the address of a caller', () => {
  const call = async (trustedProxies: readonly string[], peer: string, forwarded?: string) => {
    await using opened = await openKeys(world, { apiKeySecrets: secrets, trustedProxies })
    const { key } = await opened.create({ scopes: ['admin'], networks: ['198.51.100.0/24'] })
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    const answer = await opened.api.callerWith(key, peer)('GET', KEYS, undefined, headers)
    return answer.statusCode === 200 ? 'allowed' : answer.json().detail.split(' ').at(-1)
  }

  test('is that of the connection, whatever X-Forwarded-For contains, unless a proxy is trusted', async () => {
    assert.equal(await call([], '198.51.100.7'), 'allowed')
    assert.equal(await call([], '203.0.113.9', '198.51.100.7'), '203.0.113.9')
    assert.equal(await call([], '198.51.100.7', '203.0.113.9'), 'allowed')
    assert.equal(await call(['10.0.0.0/8'], '203.0.113.9', '198.51.100.7'), '203.0.113.9')
  })

  test('is the one that a trusted proxy names, not one that the client made up', async () => {
    const proxies = ['10.0.0.0/8', 'fd00::/8']
    assert.equal(await call(proxies, '10.0.0.1', '198.51.100.7'), 'allowed')
    assert.equal(await call(proxies, 'fd00::1', '198.51.100.7, 10.9.9.9'), 'allowed')
    assert.equal(await call(proxies, '::ffff:10.0.0.1', '198.51.100.7'), 'allowed')
    assert.equal(await call(proxies, '10.0.0.1', '198.51.100.7, 203.0.113.9'), '203.0.113.9')
    assert.equal(await call(proxies, '10.0.0.1', '203.0.113.9, 198.51.100.7'), 'allowed')
    assert.equal(await call(proxies, '10.0.0.1'), '10.0.0.1')
    assert.equal(await call(proxies, '10.0.0.1', 'unknown'), 'unknown')
  })
})

test('a key cannot leave its tenant or test mode', async () => {
  await using opened = await open()
  const { key } = await opened.create({ scopes: ['admin'], mode: 'test' })
  const call = opened.api.callerWith(key)
  for (const [headers, status] of [
    [{ 'pombo-tenant': 'globex' }, 403],
    [{ 'pombo-tenant': 'acme' }, 403],
    [{ 'pombo-mode': 'test' }, 200],
  ] as const) {
    assert.equal((await call('GET', KEYS, undefined, headers)).statusCode, status, JSON.stringify(headers))
  }
  const live = await opened.create()
  const listed = (await call('GET', KEYS, undefined, { 'pombo-mode': 'live' })).json()
  assert.equal(listed.items.length, 1)
  assert.equal((await call('GET', `${KEYS}/${live.id}`, undefined, { 'pombo-mode': 'live' })).statusCode, 404)
})

test('an operator in test mode stays in it, also in another tenant', async () => {
  await using opened = await open()
  const operator = await opened.api.caller({ scope: 'operator', test: true })
  await opened.create()
  for (const mode of [{}, { 'pombo-mode': 'live' }]) {
    const answer = await operator('GET', KEYS, undefined, { 'pombo-tenant': 'acme', ...mode })
    assert.deepEqual(answer.json().items, [])
  }
})

test('S1-P14 log lines name the key by its id only, and no line and no problem contains its secret', async () => {
  await using opened = await open()
  const { api, admin } = opened
  const { id, key } = await opened.create()
  const bad = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`
  const answers = [
    await api.callerWith(key)('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' }),
    await api.callerWith(key)('POST', '/v1/sms/send', { to: 'nobody' }),
    await api.callerWith(key)('GET', KEYS),
    await api.callerWith(bad)('GET', KEYS),
    await api.callerWith(`${key}x`)('GET', KEYS),
    await admin('DELETE', `${KEYS}/${id}`),
    await api.callerWith(key)('POST', '/v1/sms/send', SMS),
  ]
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [202, 400, 403, 401, 401, 204, 401],
  )
  const withKey = api.lines.filter((line) => line['api_key_id'] === id)
  assert.ok(withKey.length >= 3)
  for (const line of withKey) assert.equal(line['tenant_id'], 'acme')
  const everything = JSON.stringify([api.lines, answers.map(({ body, headers }) => [body, headers])])
  for (const text of [key, bad]) assert.equal(everything.includes(text.slice(-40, -1)), false)
})
