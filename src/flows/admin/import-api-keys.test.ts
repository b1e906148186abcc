import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryApiKeys } from '../../../test/memory/api-keys.ts'
import { later, seconds } from '../../lib/time.ts'
import { ROOM, someApiKey } from '../../ports/api-keys.contract.ts'
import { NOON, tenant } from '../../ports/samples.contract.ts'
import { type ImportApiKeysDeps, importApiKeys } from './import-api-keys.ts'

const [NORTH, SOUTH] = [tenant('north'), tenant('south')]

const KEYS = [
  someApiKey({ tenantId: NORTH, expiresAt: later(NOON, seconds(9)) }),
  someApiKey({ tenantId: NORTH, revokedAt: NOON }),
  someApiKey({ tenantId: SOUTH, mode: 'test' }),
]

async function open(isSameKey = true) {
  const [source, target] = [memoryApiKeys(), memoryApiKeys()]
  for (const key of KEYS) await source.add(key, ROOM)
  const deps: ImportApiKeysDeps = {
    source: { apiKeys: source, listing: { tenants: async () => [NORTH, SOUTH] } },
    target: { apiKeys: target },
    isSameKey,
  }
  return { deps, source, target }
}

test('imports the keys of every tenant, also those that have ended', async () => {
  const { deps, source, target } = await open()
  assert.deepEqual(await importApiKeys(deps), { all: 3, added: 3, left: 0 })
  for (const tenantId of [NORTH, SOUTH]) assert.deepEqual(target.list(tenantId), source.list(tenantId))
})

test('a second import adds nothing, and does not undo a revocation', async () => {
  const { deps, target } = await open()
  await importApiKeys(deps)
  const [first] = KEYS
  assert.ok(first !== undefined)
  const revoked = await target.end(NORTH, first.id, { kind: 'revoked', at: NOON })
  assert.deepEqual(await importApiKeys(deps), { all: 3, added: 0, left: 0 })
  assert.deepEqual(target.find(first.id), revoked)
})

test('with another master key skips all keys, because their secrets cannot be verified', async () => {
  const { deps, target } = await open(false)
  assert.deepEqual(await importApiKeys(deps), { all: 3, added: 0, left: 3 })
  assert.deepEqual(target.list(NORTH), [])
})
