import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import {
  ACCEPTS,
  DEFERS,
  fakeProvider,
  OUTCOME_UNKNOWN,
  openGateway,
  REJECTS,
  receiptOf,
  START,
  TENANT,
  TRACE,
} from '../gateway.fixture.ts'
import { resend } from '../send/resend.ts'
import { applyReceipt } from './apply-receipt.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

/** A message after its first attempt, accepted unless other outcomes are given. */
async function sent(...outcomes: Parameters<typeof fakeProvider>[0]) {
  const provider = fakeProvider(outcomes.length === 0 ? [ACCEPTS] : outcomes)
  const gateway = openGateway(world, { providers: [provider], route: RESEND })
  const id = await gateway.submit()
  await gateway.work()
  return { ...gateway, id, provider, state: () => gateway.stateOf(id), kinds: () => gateway.kindsOf(id) }
}

const RESEND = { unknown: { wait: seconds(30), policy: 'resend' } } as const
const HANDED_OFF = ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted']

for (const [reported, status] of [
  ['accepted', 'sent'],
  ['delivered', 'delivered'],
  ['dropped', 'failed'],
  ['bounced', 'failed'],
  ['complaint', 'failed'],
] as const) {
  test(`a message reported ${reported} is ${status}, with the provider's code and detail`, async () => {
    const { deps, id, state, eventsOf } = await sent()
    const said = { code: 'E17', detail: 'reason', providerMessageId: 'SM1' }
    assert.equal(await applyReceipt(deps, receiptOf(await state(), reported, said)), 'applied')
    const { fact, attempt } = (await eventsOf(id)).at(-1) ?? {}
    const kind = `Provider${reported.charAt(0).toUpperCase()}${reported.slice(1)}`
    assert.deepEqual(fact, { kind, reportId: `${reported} 1`, ...said })
    assert.equal(attempt, 1)
    const { providerState, errorCode, errorDetail } = await state()
    assert.deepEqual([providerState, errorCode, errorDetail], [reported, 'E17', 'reason'])
    assert.equal(toStatus(await state()), status)
  })
}

test('records a repeated report once, sequential or concurrent', async () => {
  const { deps, state, kinds } = await sent()
  const receipt = receiptOf(await state(), 'delivered')
  await applyReceipt(deps, receipt)
  await Promise.all(Array.from({ length: 5 }, () => applyReceipt(deps, receipt)))
  assert.deepEqual(await kinds(), [...HANDED_OFF, 'ProviderDelivered'])
})

test('records out-of-order reports, and the highest state wins', async () => {
  const { deps, state, kinds } = await sent()
  const before = await state()
  for (const reported of ['delivered', 'accepted', 'bounced', 'dropped'] as const) {
    await applyReceipt(deps, receiptOf(before, reported))
  }
  const reports = ['ProviderDelivered', 'ProviderAccepted', 'ProviderBounced', 'ProviderDropped']
  assert.deepEqual(await kinds(), [...HANDED_OFF, ...reports])
  assert.equal((await state()).providerState, 'bounced')
})

test('records concurrent reports all', async () => {
  const { deps, state, kinds } = await sent()
  const before = await state()
  const states = ['accepted', 'delivered', 'bounced', 'complaint'] as const
  await Promise.all(states.map((reported) => applyReceipt(deps, receiptOf(before, reported))))
  assert.equal((await kinds()).length, HANDED_OFF.length + states.length)
  assert.equal((await state()).providerState, 'complaint')
})

test('a report on an unknown message is unmatched and records nothing', async () => {
  const { deps, log, state } = await sent()
  const tip = await log.tip()
  const stranger = { ...(await state()), id: world.ids.messageId(START) }
  assert.equal(await applyReceipt(deps, receiptOf(stranger, 'delivered')), 'unmatched')
  assert.equal(await log.tip(), tip)
})

