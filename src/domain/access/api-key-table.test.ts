import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { later, millis, seconds } from '../../lib/time.ts'
import { someApiKey } from '../../ports/api-keys.contract.ts'
import { NOON } from '../../ports/samples.contract.ts'
import { ApiKeyTable } from './api-key-table.ts'

test('the newest version of each key counts, in whatever order and however often changes arrive', () => {
  const versions = [1, 2, 3, 4].map((version) => ({ version, name: `version ${version}` }))
  const [one, other] = [someApiKey(), someApiKey()]
  const changes = [one, other].flatMap((key) =>
    versions.map(({ version, name }) => ({ key: { ...key, name }, version })),
  )
  fc.assert(
    fc.property(fc.shuffledSubarray([...changes, ...changes]), (arriving) => {
      const table = new ApiKeyTable()
      for (const { key, version } of arriving) table.apply(key, version)
      for (const { id, tenantId } of [one, other]) {
        const arrived = arriving.filter(({ key }) => key.id === id).map(({ version }) => version)
        const expected = arrived.length === 0 ? undefined : `version ${Math.max(...arrived)}`
        assert.equal(table.find(id)?.name, expected)
        assert.equal(table.of(tenantId)[0]?.name, expected)
      }
    }),
  )
})

test('keys of one moment are listed in the same order in every process', () => {
  const { tenantId } = someApiKey()
  const keys = Array.from({ length: 9 }, () => someApiKey({ tenantId }))
  const listed = (inserted: typeof keys) => {
    const table = new ApiKeyTable()
    for (const key of inserted) table.apply(key)
    return table.of(tenantId).map(({ id }) => id)
  }
  assert.deepEqual(listed(keys), listed(keys.toReversed()))
})

test('a use that is noted here neither hides a newer version nor goes back', () => {
  const table = new ApiKeyTable()
  const key = someApiKey()
  table.touch(key.id, NOON)
  table.apply(key, 1)
  table.touch(key.id, later(NOON, seconds(5)))
  table.touch(key.id, NOON)
  assert.deepEqual(table.find(key.id), { ...key, lastUsedAt: later(NOON, seconds(5)) })
  table.apply({ ...key, revokedAt: NOON }, 2)
  assert.equal(table.find(key.id)?.revokedAt, NOON)
})

test('forgets a tenant with its last key', () => {
  const table = new ApiKeyTable()
  const key = someApiKey({ revokedAt: NOON })
  table.apply(key)
  table.forget(later(NOON, millis(-1)))
  assert.deepEqual(table.of(key.tenantId), [key])
  table.forget(NOON)
  assert.deepEqual([table.of(key.tenantId), table.find(key.id)], [[], undefined])
})
