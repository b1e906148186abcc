import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import type { Call } from '../server.fixture.ts'
import { KEYS, NOON, openKeys, shownOf, sidOf } from './api-keys.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const open = () => openKeys(world)
const DAY = seconds(86_400)

test('creates a key with the same settings, and the current one expires after the overlap', async () => {
  await using opened = await open()
  const { api, admin, create } = opened
  const settings = { scopes: ['otp'], mode: 'test', account_id: 'shop', networks: ['10.0.0.0/8'] }
  const old = await create(settings)
  const expected = { ...settings, twilio_account_sid: sidOf('shop', 'acme~test') }
  api.pass(seconds(60))
  const rotated = await admin('POST', `${KEYS}/${old.id}/rotate`, { overlap_seconds: 60 })
  assert.deepEqual([rotated.statusCode, rotated.headers['cache-control']], [201, 'no-store'])
  const { key, previous, ...shown } = rotated.json()
  assert.notEqual(shown.id, old.id)
  assert.deepEqual(shown, { ...shownOf(shown), ...expected, created_at: '2030-01-31T12:01:00.000Z' })
  assert.deepEqual(previous, { ...shownOf(old), ...expected, expires_at: '2030-01-31T12:02:00.000Z' })

  const calls = [old.key, key].map((text) => api.callerWith(text, '10.0.0.1'))
  const validate = (call: Call) => call('POST', '/v1/otp/validate', {})
  assert.deepEqual(await Promise.all(calls.map(async (call) => (await validate(call)).statusCode)), [400, 400])
  api.pass(seconds(60))
  assert.deepEqual(await Promise.all(calls.map(async (call) => (await validate(call)).statusCode)), [401, 400])
})

test('the overlap is a day by default, and may be none or a month', async () => {
  await using opened = await open()
  const { admin, create } = opened
  for (const [body, expires] of [
    [{}, '2030-02-01T12:00:00.000Z'],
    [{ overlap_seconds: 2_592_000 }, '2030-03-02T12:00:00.000Z'],
    [{ overlap_seconds: 0 }, NOON],
  ] as const) {
    const { id } = await create()
    assert.equal((await admin('POST', `${KEYS}/${id}/rotate`, body)).json().previous.expires_at, expires)
  }
  const { id } = await create()
  for (const overlap of [-1, 2_592_001, 0.5, '60']) {
    assert.equal((await admin('POST', `${KEYS}/${id}/rotate`, { overlap_seconds: overlap })).statusCode, 400)
  }
})

test('the new key lives as long as the current one was to live, however often that was rotated', async () => {
  await using opened = await open()
  const { api, admin, create } = opened
  const { id } = await create({ expires_in_days: 10 })
  const expiries: unknown[] = []
  for (let count = 0; count < 2; count += 1) {
    api.pass(DAY)
    const rotated = (await admin('POST', `${KEYS}/${id}/rotate`, { overlap_seconds: 172_800 })).json()
    expiries.push([rotated.expires_at, rotated.previous.expires_at])
  }
  assert.deepEqual(expiries, [
    ['2030-02-11T12:00:00.000Z', '2030-02-03T12:00:00.000Z'],
    ['2030-02-12T12:00:00.000Z', '2030-02-03T12:00:00.000Z'],
  ])
})

test('a key that has ended cannot be rotated', async () => {
  await using opened = await open()
  const { admin, create } = opened
  const { id } = await create()
  await admin('DELETE', `${KEYS}/${id}`)
  const answer = await admin('POST', `${KEYS}/${id}/rotate`, {})
  assert.deepEqual([answer.statusCode, answer.json().error_code], [409, 'CONFLICT'])
})
