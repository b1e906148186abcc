/** The tests every store of API keys must pass. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { ApiKey, ApiKeyId } from '../domain/access/api-key.ts'
import type { AccountId, TenantId } from '../domain/ids.ts'
import { later, millis, seconds } from '../lib/time.ts'
import type { ApiKeyRoom, ApiKeys } from './api-keys.ts'
import { earlier, NOON, tenant } from './samples.contract.ts'

/** The store may be shared: every test uses tenants of its own. */
export type OpenApiKeys = () => Promise<Readonly<{ apiKeys: ApiKeys }> & AsyncDisposable>

export function apiKeysContract(engine: string, open: OpenApiKeys): void {
  describe(`API keys on ${engine}`, { timeout: 120_000 }, () => {
    adding(open)
    ending(open)
    using(open)
  })
}

function adding(open: OpenApiKeys): void {
  test('stores a key as given, and finds it by its id', async () => {
    await using opened = await open()
    const { apiKeys } = opened
    assert.equal(apiKeys.isLoaded(), true)
    for (const key of [someApiKey(), someApiKey(FULL)]) {
      assert.equal(apiKeys.find(key.id), undefined)
      assert.equal(await apiKeys.add(key, ROOM), true)
      assert.deepEqual(apiKeys.find(key.id), key)
      assert.deepEqual(apiKeys.list(key.tenantId), [key])
    }
  })

  test('lists the keys of one tenant, newest first', async () => {
    await using opened = await open()
    const { apiKeys } = opened
    const { tenantId } = someApiKey()
    const keys = [5, 0, 9].map((age) => someApiKey({ tenantId, createdAt: earlier(NOON, millis(age)) }))
    for (const key of [...keys, someApiKey()]) await apiKeys.add(key, ROOM)
    assert.deepEqual(
      apiKeys.list(tenantId).map(({ createdAt }) => NOON - createdAt),
      [0, 5, 9],
    )
    assert.deepEqual(apiKeys.list(tenant('nobody')), [])
  })

  test('adds no more usable keys of a mode than there is room for, however many are added at once', async () => {
    await using opened = await open()
    const { apiKeys } = opened
    const { tenantId } = someApiKey()
    const room: ApiKeyRoom = { usable: 3, all: 9 }
    const add = (wanted: Partial<ApiKey> = {}) => apiKeys.add(someApiKey({ tenantId, ...wanted }), room)
    await add({ revokedAt: NOON })
    await add({ expiresAt: NOON })
    const added = await Promise.all(Array.from({ length: 9 }, () => add()))
    assert.equal(added.filter((isAdded) => isAdded).length, 3)
    assert.equal(apiKeys.list(tenantId).length, 5)
    assert.equal(await add({ mode: 'test' }), true)
    assert.equal(await apiKeys.add(someApiKey(), room), true)

    const isOpen = ({ mode, revokedAt, expiresAt }: ApiKey) => mode === 'live' && (revokedAt ?? expiresAt) === undefined
    const [first] = apiKeys.list(tenantId).filter(isOpen)
    await apiKeys.end(tenantId, idOf(first), { kind: 'revoked', at: NOON })
    assert.deepEqual([await add(), await add()], [true, false])
  })

  test('keys that have ended take room too', async () => {
    await using opened = await open()
    const { apiKeys } = opened
    const { tenantId } = someApiKey()
    const room: ApiKeyRoom = { usable: 3, all: 4 }
    const add = () => apiKeys.add(someApiKey({ tenantId, revokedAt: NOON }), room)
    assert.deepEqual([await add(), await add(), await add(), await add(), await add()], [true, true, true, true, false])
  })
}

