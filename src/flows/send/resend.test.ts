import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId, TenantId, TraceId } from '../../domain/ids.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, seconds } from '../../lib/time.ts'
import { erase } from '../admin/erase.ts'
import {
  ACCEPTS,
  BLAMES_ITSELF,
  CONTENT,
  DEFERS,
  fakeProvider,
  openGateway,
  overtaken,
  REJECTS,
  receiptOf,
  START,
  TENANT,
  TRACE,
} from '../gateway.fixture.ts'
import { applyReceipt } from '../receive/apply-receipt.ts'
import { type Resend, resend } from './resend.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const BY_A_PERSON = '00000000000000000000000000000001' as TraceId
const request = (id: MessageId, by: Resend['by'] = 'resend'): Resend => ({
  tenantId: TENANT,
  id,
  by,
  traceId: BY_A_PERSON,
})
const conflict = (message: RegExp) => ({ code: 'CONFLICT', message })

test("a resend opens a new cycle under the caller's trace id", async () => {
  const provider = fakeProvider([REJECTS, ACCEPTS])
  const gateway = openGateway(world, { providers: [provider] })
  const id = await gateway.submit()
  await gateway.work()
  gateway.pass(seconds(9))
  const state = await resend(gateway.deps, request(id))
  assert.deepEqual(state, await gateway.stateOf(id))
  assert.deepEqual([toStatus(state), state.cycle, state.attempt, state.errorCode], ['queued', 2, 1, undefined])
  const event = (await gateway.eventsOf(id)).at(-1)
  assert.deepEqual(event?.fact, { kind: 'ResendRequested', by: 'resend' })
  assert.deepEqual([event?.cycle, event?.previousStatus, event?.traceId], [2, 'failed', BY_A_PERSON])

  await gateway.work()
  assert.equal(toStatus(await gateway.stateOf(id)), 'sent')
  assert.deepEqual(
    provider.calls.map(({ ref: { cycle, attempt } }) => [cycle, attempt]),
    [
      [1, 1],
      [2, 2],
    ],
  )
})

test('a new cycle starts with all attempts and providers', async () => {
  const [one, two] = [fakeProvider([BLAMES_ITSELF, DEFERS]), fakeProvider([BLAMES_ITSELF], { name: 'two' })]
  const gateway = openGateway(world, { providers: [one, two] })
  const id = await gateway.submit()
  await gateway.work()
  await gateway.work()
  await resend(gateway.deps, request(id))
  await gateway.work()
  const state = await gateway.stateOf(id)
  assert.deepEqual([state.provider, state.dueAt], ['one', later(START, seconds(2))])
})

test('only a dead letter can be replayed', async () => {
  const retry = { delays: [seconds(1)], maxAttempts: 1, jitter: 0 }
  const dead = openGateway(world, { providers: [fakeProvider([DEFERS])], route: { retry } })
  const failed = openGateway(world, { providers: [fakeProvider([REJECTS])] })
  const [deadId, failedId] = [await dead.submit(), await failed.submit()]
  await dead.work()
  await failed.work()
  assert.equal((await resend(dead.deps, request(deadId, 'replay'))).dead, false)
  await assert.rejects(resend(failed.deps, request(failedId, 'replay')), conflict(/not a dead letter/))
})

test('a message in flight cannot be resent', async () => {
  const { submit, deps, work, pass } = openGateway(world, { providers: [fakeProvider([DEFERS, ACCEPTS])] })
  const id = await submit()
  await assert.rejects(resend(deps, request(id)), conflict(/still in flight/))
  await work()
  await assert.rejects(resend(deps, request(id)), conflict(/still in flight/))
  pass(seconds(2))
  await work()
  assert.equal((await resend(deps, request(id))).cycle, 2)
})

test('an erased or expired message cannot be resent', async () => {
  const { submit, deps, work, pass } = openGateway(world, { providers: [fakeProvider([REJECTS, REJECTS])] })
  const erased = await submit()
  const expiring = await submit({ content: { ...CONTENT, expiresAt: later(START, seconds(60)) } })
  await work()
  await work()
  await erase(deps, { tenantId: TENANT, id: erased, traceId: TRACE })
  await assert.rejects(resend(deps, request(erased)), conflict(/erased/))
  pass(seconds(60))
  await assert.rejects(resend(deps, request(expiring)), conflict(/expires_at/))
})

test("another tenant's message and an unknown id return NOT_FOUND", async () => {
  const { submit, deps, work } = openGateway(world)
  const id = await submit()
  await work()
  await assert.rejects(resend(deps, { ...request(id), tenantId: 'south' as TenantId }), { code: 'NOT_FOUND' })
  await assert.rejects(resend(deps, request(world.ids.messageId(START))), { code: 'NOT_FOUND' })
})

test('of two concurrent resends one opens a cycle and the other is refused', async () => {
  const { submit, deps, work, kindsOf } = openGateway(world)
  const id = await submit()
  await work()
  const results = await Promise.allSettled([resend(deps, request(id)), resend(deps, request(id))])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  assert.equal((await kindsOf(id)).filter((kind) => kind === 'ResendRequested').length, 1)
})

test('decides again when the message changes during the resend', async () => {
  const { submit, deps, work, log, stateOf } = openGateway(world, { providers: [fakeProvider([ACCEPTS, ACCEPTS])] })
  const id = await submit()
  await work()
  const erased = overtaken(log, () => erase(deps, { tenantId: TENANT, id, traceId: TRACE }))
  await assert.rejects(resend({ ...deps, log: erased }, request(id)), conflict(/erased/))

  const other = await submit()
  await work()
  const reported = overtaken(log, async () => applyReceipt(deps, receiptOf(await stateOf(other), 'delivered')))
  assert.equal((await resend({ ...deps, log: reported }, request(other))).cycle, 2)
})

test('a resend that loses a race against another is refused', async () => {
  const { submit, deps, work, log, stateOf } = openGateway(world)
  const id = await submit()
  await work()
  const rival = overtaken(log, () => resend(deps, request(id)))
  await assert.rejects(resend({ ...deps, log: rival }, request(id)), { code: 'CONFLICT' })
  assert.equal((await stateOf(id)).cycle, 2)
})

test('a message is sent a thousand times at most', async () => {
  const gateway = openGateway(world, { providers: [fakeProvider(new Array(1_001).fill(ACCEPTS))] })
  const id = await gateway.submit()
  await gateway.work()
  for (let cycle = 2; cycle <= 1_000; cycle += 1) {
    assert.equal((await resend(gateway.deps, request(id))).cycle, cycle)
    await gateway.work()
  }
  await assert.rejects(resend(gateway.deps, request(id)), conflict(/was sent 1000 times, which is the maximum/))
})
