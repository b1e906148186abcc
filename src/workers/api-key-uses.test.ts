import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryApiKeys } from '../../test/memory/api-keys.ts'
import type { ApiKeyId } from '../domain/access/api-key.ts'
import { later, seconds } from '../lib/time.ts'
import { ROOM, someApiKey } from '../ports/api-keys.contract.ts'
import type { ApiKeyUse } from '../ports/api-keys.ts'
import { NOON } from '../ports/samples.contract.ts'
import { openApiKeyUses } from './api-key-uses.ts'

const ONE = 'one' as ApiKeyId
const OTHER = 'other' as ApiKeyId
const at = (second: number) => later(NOON, seconds(second))

test('writes the last use of each key once, however often it was used', async () => {
  const apiKeys = memoryApiKeys()
  const keys = [someApiKey(), someApiKey()]
  for (const key of keys) await apiKeys.add(key, ROOM)
  const uses = openApiKeyUses(apiKeys)
  for (let second = 0; second < 50; second += 1) for (const { id } of keys) uses.note(id, at(second))
  assert.deepEqual(
    keys.map(({ id }) => apiKeys.find(id)?.lastUsedAt),
    [undefined, undefined],
  )
  await uses.write()
  assert.deepEqual(
    keys.map(({ id }) => apiKeys.find(id)?.lastUsedAt),
    [at(49), at(49)],
  )
})

test('writes nothing when no key was used since', async () => {
  const written: (readonly ApiKeyUse[])[] = []
  const uses = openApiKeyUses({ touch: async (them) => void written.push(them) })
  await uses.write()
  uses.note(ONE, at(1))
  await uses.write()
  await uses.write()
  assert.deepEqual(written, [[{ id: ONE, at: at(1) }]])
})

test('what could not be written is written the next time, unless the key was used since', async () => {
  let [isDown, written]: [boolean, readonly ApiKeyUse[]] = [true, []]
  const uses = openApiKeyUses({
    touch: async (them) => {
      if (isDown) {
        uses.note(ONE, at(5))
        throw new Error('not now')
      }
      written = them
    },
  })
  uses.note(ONE, at(1))
  uses.note(OTHER, at(2))
  await assert.rejects(uses.write(), /not now/)
  isDown = false
  await uses.write()
  assert.deepEqual(written, [
    { id: ONE, at: at(5) },
    { id: OTHER, at: at(2) },
  ])
})
