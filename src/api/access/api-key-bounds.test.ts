import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { createKey, KEYS, openKeys } from './api-keys.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const DAY = seconds(86_400)
const IN_TEN_DAYS = '2030-02-10T12:00:00.000Z'
const BOUNDED = { scopes: ['admin'], networks: ['203.0.113.0/24', '2001:db8::/32'], expires_in_days: 10 }
const HERE = '203.0.113.7'

/** An admin's key for some days and from some networks, and calls with it. */
async function open(fields: object = BOUNDED) {
  const opened = await openKeys(world)
  const bounded = await opened.create(fields)
  return { ...opened, bounded, call: opened.api.callerWith(bounded.key, HERE) }
}

test('a key that a key creates has its networks and its expiry, unless narrower ones are asked for', async () => {
  await using opened = await open()
  const { api, call } = opened
  const show = ({ networks, expires_at: expires }: object & { networks?: unknown; expires_at?: unknown }) => [
    networks,
    expires,
  ]
  assert.deepEqual(show(await createKey(call)), [BOUNDED.networks, IN_TEN_DAYS])
  const narrower = { networks: ['203.0.113.128/25', '203.0.113.7'], expires_in_days: 2 }
  assert.deepEqual(show(await createKey(call, narrower)), [
    ['203.0.113.128/25', '203.0.113.7/32'],
    '2030-02-02T12:00:00.000Z',
  ])
  assert.deepEqual(show(await createKey(call, { expires_at: IN_TEN_DAYS })), [BOUNDED.networks, IN_TEN_DAYS])
  api.pass(DAY)
  const { key } = await createKey(call, { scopes: ['admin'] })
  assert.deepEqual(show(await createKey(api.callerWith(key, HERE))), [BOUNDED.networks, IN_TEN_DAYS])
})

test('refuses a key that would outlive the key that creates it, or work from elsewhere', async () => {
  await using opened = await open()
  const { call, bounded } = opened
  const expiry = `must not be after ${IN_TEN_DAYS}, when your own API key expires`
  const networks = 'must be within the networks of your own API key: 203.0.113.0/24, 2001:db8::/32'
  for (const [fields, path, message] of [
    [{ expires_at: '2030-02-10T12:00:00.001Z' }, '/expires_at', expiry],
    [{ expires_in_days: 11 }, '/expires_in_days', expiry],
    [{ networks: [HERE, '198.51.100.7'] }, '/networks/1', networks],
    [{ networks: ['203.0.0.0/16'] }, '/networks/0', networks],
    [{ networks: ['::/0'] }, '/networks/0', networks],
  ] as const) {
    const answer = await call('POST', KEYS, { name: 'Shop', scopes: ['sms:send'], ...fields })
    assert.deepEqual([answer.statusCode, answer.json().details], [400, [{ path, message }]])
  }
  const { items } = (await opened.admin('GET', KEYS)).json()
  assert.deepEqual(
    items.map(({ id }: { id: string }) => id),
    [bounded.id],
  )
})

test('a key that a key rotates lives no longer than that key, and works from no other networks', async () => {
  await using opened = await open()
  const { api, call, bounded, create } = opened
  const rotate = (id: string) => call('POST', `${KEYS}/${id}/rotate`, {})
  for (const wider of [{}, { networks: ['0.0.0.0/0'] }, { networks: [HERE, '198.51.100.7'] }]) {
    const { id } = await create(wider)
    const answer = await rotate(id)
    assert.deepEqual([answer.statusCode, answer.json().error_code], [403, 'FORBIDDEN'])
    assert.match(answer.json().detail, /may be used from 203\.0\.113\.0\/24, 2001:db8::\/32 only/)
  }
  api.pass(DAY)
  for (const [fields, expires] of [
    [{}, IN_TEN_DAYS],
    [{ expires_in_days: 20 }, IN_TEN_DAYS],
    [{ expires_in_days: 2 }, '2030-02-03T12:00:00.000Z'],
  ] as const) {
    const { id } = await create({ networks: [HERE], ...fields })
    assert.equal((await rotate(id)).json().expires_at, expires)
  }
  assert.equal((await rotate(bounded.id)).json().expires_at, IN_TEN_DAYS)
})

test('people, tokens and keys without bounds create and rotate what they want', async () => {
  await using opened = await open({ scopes: ['admin'] })
  const { admin, call, create } = opened
  const { id } = await create({ networks: ['10.0.0.0/8'], expires_in_days: 3 })
  for (const one of [admin, call]) {
    assert.deepEqual((await createKey(one)).expires_at, null)
    const rotated = (await one('POST', `${KEYS}/${id}/rotate`, {})).json()
    assert.deepEqual([rotated.networks, rotated.expires_at], [['10.0.0.0/8'], '2030-02-03T12:00:00.000Z'])
  }
})
