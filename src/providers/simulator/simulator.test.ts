import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../../domain/ids.ts'
import { instant, millis, seconds } from '../../lib/time.ts'
import { attemptTo, NEVER_ABORTED, received, setUp, summary, TENANT } from './fixture.ts'

test('delivers to any recipient and reports it', async (t) => {
  const { simulator, has, receipts } = await setUp(t)
  const attempt = attemptTo('+4712345678')
  const providerMessageId = `SIM${attempt.id.slice(0, 24)}`
  assert.deepEqual(await simulator.send(attempt, NEVER_ABORTED), { kind: 'accepted', providerMessageId })
  await has(1)
  assert.deepEqual(receipts(), [
    { ref: attempt.ref, providerMessageId, state: 'delivered', reportId: `${providerMessageId}:delivered` },
  ])
  const [item] = await simulator.inbox({ tenantId: TENANT, to: '+4712345678', limit: 10 })
  assert.deepEqual(
    { ...item, receivedAt: 0 },
    {
      channel: 'sms',
      to: '+4712345678',
      body: attempt.content.body,
      attemptId: attempt.id,
      messageId: attempt.ref.messageId,
      receivedAt: 0,
    },
  )
})

test('delivers to a user without an address', async (t) => {
  const { simulator } = await setUp(t)
  const attempt = attemptTo('user:101')
  assert.equal(simulator.capabilities.users, true)
  assert.equal(summary(await simulator.send(attempt, NEVER_ABORTED)), 'accepted')
  assert.deepEqual(await received(simulator, 'user:101'), [attempt.id])
  assert.deepEqual(await received(simulator, 'user:10'), [])
})

for (const [to, outcome] of [
  ['+15005550001', 'rejected INVALID_NUMBER'],
  ['+15005550002', 'rejected NUMBER_BLOCKED'],
  ['+15005550003', 'deferred SERVICE_UNAVAILABLE of the recipient'],
  ['+15005550004', 'deferred SERVICE_UNAVAILABLE of the recipient'],
] as const) {
  test(`${to} is ${outcome} and receives nothing`, async (t) => {
    const { simulator } = await setUp(t)
    const attempt = attemptTo(to)
    assert.equal(summary(await simulator.send(attempt, NEVER_ABORTED)), outcome)
    assert.deepEqual(await received(simulator), [])
    assert.deepEqual(await simulator.lookup(attempt.ref, attempt.id), { kind: 'absent' })
  })
}

test('flaky accepts the third attempt', async (t) => {
  const { simulator, has, states } = await setUp(t)
  assert.equal(summary(await simulator.send(attemptTo('+15005550003', { attempt: 3 }), NEVER_ABORTED)), 'accepted')
  await has(1)
  assert.deepEqual(states(), ['delivered'])
})

test('limbo receives the message, times out, and reports afterwards', async (t) => {
  const { simulator, has, receipts, states } = await setUp(t, { receiptDelay: millis(50), limbo: millis(100) })
  const attempt = attemptTo('+15005550005')
  assert.equal(summary(await simulator.send(attempt, NEVER_ABORTED)), 'unknown TIMEOUT')
  assert.deepEqual(receipts(), [])
  assert.deepEqual(await received(simulator), [attempt.id])
  await has(1)
  assert.deepEqual(states(), ['delivered'])
})

test('silent never reports, but can be looked up', async (t) => {
  const { simulator, has, receipts } = await setUp(t)
  const attempt = attemptTo('+15005550006')
  assert.equal(summary(await simulator.send(attempt, NEVER_ABORTED)), 'accepted')
  await simulator.send(attemptTo('+4712345678'), NEVER_ABORTED)
  await has(1)
  assert.ok(receipts().every(({ ref }) => ref.messageId !== attempt.ref.messageId))
  const found = await simulator.lookup(attempt.ref, attempt.id)
  assert.equal(found.kind === 'found' && found.receipt.state, 'accepted')
})

test('bounce accepts the message and then bounces', async (t) => {
  const { simulator, has, receipts } = await setUp(t)
  const attempt = attemptTo('+15005550007')
  assert.equal(summary(await simulator.send(attempt, NEVER_ABORTED)), 'accepted')
  await has(1)
  assert.deepEqual([receipts()[0]?.state, receipts()[0]?.code], ['bounced', 'UNREACHABLE'])
  const found = await simulator.lookup(attempt.ref, attempt.id)
  assert.deepEqual(found, { kind: 'found', receipt: receipts()[0] })
})

