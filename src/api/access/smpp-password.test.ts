import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { KEYS, openKeys } from './api-keys.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

test('where short passwords are allowed, whoever creates or rotates a key gets one, and nobody else', async () => {
  await using opened = await openKeys(world, { smppPassword: ({ id }) => `of-${id}` })
  const { admin, create } = opened
  const created = await create()
  assert.deepEqual(created, { ...created, smpp_password: `of-${created.id}` })
  const rotated = (await admin('POST', `${KEYS}/${created.id}/rotate`, {})).json()
  assert.equal(rotated.smpp_password, `of-${rotated.id}`)
  assert.equal('smpp_password' in rotated.previous, false)
  assert.equal('smpp_password' in (await admin('GET', `${KEYS}/${created.id}`)).json(), false)
  const { body } = await admin('GET', '/v1/audit-log')
  assert.ok(!body.includes('of-'), 'the audit log has no passwords')
})

test('elsewhere there is none', async () => {
  await using opened = await openKeys(world)
  assert.equal('smpp_password' in (await opened.create()), false)
})
