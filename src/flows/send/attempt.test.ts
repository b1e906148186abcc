/** The result of one attempt, by the provider's response and the route. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { OperatorId, ProviderName, RouteId } from '../../domain/ids.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { SenderId } from '../../domain/message/sender-id.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import {
  ACCEPTS,
  BLAMES_ITSELF,
  CONTENT,
  DEFERS,
  fakeProvider,
  fixed,
  type Gateway,
  OUTCOME_UNKNOWN,
  openGateway,
  REJECTS,
  START,
  TENANT,
  TRACE,
} from '../gateway.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

async function jobsLeft({ queue }: Gateway): Promise<number> {
  return (await queue.depth()).reduce((sum, { ready, delayed, taken }) => sum + ready + delayed + taken, 0)
}

test('an accepted message is handed off, and its job ends with the outcome', async () => {
  const gateway = openGateway(world)
  const id = await gateway.submit()
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  const [, attempted, accepted, ...others] = await gateway.eventsOf(id)
  const claim = { kind: 'HandoffAttempted', provider: 'one', routeId: 'r1', owner: 'me' }
  assert.deepEqual(attempted?.fact, claim)
  assert.deepEqual(accepted?.fact, { kind: 'HandoffAccepted', providerMessageId: 'SM1', by: 'answer' })
  assert.deepEqual(others, [])
  const state = await gateway.stateOf(id)
  assert.equal(toStatus(state), 'sent')
  assert.equal(state.providerMessageId, 'SM1')
  assert.equal(await jobsLeft(gateway), 0)
})

test('the provider gets the content, the deadline and a stable id per attempt', async () => {
  const provider = fakeProvider([DEFERS, ACCEPTS])
  const gateway = openGateway(world, { providers: [provider] })
  const content = { ...CONTENT, expiresAt: later(START, seconds(60)) }
  const id = await gateway.submit({ content, form: { encoding: 'ucs2', segments: 2 } })
  await gateway.work()
  gateway.pass(seconds(2))
  await gateway.work()
  const common = {
    tenantId: TENANT,
    channel: 'sms',
    content,
    encoding: 'ucs2',
    segments: 2,
    traceId: TRACE,
    expiresAt: content.expiresAt,
  }
  const attempts = [1, 2].map((attempt) => {
    const ref = { messageId: id, cycle: 1, attempt }
    return { id: world.ids.attemptId(ref), ref, ...common }
  })
  assert.deepEqual(provider.calls, attempts)
})

test('the provider learns the worker only where another process may receive its reports', async () => {
  for (const alone of [true, false]) {
    const provider = fakeProvider([ACCEPTS])
    const gateway = openGateway(world, { providers: [provider], worker: { alone } })
    await gateway.submit()
    await gateway.work()
    assert.deepEqual(
      provider.calls.map(({ worker }) => worker),
      [alone ? undefined : 'me'],
    )
  }
})

test('claims the attempt and keeps the job leased while the provider is called', async () => {
  const seen: unknown[] = []
  const provider = fakeProvider([
    async ({ ref }) => {
      seen.push((await gateway.log.latest(ref.messageId))?.event.fact.kind, await jobsLeft(gateway))
      return ACCEPTS
    },
  ])
  const gateway = openGateway(world, { providers: [provider] })
  await gateway.submit()
  await gateway.work()
  assert.deepEqual(seen, ['HandoffAttempted', 1])
})

test('aborts a provider call at its timeout', async () => {
  const provider = fakeProvider([
    (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(OUTCOME_UNKNOWN), { once: true })),
  ])
  const gateway = openGateway(world, { providers: [provider], deps: { timeout: millis(5) } })
  const id = await gateway.submit()
  // The timeout of the signal does not keep the process alive.
  const alive = setInterval(() => undefined, 1_000)
  await gateway.work()
  clearInterval(alive)
  assert.equal((await gateway.stateOf(id)).phase, 'unknown')
})

test("a rejected message fails with the provider's reason", async () => {
  const gateway = openGateway(world, { providers: [fakeProvider([REJECTS]), fakeProvider([], { name: 'two' })] })
  const id = await gateway.submit()
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  const state = await gateway.stateOf(id)
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated', 'HandoffAttempted', 'HandoffFailed'])
  assert.equal(toStatus(state), 'failed')
  assert.deepEqual([state.errorCode, state.errorDetail, state.dead], ['INVALID_NUMBER', 'none such', false])
  assert.equal(await jobsLeft(gateway), 0)
})

test('a failure of the provider excludes it and fails over to the next one at once', async () => {
  const [one, two] = [fakeProvider([BLAMES_ITSELF]), fakeProvider([DEFERS, ACCEPTS], { name: 'two' })]
  const gateway = openGateway(world, { providers: [one, two] })
  const id = await gateway.submit()
  await gateway.work()
  const [, , retry] = await gateway.eventsOf(id)
  const reason = { code: 'NO_FUNDS', detail: 'top up' }
  assert.deepEqual(retry?.fact, { kind: 'RetryScheduled', dueAt: START, exclude: 'one', ...reason })
  await gateway.work()
  gateway.pass(seconds(4))
  await gateway.work()
  assert.equal(toStatus(await gateway.stateOf(id)), 'sent')
  assert.deepEqual([one.calls.length, two.calls.length], [1, 2])
})

test('a failure of the last provider fails the message with its reason', async () => {
  const two = fakeProvider([{ ...BLAMES_ITSELF, code: 'PAUSED' }], { name: 'two' })
  const gateway = openGateway(world, { providers: [fakeProvider([BLAMES_ITSELF]), two] })
  const id = await gateway.submit()
  await gateway.work()
  await gateway.work()
  const state = await gateway.stateOf(id)
  assert.deepEqual([toStatus(state), state.errorCode], ['failed', 'PAUSED'])
  assert.equal(await jobsLeft(gateway), 0)
})

test('retries a deferred message when it is due, and not before', async () => {
  const gateway = openGateway(world, { providers: [fakeProvider([DEFERS, ACCEPTS])] })
  const id = await gateway.submit()
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  const dueAt = later(START, seconds(2))
  const [, , retry] = await gateway.eventsOf(id)
  assert.deepEqual(retry?.fact, { kind: 'RetryScheduled', dueAt, code: 'BUSY', detail: 'later' })
  assert.equal(toStatus(await gateway.stateOf(id)), 'sending')
  gateway.pass(millis(1_999))
  assert.equal(await gateway.work(), undefined)
  gateway.pass(millis(1))
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  assert.equal(toStatus(await gateway.stateOf(id)), 'sent')
})

test('honours a longer Retry-After', async () => {
  const gateway = openGateway(world, { providers: [fakeProvider([{ ...DEFERS, retryAfter: seconds(30) }])] })
  const id = await gateway.submit()
  await gateway.work()
  assert.equal((await gateway.stateOf(id)).dueAt, later(START, seconds(30)))
})

test('a route can set its own delays and attempts, with jitter', async () => {
  const retry = { delays: [seconds(10)], maxAttempts: 2, jitter: 0.5 }
  const options = { providers: [fakeProvider([DEFERS, DEFERS])], route: { retry }, deps: { dice: () => 0 } }
  const gateway = openGateway(world, options)
  const id = await gateway.submit()
  await gateway.work()
  assert.equal((await gateway.stateOf(id)).dueAt, later(START, seconds(5)))
  gateway.pass(seconds(5))
  await gateway.work()
  assert.equal((await gateway.stateOf(id)).dead, true)
})

test('expires a message whose retry would be after its deadline', async () => {
  const gateway = openGateway(world, { providers: [fakeProvider([DEFERS])] })
  const id = await gateway.submit({ content: { ...CONTENT, expiresAt: later(START, seconds(2)) } })
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated', 'HandoffAttempted', 'MessageExpired'])
  assert.equal(toStatus(await gateway.stateOf(id)), 'expired')
  assert.equal(await jobsLeft(gateway), 0)
})

test("marks an unknown outcome and schedules its reconciliation after the route's wait", async () => {
  const route = { unknown: { wait: seconds(45), policy: 'hold' } } as const
  const gateway = openGateway(world, { providers: [fakeProvider([OUTCOME_UNKNOWN])], route })
  const id = await gateway.submit()
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  const reconcileAt = later(START, seconds(45))
  const [, , unknown] = await gateway.eventsOf(id)
  assert.deepEqual(unknown?.fact, { kind: 'HandoffUnknown', reconcileAt, code: 'TIMEOUT', detail: 'no answer' })
  const state = await gateway.stateOf(id)
  assert.deepEqual([toStatus(state), state.phase], ['sending', 'unknown'])
  gateway.pass(millis(44_999))
  assert.equal(await gateway.take(), undefined)
  gateway.pass(millis(1))
  assert.equal((await gateway.take())?.job.messageId, id)
})

test('a message without a route fails without a provider call', async () => {
  const provider = fakeProvider([])
  const gateway = openGateway(world, { providers: [provider], route: { prefix: '+49' } })
  const id = await gateway.submit()
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  const state = await gateway.stateOf(id)
  assert.deepEqual([toStatus(state), state.errorCode, state.attempt], ['failed', 'NO_ROUTE_FOUND', 0])
  assert.deepEqual([provider.calls.length, await jobsLeft(gateway)], [0, 0])
})

test('a message erased before it was sent fails without a provider call', async () => {
  const provider = fakeProvider([])
  const gateway = openGateway(world, { providers: [provider] })
  const id = await gateway.submit()
  await gateway.log.shred(id)
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  const state = await gateway.stateOf(id)
  assert.deepEqual([toStatus(state), state.errorCode, provider.calls.length], ['failed', 'ERASED', 0])
})

test('chooses the route by recipient, sender, kind and tenant, and records it with its operator', async () => {
  const [one, two] = [fakeProvider([]), fakeProvider([ACCEPTS], { name: 'two' })]
  const common = { channel: 'sms', unknown: { wait: seconds(30), policy: 'hold' } } as const
  const routes = [
    { ...common, id: 'all' as RouteId, providers: [one.name] as const },
    { ...common, id: 'brazil' as RouteId, providers: [two.name] as const, prefix: '+55', sender: 'Acme' },
  ].map((route) => ({ ...route, operatorId: `operator of ${route.id}` as OperatorId }))
  const gateway = openGateway(world, { providers: [one, two], deps: { routes: fixed(routes) } })
  const id = await gateway.submit({ content: { ...CONTENT, from: 'Acme' as SenderId } })
  await gateway.work()
  const { routeId, operatorId, provider } = await gateway.stateOf(id)
  assert.deepEqual([routeId, operatorId, provider], ['brazil', 'operator of brazil', 'two'])
})

test('throws when no provider of the route is configured, and records nothing', async () => {
  const gateway = openGateway(world, { route: { providers: ['nobody' as ProviderName] } })
  const id = await gateway.submit()
  await assert.rejects(gateway.work(), /names no configured provider/)
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated'])
  assert.equal(await jobsLeft(gateway), 1)
})

test('throws when the provider throws, and leaves the attempt open because its outcome is unknown', async () => {
  const gateway = openGateway(world, { providers: [fakeProvider([])] })
  const id = await gateway.submit()
  await assert.rejects(gateway.work(), /unexpected provider call/)
  assert.equal((await gateway.stateOf(id)).phase, 'open')
  assert.equal(await jobsLeft(gateway), 1)
})

const reason = fc.record({ code: fc.stringMatching(/^[A-Z_]{1,12}$/), detail: fc.string() })

test('S1-P10 after a transient error an SMS waits min(2^n, 60) s and is dead-lettered after five attempts', async () => {
  const property = fc.asyncProperty(
    fc.array(reason, { minLength: 5, maxLength: 5 }),
    fc.array(fc.nat({ max: 90_000 }), { minLength: 4, maxLength: 4 }),
    async (reasons, lateness) => {
      const answers = reasons.map((why): SendOutcome => ({ ...DEFERS, ...why }))
      const provider = fakeProvider(answers)
      const gateway = openGateway(world, { providers: [provider] })
      const id = await gateway.submit()
      await gateway.work()
      for (const [n, wait] of [2, 4, 8, 16].entries()) {
        assert.equal((await gateway.stateOf(id)).dueAt, later(gateway.clock(), seconds(wait)))
        gateway.pass(millis(wait * 1000 - 1))
        assert.equal(await gateway.work(), undefined)
        // The worker may be late; the next delay counts from the end of the attempt.
        gateway.pass(millis(1 + (lateness[n] ?? 0)))
        await gateway.work()
      }
      const retries = ['RetryScheduled', 'RetryScheduled', 'RetryScheduled', 'RetryScheduled', 'DeadLettered']
      const kinds = ['MessageCreated', ...retries.flatMap((kind) => ['HandoffAttempted', kind])]
      assert.deepEqual(await gateway.kindsOf(id), kinds)
      const state = await gateway.stateOf(id)
      assert.deepEqual([toStatus(state), state.dead, state.errorCode], ['failed', true, reasons[4]?.code])
      assert.deepEqual([provider.calls.length, await jobsLeft(gateway)], [5, 0])
    },
  )
  await fc.assert(property, { numRuns: 100 })
})
