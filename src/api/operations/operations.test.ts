import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Registry } from 'prom-client'
import { memoryLimitedSends } from '../../../test/memory/limited-sends.ts'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { FREE } from '../../domain/routing/breaker.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { hours } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type LimitedTally, openLimitedTally } from '../../workers/limited-tally.ts'
import { openFixture, SMS } from '../server.fixture.ts'
import type { Health } from './health.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const FAKE = 'fake' as ProviderName

test('liveness needs no token', async () => {
  await using api = await openFixture(world)
  const answer = await api.app.inject('/health/live')
  assert.deepEqual([answer.statusCode, answer.json()], [200, { status: 'live' }])
})

test('readiness lists dependencies, and is 503 when a needed one is unreachable', async () => {
  const away = { ok: false, detail: 'behind by 7 s' }
  let index: Awaited<ReturnType<Health>>[string] = { ok: true, needed: true }
  const log = { ok: true, needed: true }
  await using api = await openFixture(world, { health: async () => ({ log, index }) })
  const call = await api.caller({ scope: 'operator' })
  const ready = await api.app.inject('/health/ready')
  assert.equal(ready.statusCode, 200)
  assert.deepEqual(ready.json(), { status: 'ready', dependencies: { log, index } })
  index = { ...away, needed: true }
  const not = await call('GET', '/health/ready')
  assert.equal(not.statusCode, 503)
  assert.deepEqual(not.json(), { status: 'not_ready', dependencies: { log, index } })
  index = { ...away, needed: false }
  const without = await call('GET', '/health/ready')
  assert.equal(without.statusCode, 200)
  assert.deepEqual(without.json(), { status: 'ready', dependencies: { log, index } })
})

test('only operators read what is wrong with a dependency, and a wrong token does not disturb a probe', async () => {
  const log = { ok: false, needed: true, detail: 'the disk is full' }
  await using api = await openFixture(world, { health: async () => ({ log }) })
  const operator = await (await api.caller({ scope: 'operator' }))('GET', '/health/ready')
  assert.deepEqual(operator.json().dependencies, { log })
  const others = [
    await api.app.inject('/health/ready'),
    await (await api.caller({ scope: 'admin' }))('GET', '/health/ready'),
    await (await api.caller({ scope: 'operator', test: true }))('GET', '/health/ready'),
    await api.app.inject({ url: '/health/ready', headers: { authorization: 'Bearer nonsense' } }),
  ]
  for (const answer of others) {
    assert.equal(answer.statusCode, 503)
    assert.deepEqual(answer.json(), { status: 'not_ready', dependencies: { log: { ok: false, needed: true } } })
  }
})

test('a process without the API and callbacks still serves health', async () => {
  await using api = await openFixture(world, { serves: { api: false, callbacks: false } })
  assert.equal((await api.app.inject('/health/ready')).statusCode, 200)
  assert.equal((await api.app.inject('/metrics')).statusCode, 200)
  assert.equal((await api.app.inject({ method: 'POST', url: '/v1/sms/send' })).statusCode, 404)
  assert.equal((await api.app.inject({ method: 'POST', url: '/v1/callbacks/fake' })).statusCode, 404)
})

test('serves metrics with their content type', async () => {
  const metrics = new Registry()
  new Counter({ name: 'pigeons_total', help: 'Pigeons', registers: [metrics] }).inc(3)
  await using api = await openFixture(world, { metrics })
  const answer = await api.app.inject('/metrics')
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers['content-type'], metrics.contentType)
  assert.match(answer.body, /^pigeons_total 3$/m)
})

test('lists providers with channels and circuit breakers', async () => {
  await using api = await openFixture(world)
  const { breakers } = api.deps
  const call = await api.caller()
  const listed = async () => {
    const { items } = (await call('GET', '/v1/providers')).json()
    assert.deepEqual([items.length, items[0].name, items[0].channels], [1, 'fake', ['sms', 'email']])
    return items[0].breaker
  }
  const closed = { state: 'closed', opened_at: null, retry_at: null, paused_at: null }
  assert.deepEqual(await listed(), { ...closed, consecutive_failures: 0 })
  for (let n = 0; n < 4; n += 1) breakers.report(FAKE, FREE, 'failed', api.clock())
  assert.deepEqual(await listed(), { ...closed, consecutive_failures: 4 })
  breakers.report(FAKE, FREE, 'failed', api.clock())
  const opened = { opened_at: '2030-01-31T12:00:00.000Z', retry_at: '2030-01-31T12:00:30.000Z' }
  const open = { consecutive_failures: 5, ...opened, paused_at: null }
  assert.deepEqual(await listed(), { state: 'open', ...open })
  api.pass(seconds(30))
  assert.deepEqual(await listed(), { state: 'half_open', ...open })
  const trial = await breakers.ask(FAKE, api.clock())
  assert.deepEqual(await listed(), { state: 'half_open', ...open, retry_at: '2030-01-31T12:01:30.000Z' })
  assert.ok(trial.kind === 'trial')
  breakers.report(FAKE, trial, 'answered', api.clock())
  assert.equal((await listed()).state, 'closed')
})

