/** A worker processes a job by the state of its message alone: jobs can be early, duplicate or late. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, seconds } from '../../lib/time.ts'
import { erase } from '../admin/erase.ts'
import {
  ACCEPTS,
  asOther,
  CONTENT,
  DEFERS,
  fakeProvider,
  fixed,
  jobFor,
  OUTCOME_UNKNOWN,
  openGateway,
  overtaken,
  REJECTS,
  receiptOf,
  START,
  slowProvider,
  TENANT,
  TRACE,
} from '../gateway.fixture.ts'
import { applyReceipt } from '../receive/apply-receipt.ts'
import { dispatch } from './dispatch.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

test('a job of an unknown message is done', async () => {
  const { deps, log } = openGateway(world)
  assert.deepEqual(await dispatch(deps, jobFor(world.ids.messageId(START))), { kind: 'done' })
  assert.equal(await log.tip(), 0)
})

test('a job of a finished message is done', async () => {
  for (const outcome of [ACCEPTS, REJECTS]) {
    const gateway = openGateway(world, { providers: [fakeProvider([outcome])] })
    const id = await gateway.submit()
    await gateway.work()
    const tip = await gateway.log.tip()
    assert.deepEqual(await dispatch(gateway.deps, jobFor(id)), { kind: 'done' })
    assert.equal(await gateway.log.tip(), tip)
  }
})

test('a job before its due time is postponed', async () => {
  const provider = fakeProvider([DEFERS])
  const gateway = openGateway(world, { providers: [provider] })
  const id = await gateway.submit()
  await gateway.work()
  gateway.pass(seconds(1))
  assert.deepEqual(await dispatch(gateway.deps, jobFor(id)), { kind: 'later', at: later(START, seconds(2)) })
  assert.equal(provider.calls.length, 1)
})

test('expires a message at its deadline without a provider call', async () => {
  const provider = fakeProvider([DEFERS])
  for (const tries of [0, 1]) {
    const gateway = openGateway(world, { providers: [provider] })
    const id = await gateway.submit({ content: { ...CONTENT, expiresAt: later(START, seconds(90)) } })
    for (let n = 0; n < tries; n += 1) await gateway.work()
    gateway.pass(seconds(90))
    assert.deepEqual(await gateway.work(), { kind: 'done' })
    assert.equal(toStatus(await gateway.stateOf(id)), 'expired')
    assert.equal((await gateway.eventsOf(id)).at(-1)?.fact.kind, 'MessageExpired')
    assert.equal(await gateway.work(), undefined)
  }
  assert.equal(provider.calls.length, 1)
})

test('of two workers with the same job one calls the provider and the other retries', async () => {
  const provider = fakeProvider([ACCEPTS])
  const gateway = openGateway(world, { providers: [provider] })
  const id = await gateway.submit()
  const dispositions = await Promise.all([dispatch(gateway.deps, jobFor(id)), asOther(gateway.deps, id)])
  assert.deepEqual(dispositions, [{ kind: 'gone' }, { kind: 'later', at: START }])
  assert.equal(provider.calls.length, 1)
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted'])
})

test('losing a claim to another event does not lose the job', async () => {
  const provider = fakeProvider([])
  const gateway = openGateway(world, { providers: [provider] })
  const { log } = gateway
  const id = await gateway.submit()
  const rival = overtaken(log, () => erase(gateway.deps, { tenantId: TENANT, id, traceId: TRACE }))
  const taken = await gateway.take()
  assert.ok(taken !== undefined)
  assert.deepEqual(await dispatch({ ...gateway.deps, log: rival }, taken), { kind: 'later', at: START })
  await gateway.queue.release(taken, START)
  await gateway.work()
  assert.equal((await gateway.stateOf(id)).errorCode, 'ERASED')
  assert.equal(provider.calls.length, 0)
})

test('of two concurrent workers one records the expiry, the missing route or the abandoned attempt', async () => {
  const content = { ...CONTENT, expiresAt: later(START, seconds(1)) }
  const expired = openGateway(world)
  const unrouted = openGateway(world, { deps: { routes: fixed([]) } })
  const abandoned = openGateway(world, { providers: [slowProvider().provider] })
  for (const [gateway, kind] of [
    [expired, 'MessageExpired'],
    [unrouted, 'HandoffFailed'],
    [abandoned, 'HandoffUnknown'],
  ] as const) {
    const id = await gateway.submit(gateway === expired ? { content } : {})
    if (gateway === abandoned) {
      void dispatch(gateway.deps, jobFor(id))
      await setImmediate()
    }
    gateway.pass(seconds(60))
    await Promise.all([dispatch(gateway.deps, jobFor(id)), asOther(gateway.deps, id)])
    assert.deepEqual(
      (await gateway.kindsOf(id)).filter((each) => each === kind),
      [kind],
    )
  }
})

test('a receipt that arrives before the response decides the outcome', async () => {
  const provider = fakeProvider([
    async ({ ref }) => {
      await applyReceipt(gateway.deps, receiptOf(await gateway.stateOf(ref.messageId), 'delivered'))
      return ACCEPTS
    },
  ])
  const gateway = openGateway(world, { providers: [provider] })
  const id = await gateway.submit()
  assert.deepEqual(await gateway.work(), { kind: 'done' })
  const kinds = ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted', 'ProviderDelivered']
  assert.deepEqual(await gateway.kindsOf(id), kinds)
  assert.equal(toStatus(await gateway.stateOf(id)), 'delivered')
  assert.equal(await gateway.work(), undefined)
})

test("a message erased during the provider call ends with the provider's outcome", async () => {
  const { provider, called, answer } = slowProvider()
  const gateway = openGateway(world, { providers: [provider] })
  const id = await gateway.submit()
  const working = gateway.work()
  await called
  await erase(gateway.deps, { tenantId: TENANT, id, traceId: TRACE })
  answer(ACCEPTS)
  assert.deepEqual(await working, { kind: 'gone' })
  const state = await gateway.stateOf(id)
  assert.deepEqual([toStatus(state), state.erased], ['sent', true])
})

test('an unknown message does not expire at its deadline, because the provider may have it', async () => {
  const gateway = openGateway(world, { providers: [fakeProvider([OUTCOME_UNKNOWN])] })
  const id = await gateway.submit({ content: { ...CONTENT, expiresAt: later(START, seconds(5)) } })
  await gateway.work()
  gateway.pass(seconds(5))
  assert.equal((await gateway.work())?.kind, 'done')
  const { errorCode, expired, dead, ...state } = await gateway.stateOf(id)
  assert.deepEqual(
    [toStatus({ ...state, expired }), errorCode, expired, dead],
    ['failed', 'OUTCOME_UNKNOWN', false, true],
  )
})