function ending(open: OpenApiKeys): void {
  test('a revoked key stays, with the time of its first revocation', async () => {
    await using opened = await open()
    const { apiKeys } = opened
    const key = someApiKey()
    await apiKeys.add(key, ROOM)
    const revoked = { ...key, revokedAt: NOON }
    assert.deepEqual(await apiKeys.end(key.tenantId, key.id, { kind: 'revoked', at: NOON }), revoked)
    assert.deepEqual(apiKeys.find(key.id), revoked)
    const again = await apiKeys.end(key.tenantId, key.id, { kind: 'revoked', at: later(NOON, seconds(5)) })
    assert.deepEqual([again, apiKeys.find(key.id), apiKeys.list(key.tenantId)], [revoked, revoked, [revoked]])
  })

  test('the earliest expiry counts, and neither end undoes the other', async () => {
    await using opened = await open()
    const { apiKeys } = opened
    const key = someApiKey({ expiresAt: later(NOON, seconds(60)) })
    await apiKeys.add(key, ROOM)
    const end = (kind: 'revoked' | 'expires', after: number) =>
      apiKeys.end(key.tenantId, key.id, { kind, at: later(NOON, seconds(after)) })
    await end('expires', 90)
    assert.equal(apiKeys.find(key.id)?.expiresAt, later(NOON, seconds(60)))
    await Promise.all([end('expires', 30), end('revoked', 10), end('expires', 40)])
    const { expiresAt, revokedAt } = apiKeys.find(key.id) ?? {}
    assert.deepEqual([expiresAt, revokedAt], [later(NOON, seconds(30)), later(NOON, seconds(10))])
  })

  test('ends only keys of the tenant', async () => {
    await using opened = await open()
    const { apiKeys } = opened
    const key = someApiKey()
    await apiKeys.add(key, ROOM)
    const { tenantId: stranger } = someApiKey()
    assert.equal(await apiKeys.end(stranger, key.id, { kind: 'revoked', at: NOON }), undefined)
    assert.equal(await apiKeys.end(key.tenantId, someApiKey().id, { kind: 'revoked', at: NOON }), undefined)
    assert.deepEqual(apiKeys.find(key.id), key)
  })

  test('forgets the keys that ended at or before a time', async () => {
    await using opened = await open()
    const { apiKeys } = opened
    const { tenantId } = someApiKey()
    const soon = later(NOON, seconds(5))
    const kept = [{}, { expiresAt: soon }, { revokedAt: soon }, { expiresAt: soon, revokedAt: soon }]
    const gone = [{ expiresAt: NOON }, { revokedAt: NOON }, { expiresAt: NOON, revokedAt: soon }]
    for (const wanted of [...kept, ...gone]) await apiKeys.add(someApiKey({ tenantId, ...wanted }), ROOM)
    const oldest = idOf(apiKeys.list(tenantId).find(({ revokedAt }) => revokedAt === NOON))
    await apiKeys.forget(NOON)
    assert.equal(apiKeys.find(oldest), undefined)
    assert.equal(apiKeys.list(tenantId).length, kept.length)
    assert.equal(await apiKeys.end(tenantId, oldest, { kind: 'revoked', at: NOON }), undefined)
    assert.equal(await apiKeys.add(someApiKey({ tenantId }), { usable: 9, all: kept.length + 1 }), true)
  })
}

function using(open: OpenApiKeys): void {
  test('remembers the last use of each key, which never moves back', async () => {
    await using opened = await open()
    const { apiKeys } = opened
    const [one, other, unused] = [someApiKey(), someApiKey(), someApiKey()]
    for (const key of [one, other, unused]) await apiKeys.add(key, ROOM)
    const at = (after: number) => later(NOON, seconds(after))
    const uses = () => [one, other, unused].map(({ id }) => apiKeys.find(id)?.lastUsedAt)
    await apiKeys.touch([])
    await apiKeys.touch([
      { id: one.id, at: at(60) },
      { id: other.id, at: at(10) },
      { id: someApiKey().id, at: at(10) },
    ])
    assert.deepEqual(uses(), [at(60), at(10), undefined])
    await apiKeys.touch([
      { id: one.id, at: at(50) },
      { id: other.id, at: at(90) },
    ])
    assert.deepEqual(uses(), [at(60), at(90), undefined])
    await apiKeys.end(one.tenantId, one.id, { kind: 'revoked', at: at(99) })
    assert.deepEqual(apiKeys.find(one.id), { ...one, lastUsedAt: at(60), revokedAt: at(99) })
  })
}

/** A key with all fields. */
const FULL: Partial<ApiKey> = {
  name: 'Olá "Pombo" 👍',
  scopes: ['sms:send', 'otp', 'operator'],
  mode: 'test',
  networks: ['10.0.0.0/8', 'fd00::/8'],
  lifetime: seconds(60),
  expiresAt: later(NOON, seconds(60)),
  revokedAt: later(NOON, seconds(30)),
  lastUsedAt: later(NOON, seconds(20)),
}

/** More than any test needs. */
export const ROOM: ApiKeyRoom = { usable: 1_000, all: 1_000 }

/** A key, by default of a new tenant. */
export const someApiKey = (wanted: Partial<ApiKey> = {}): ApiKey => ({
  id: randomBytes(6).toString('hex') as ApiKeyId,
  tenantId: tenant(randomUUID()),
  accountId: 'shop' as AccountId,
  name: 'Shop',
  scopes: ['sms:send'],
  mode: 'live',
  hash: randomBytes(32).toString('hex'),
  createdAt: NOON,
  ...wanted,
})

function idOf(key: ApiKey | undefined): ApiKeyId {
  assert.ok(key !== undefined)
  return key.id
}

export const idsOf = ({ list }: Pick<ApiKeys, 'list'>, tenantId: TenantId): readonly ApiKeyId[] =>
  list(tenantId).map(({ id }) => id)