test('lists recent results per provider, or null while the index is unreachable', async () => {
  await using api = await openFixture(world)
  const recent = async (call: Awaited<ReturnType<typeof api.caller>>) =>
    (await call('GET', '/v1/providers')).json().items[0].recent
  const call = await api.caller()
  const id = (await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })).json().request_id
  api.pass(seconds(2))
  await api.happen(
    id,
    { kind: 'HandoffAttempted', provider: FAKE, routeId: 'r' as never, owner: 'o' },
    { kind: 'HandoffAccepted', providerMessageId: 'p1', by: 'answer' },
  )
  await api.project()
  api.pass(seconds(1))
  const lately = { seconds: 300, messages_per_second: 0.003, statuses: { sent: 1 }, accept_to_handoff_p95_ms: 2000 }
  assert.deepEqual(await recent(call), lately)
  const none = { seconds: 300, messages_per_second: 0, statuses: {}, accept_to_handoff_p95_ms: null }
  assert.deepEqual(await recent(await api.caller({ tenant_id: 'other' })), none)
  api.pass(seconds(300))
  assert.deepEqual(await recent(call), none)

  const stats = () => Promise.reject(new Unavailable('the index is unreachable'))
  await using away = await openFixture(world, { index: { ...api.deps.index, stats } })
  assert.equal(await recent(await away.caller()), null)
})

test('counts by bucket, by default the last day by the hour', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const id = (await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })).json().request_id
  api.pass(seconds(2))
  await api.happen(
    id,
    { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' },
    { kind: 'HandoffAccepted', providerMessageId: 'p1', by: 'answer' },
  )
  await api.project()
  assert.deepEqual((await call('GET', '/v1/stats')).json(), {
    from: '2030-01-30T12:00:02.000Z',
    to: '2030-01-31T12:00:02.000Z',
    bucket: 3600,
    buckets: [
      {
        start: '2030-01-31T12:00:00.000Z',
        channel: 'sms',
        provider: 'fake',
        statuses: { sent: 1 },
        accept_to_handoff: { count: 1, p50_ms: 2000, p95_ms: 2000, max_ms: 2000 },
        handoff_to_delivery: null,
      },
    ],
    rate_limited: [],
  })
  const earlier = await call('GET', '/v1/stats?from=2030-01-30T00:00:00Z&to=2030-01-31T00:00:00Z&bucket=60')
  assert.deepEqual(earlier.json().buckets, [])
  const stranger = await api.caller({ tenant_id: 'other' })
  assert.deepEqual((await stranger('GET', '/v1/stats')).json().buckets, [])
})

test('counts sends and resends that rate limits refused by bucket and channel, and no repeated call', async () => {
  const limitedSends = memoryLimitedSends()
  let tally: LimitedTally | undefined
  await using api = await openFixture(world, { limitedSends, onLimited: (send) => tally?.onLimited(send) })
  tally = openLimitedTally(limitedSends, api.clock)
  const [admin, call] = [await api.caller({ scope: 'admin' }), await api.caller()]
  await admin('PUT', '/v1/limits/tenant/acme', { limit: 1, window_seconds: 86_400 })
  const first = { ...SMS, idempotency_key: 'k' }
  assert.equal((await call('POST', '/v1/sms/send', first)).statusCode, 202)
  assert.equal((await call('POST', '/v1/sms/send', first)).statusCode, 202)
  const refuse = async (key: string) => {
    assert.equal((await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: key })).statusCode, 429)
  }
  for (const key of ['a', 'b', 'c']) await refuse(key)
  api.pass(hours(1))
  await refuse('d')
  await tally.add()
  assert.deepEqual(
    (await call('GET', '/v1/stats?from=2030-01-31T12:00:00Z&to=2030-01-31T14:00:00Z')).json().rate_limited,
    [
      { start: '2030-01-31T12:00:00.000Z', channel: 'sms', count: 3 },
      { start: '2030-01-31T13:00:00.000Z', channel: 'sms', count: 1 },
    ],
  )
})

test('measures the time to accept each message', async () => {
  const times: number[] = []
  const nothing = () => undefined
  const others = { onChecked: nothing, onCodeStarted: nothing, onCallback: nothing, onRequestAnswered: nothing }
  const observe = { ...others, onAccepted: (took: number) => times.push(took) }
  await using api = await openFixture(world, { observe })
  const call = await api.caller()
  await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })
  await call('POST', '/v1/sms/send', { ...SMS, to: 'nobody', idempotency_key: 'k' })
  assert.equal(times.length, 1)
  assert.ok(times.every((took) => took >= 0 && took < 10))
})