test('a report on an unknown attempt proves that the provider has the message', async () => {
  const { deps, id, state, eventsOf, pass, work } = await sent(OUTCOME_UNKNOWN)
  await applyReceipt(deps, receiptOf(await state(), 'accepted', { providerMessageId: 'SM7' }))
  const [accepted, reported] = (await eventsOf(id)).slice(3)
  assert.deepEqual(accepted?.fact, { kind: 'HandoffAccepted', providerMessageId: 'SM7', by: 'receipt' })
  assert.equal(reported?.fact.kind, 'ProviderAccepted')
  assert.deepEqual([toStatus(await state()), (await state()).phase], ['sent', 'closed'])
  pass(seconds(30))
  assert.deepEqual(await work(), { kind: 'done' })
})

test('a failure report on the newest unknown attempt resolves it too', async () => {
  const { deps, state, kinds } = await sent(OUTCOME_UNKNOWN)
  await applyReceipt(deps, receiptOf(await state(), 'bounced'))
  assert.deepEqual((await kinds()).slice(3), ['HandoffAccepted', 'ProviderBounced'])
  assert.equal(toStatus(await state()), 'failed')
})

test('records a late report of an earlier cycle without changing the state', async () => {
  const { deps, id, state, kinds, work, provider } = await sent(REJECTS, ACCEPTS)
  const old = await state()
  await resend(deps, { tenantId: TENANT, id, by: 'resend', traceId: TRACE })
  const before = await state()
  await applyReceipt(deps, receiptOf(old, 'delivered'))
  assert.deepEqual(await state(), before)
  assert.deepEqual((await kinds()).slice(2), ['HandoffFailed', 'ResendRequested', 'ProviderDelivered'])
  await work()
  assert.equal(provider.calls.length, 2)
  assert.equal(toStatus(await state()), 'sent')
})

/** A message whose first attempt has an unknown outcome and whose second is due for a retry. */
async function sentTwice() {
  const opened = await sent(OUTCOME_UNKNOWN, DEFERS, ACCEPTS)
  const first = await opened.state()
  opened.pass(seconds(30))
  await opened.work()
  opened.pass(seconds(2))
  await opened.work()
  assert.deepEqual([(await opened.state()).attempt, (await opened.state()).phase], [2, 'closed'])
  return { ...opened, first }
}

test('a delivery report on an earlier attempt counts: the message is not sent again', async () => {
  const { deps, id, first, eventsOf, state, pass, work, provider } = await sentTwice()
  await applyReceipt(deps, receiptOf(first, 'delivered'))
  const proof = (await eventsOf(id)).at(-2)
  assert.deepEqual([proof?.fact.kind, proof?.attempt], ['HandoffAccepted', 1])
  assert.equal(toStatus(await state()), 'delivered')
  pass(seconds(10))
  assert.deepEqual(await work(), { kind: 'done' })
  assert.equal(provider.calls.length, 2)
})

test('a failure report on an earlier attempt does not count: the newest attempt can still succeed', async () => {
  const { deps, first, state, kinds, pass, work } = await sentTwice()
  await applyReceipt(deps, receiptOf(first, 'bounced'))
  assert.equal((await kinds()).at(-1), 'ProviderBounced')
  assert.equal(toStatus(await state()), 'sending')
  pass(seconds(10))
  await work()
  assert.equal(toStatus(await state()), 'sent')
})

test('a delivery report on a dead letter makes it delivered', async () => {
  const retry = { delays: [seconds(1)], maxAttempts: 1, jitter: 0 }
  const { submit, work, deps, stateOf } = openGateway(world, { providers: [fakeProvider([DEFERS])], route: { retry } })
  const id = await submit()
  await work()
  assert.equal((await stateOf(id)).dead, true)
  await applyReceipt(deps, receiptOf(await stateOf(id), 'delivered'))
  const state = await stateOf(id)
  assert.deepEqual([toStatus(state), state.dead, state.errorCode], ['delivered', false, undefined])
})