test('noisy reports before its answer, then twice and out of order', async (t) => {
  const { simulator, has, states, receipts } = await setUp(t)
  assert.equal(summary(await simulator.send(attemptTo('+15005550008'), NEVER_ABORTED)), 'accepted')
  assert.equal(states()[0], 'delivered')
  await has(4)
  assert.deepEqual(states(), ['delivered', 'accepted', 'delivered', 'accepted'])
  assert.equal(new Set(receipts().map(({ reportId }) => reportId)).size, 2)
})

test('noisy answers even if its early report fails', async (t) => {
  const { simulator, state, has } = await setUp(t)
  state.failures = 1
  assert.equal(summary(await simulator.send(attemptTo('+15005550008'), NEVER_ABORTED)), 'accepted')
  await has(4)
})

test('slow receives the message at the end of the call', async (t) => {
  const { simulator, has } = await setUp(t, { slow: seconds(1) })
  const attempt = attemptTo('+15005550009')
  const sent = simulator.send(attempt, NEVER_ABORTED)
  assert.deepEqual(await simulator.lookup(attempt.ref, attempt.id), { kind: 'undetermined' })
  assert.deepEqual(await received(simulator), [])
  assert.equal(summary(await sent), 'accepted')
  assert.deepEqual(await received(simulator), [attempt.id])
  await has(1)
})

test('does not receive an aborted call', async (t) => {
  const { simulator } = await setUp(t, { slow: seconds(60) })
  const abort = new AbortController()
  const slow = simulator.send(attemptTo('+15005550009'), abort.signal)
  abort.abort()
  assert.equal(summary(await slow), 'deferred ABORTED')
  assert.equal(summary(await simulator.send(attemptTo('+4712345678'), abort.signal)), 'deferred ABORTED')
  assert.deepEqual(await received(simulator), [])
})

test('a call aborted in limbo was received and is unknown', async (t) => {
  const { simulator } = await setUp(t, { limbo: seconds(60) })
  const abort = new AbortController()
  const attempt = attemptTo('+15005550005')
  const sent = simulator.send(attempt, abort.signal)
  const polled = async (): Promise<void> => {
    while ((await received(simulator)).length === 0);
  }
  await polled()
  abort.abort()
  assert.equal(summary(await sent), 'unknown TIMEOUT')
})

test('does not receive a message that expired during the call', async (t) => {
  const { simulator } = await setUp(t)
  const attempt = attemptTo('+15005550009', { expiresAt: instant(Date.now() + 5) })
  assert.equal(summary(await simulator.send(attempt, NEVER_ABORTED)), 'rejected EXPIRED')
  assert.deepEqual(await received(simulator), [])
})

test('fails the configured share of calls', async (t) => {
  const rolls = [0.29, 0.3]
  const { simulator } = await setUp(t, { errorRate: 0.3, latency: millis(1), dice: () => rolls.shift() ?? 1 })
  assert.equal(summary(await simulator.send(attemptTo('+4712345678'), NEVER_ABORTED)), 'deferred SERVICE_UNAVAILABLE')
  assert.equal(summary(await simulator.send(attemptTo('+4712345678'), NEVER_ABORTED)), 'accepted')
})

test('shows a duplicate twice', async (t) => {
  const { simulator, has } = await setUp(t)
  const attempt = attemptTo('+4712345678')
  await Promise.all([simulator.send(attempt, NEVER_ABORTED), simulator.send(attempt, NEVER_ABORTED)])
  assert.deepEqual(await received(simulator, '+4712345678'), [attempt.id, attempt.id])
  await has(2)
})

test('shows the inbox of one tenant only', async (t) => {
  const { simulator } = await setUp(t)
  await simulator.send(attemptTo('+4712345678', { tenantId: 'other' as TenantId }), NEVER_ABORTED)
  assert.deepEqual(await received(simulator), [])
  assert.deepEqual(await received(simulator, '+4712345678'), [])
})

test('refuses every callback', async (t) => {
  const { simulator } = await setUp(t)
  const request = { method: 'POST', url: '/', headers: new Headers(), body: new Uint8Array() }
  assert.equal(await simulator.readCallback(request), 'forged')
})
