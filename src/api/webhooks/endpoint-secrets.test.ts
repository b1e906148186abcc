import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { openFixture, type World } from '../server.fixture.ts'
import { ADMIN, NOON, openEndpoints } from './endpoints.fixture.ts'

const world: World = { openEngine: openMemoryEngine, ids: openIds() }
const open = () => openEndpoints(world)

const SECRET = '/v1/endpoints/orders/secret'
const ROTATE = '/v1/endpoints/orders/rotate'
const secretOf = (nth: number): string => `whsec_acme main orders ${Date.parse(NOON) + nth - 1}`
const alone = (nth: number) => ({ secret: secretOf(nth), previous_secret: null, previous_secret_until: null })
const beside = (nth: number, until: string) => ({
  secret: secretOf(nth),
  previous_secret: secretOf(nth - 1),
  previous_secret_until: until,
})

test('shows the secret to admins only', async () => {
  await using opened = await open()
  await opened.make()
  assert.deepEqual((await opened.admin('GET', SECRET)).json(), alone(1))
  const reader = await opened.api.caller()
  assert.equal((await reader('GET', SECRET)).statusCode, 403)
  assert.equal((await reader('POST', ROTATE, {})).statusCode, 403)
  for (const stranger of await opened.strangers()) {
    assert.equal((await stranger('GET', SECRET)).statusCode, 404)
    assert.equal((await stranger('POST', ROTATE, {})).statusCode, 404)
  }
})

test('rotation returns the new secret, and the previous one while it signs', async () => {
  await using opened = await open()
  const { api, admin } = opened
  await opened.make()
  const rotated = await admin('POST', ROTATE, { overlap_seconds: 60 })
  assert.deepEqual([rotated.statusCode, rotated.json()], [200, beside(2, '2030-01-31T12:01:00.000Z')])
  api.pass(seconds(59))
  assert.deepEqual((await admin('GET', SECRET)).json(), rotated.json())
  api.pass(seconds(1))
  assert.deepEqual((await admin('GET', SECRET)).json(), alone(2))
})

test('the previous secret signs for a day by default, or not at all', async () => {
  await using opened = await open()
  const { admin } = opened
  await opened.make()
  assert.deepEqual((await admin('POST', ROTATE, {})).json(), beside(2, '2030-02-01T12:00:00.000Z'))
  assert.deepEqual((await admin('POST', ROTATE, { overlap_seconds: 0 })).json(), alone(3))
  assert.deepEqual((await admin('GET', SECRET)).json(), alone(3))
  const [endpoint] = await opened.api.deps.endpoints.list()
  assert.equal(endpoint?.previousSecretUntil, undefined, 'a process whose clock is late would still sign with it')
})

test('the overlap is 0 seconds to a week', async () => {
  await using opened = await open()
  await opened.make()
  for (const seconds of [-1, 604_801, 0.5, '60']) {
    assert.equal((await opened.admin('POST', ROTATE, { overlap_seconds: seconds })).statusCode, 400)
  }
  const longest = (await opened.admin('POST', ROTATE, { overlap_seconds: 604_800 })).json()
  assert.deepEqual(longest, beside(2, '2030-02-07T12:00:00.000Z'))
})

test('of two concurrent rotations one is a conflict', async () => {
  await using opened = await open()
  await opened.make()
  const { endpoints } = opened.api.deps
  const change: typeof endpoints.change = async (endpoint) => {
    await endpoints.change(endpoint)
    return endpoints.change(endpoint)
  }
  await using raced = await openFixture(world, { endpoints: { ...endpoints, change } })
  assert.equal((await (await raced.caller(ADMIN))('POST', ROTATE, {})).statusCode, 409)
  assert.equal((await opened.admin('GET', SECRET)).json().secret, secretOf(2))
})

test('callback_url webhooks have one fixed secret per account', async () => {
  await using opened = await open()
  const path = '/v1/endpoints/callback/secret'
  assert.deepEqual((await opened.admin('GET', path)).json(), { ...alone(1), secret: 'whsec_acme main callback 1' })
  const others = (await opened.strangers()).map(async (stranger) => (await stranger('GET', path)).json().secret)
  assert.deepEqual(await Promise.all(others), ['whsec_acme other callback 1', 'whsec_other main callback 1'])
  assert.equal((await opened.admin('POST', '/v1/endpoints/callback/rotate', {})).statusCode, 404)
})
