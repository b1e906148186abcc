import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { FREE } from '../../domain/routing/breaker.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, millis } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openFixture } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const FAKE = 'fake' as ProviderName
const PATH = '/v1/providers/fake/breaker'
const CLOSED = { state: 'closed', consecutive_failures: 0, opened_at: null, retry_at: null, paused_at: null }

test('trips a breaker for the default or a given pause, and the provider list agrees', async () => {
  await using api = await openFixture(world)
  const call = await api.caller({ scope: 'operator' })
  const noon = '2030-01-31T12:00:00.000Z'
  const opened = { state: 'open', consecutive_failures: 0, opened_at: noon, paused_at: noon }
  for (const [asked, retryAt] of [
    [{}, '2030-01-31T12:00:30.000Z'],
    [{ seconds: 3600 }, '2030-01-31T13:00:00.000Z'],
    [{ seconds: 604_800 }, '2030-02-07T12:00:00.000Z'],
  ] as const) {
    const answer = await call('POST', PATH, { action: 'trip', ...asked })
    assert.deepEqual([answer.statusCode, answer.json()], [200, { ...opened, retry_at: retryAt }])
    assert.deepEqual((await call('GET', '/v1/providers')).json().items[0].breaker, answer.json())
  }
  assert.equal((await api.deps.breakers.ask(FAKE, api.clock())).kind, 'held')
})

test('reset closes a breaker and clears its failures', async () => {
  await using api = await openFixture(world)
  const { breakers } = api.deps
  const call = await api.caller({ scope: 'operator' })
  for (let n = 0; n < 5; n += 1) breakers.report(FAKE, FREE, 'failed', api.clock())
  assert.deepEqual((await call('POST', PATH, { action: 'reset' })).json(), CLOSED)
  assert.equal(breakers.ask(FAKE, api.clock()), FREE)
  assert.deepEqual((await call('POST', PATH, { action: 'reset' })).json(), CLOSED)
})

test('the audit log has the breaker before and after', async () => {
  await using api = await openFixture(world)
  const call = await api.caller({ scope: 'operator' })
  const tripped = (await call('POST', PATH, { action: 'trip', seconds: 60 })).json()
  await call('POST', PATH, { action: 'reset' })
  const entries = await api.deps.auditLog.list({ target: 'fake', limit: 10 })
  assert.deepEqual(
    entries.map(({ action, before, after }) => [action, before, after]),
    [
      ['breaker.reset', tripped, CLOSED],
      ['breaker.tripped', CLOSED, tripped],
    ],
  )
})

test('logs who opened the breaker', async () => {
  await using api = await openFixture(world)
  const call = await api.caller({ scope: 'operator', account_id: 'desk' })
  await call('POST', PATH, { action: 'trip' })
  const line = api.lines.find(({ msg }) => msg === 'circuit breaker opened manually')
  assert.deepEqual(
    [line?.['provider'], line?.['action'], line?.['account_id'], line?.['tenant_id']],
    ['fake', 'trip', 'desk', 'acme'],
  )
})

test('needs an operator, a configured provider and a known action', async () => {
  await using api = await openFixture(world)
  const call = await api.caller({ scope: 'operator' })
  for (const claims of [{}, { scope: 'admin' }]) {
    assert.equal((await (await api.caller(claims))('POST', PATH, { action: 'trip' })).statusCode, 403)
  }
  for (const name of ['other', 'No%20Name', 'x'.repeat(200)]) {
    const answer = await call('POST', `/v1/providers/${name}/breaker`, { action: 'trip' })
    assert.deepEqual([answer.statusCode, answer.json().error_code], [404, 'NOT_FOUND'], name)
  }
  for (const body of [{}, { action: 'open' }, { action: 'trip', seconds: 0 }, { action: 'trip', seconds: 604_801 }]) {
    assert.equal((await call('POST', PATH, body)).statusCode, 400, JSON.stringify(body))
  }
  assert.equal(api.deps.breakers.ask(FAKE, api.clock()), FREE)
})

test('answers 503 when the other processes cannot be reached', async () => {
  const { breakers } = openMemoryEngine({ clock: () => 0 as never })
  const force = () => Promise.reject(new Unavailable('the broker is unreachable'))
  await using api = await openFixture(world, { breakers: { ...breakers, force } })
  const answer = await (await api.caller({ scope: 'operator' }))('POST', PATH, { action: 'trip' })
  assert.deepEqual([answer.statusCode, answer.json().error_code], [503, 'UNAVAILABLE'])
})

test('a breaker that opened by itself is not paused, nor one whose pause is over', async () => {
  await using api = await openFixture(world)
  const call = await api.caller({ scope: 'operator' })
  const breaker = async () => (await call('GET', '/v1/providers')).json().items[0].breaker
  const pausedEarlier = later(api.clock(), millis(-60_000))
  await api.deps.breakers.force(FAKE, 'open', pausedEarlier, millis(30_000))
  assert.deepEqual([(await breaker()).state, (await breaker()).paused_at], ['half_open', null])
  await api.deps.breakers.force(FAKE, 'closed', api.clock())
  for (let n = 0; n < 5; n += 1) api.deps.breakers.report(FAKE, FREE, 'failed', api.clock())
  assert.deepEqual([(await breaker()).state, (await breaker()).paused_at], ['open', null])
})
