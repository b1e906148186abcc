import assert from 'node:assert/strict'
import { test } from 'node:test'
import { later, seconds } from '../../../lib/time.ts'
import { apiKeysContract, idsOf, ROOM, someApiKey } from '../../../ports/api-keys.contract.ts'
import { NOON, stopped } from '../../../ports/samples.contract.ts'
import { Unavailable } from '../../../ports/unavailable.ts'
import { newFile, openDriver, watched } from '../limits.fixture.ts'
import { openApiKeys } from './api-keys.ts'

apiKeysContract('sqlite', async () => {
  const file = newFile()
  const driver = openDriver(file.path, stopped)
  return {
    apiKeys: await openApiKeys(driver),
    async [Symbol.asyncDispose]() {
      await driver[Symbol.asyncDispose]()
      file[Symbol.dispose]()
    },
  }
})

test('keys, their ends and their last use survive a restart', async () => {
  using file = newFile()
  const { tenantId } = someApiKey()
  const [used, revoked, gone] = [1, 2, 3].map((age) =>
    someApiKey({ tenantId, createdAt: later(NOON, seconds(-age)), networks: ['10.0.0.0/8'], lifetime: seconds(9) }),
  )
  assert.ok(used !== undefined && revoked !== undefined && gone !== undefined)
  {
    await using driver = openDriver(file.path, stopped)
    const apiKeys = await openApiKeys(driver)
    for (const key of [used, revoked, { ...gone, expiresAt: NOON }]) await apiKeys.add(key, ROOM)
    await apiKeys.touch([{ id: used.id, at: NOON }])
    await apiKeys.end(tenantId, revoked.id, { kind: 'revoked', at: later(NOON, seconds(1)) })
    await apiKeys.forget(NOON)
  }
  await using driver = openDriver(file.path, stopped)
  assert.deepEqual((await openApiKeys(driver)).list(tenantId), [
    { ...used, lastUsedAt: NOON },
    { ...revoked, revokedAt: later(NOON, seconds(1)) },
  ])
})

test('what could not be stored does not take effect', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const watch = watched(driver)
  const apiKeys = await openApiKeys(watch.driver)
  const key = someApiKey()
  watch.refused.add('apiKeys.add').add('apiKeys.end').add('apiKeys.touch').add('apiKeys.forget')
  await assert.rejects(apiKeys.add(key, ROOM), Unavailable)
  assert.deepEqual(idsOf(apiKeys, key.tenantId), [])
  watch.refused.delete('apiKeys.add')
  await apiKeys.add(key, ROOM)
  await assert.rejects(apiKeys.end(key.tenantId, key.id, { kind: 'revoked', at: NOON }), Unavailable)
  await assert.rejects(apiKeys.touch([{ id: key.id, at: NOON }]), Unavailable)
  await assert.rejects(apiKeys.forget(later(NOON, seconds(9))), Unavailable)
  assert.deepEqual(apiKeys.find(key.id), key)
})
