import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import type { EventLog, Revised } from '../../ports/event-log.ts'
import type { Receipt } from '../../ports/provider.ts'
import type { Applied, ReceiptForwarding } from '../../ports/receipt-forwarding.ts'
import { ACCEPTS, fakeProvider, OUTCOME_UNKNOWN, openGateway, receiptOf } from '../gateway.fixture.ts'
import { applyReceipt } from './apply-receipt.ts'
import { settleReceipt } from './settle-receipt.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const HANDED_OFF = ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted']

async function sent(outcome: Parameters<typeof fakeProvider>[0][number] = ACCEPTS) {
  const gateway = openGateway(world, { providers: [fakeProvider([outcome])] })
  const id = await gateway.submit()
  await gateway.work()
  return { ...gateway, id, state: () => gateway.stateOf(id), kinds: () => gateway.kindsOf(id) }
}

function forwardingTo(answer: Applied | undefined) {
  const forwarded: [string, Receipt][] = []
  const receiptForwarding: ReceiptForwarding = {
    serve: () => ({ [Symbol.asyncDispose]: async () => undefined }),
    forward: async (worker, receipt) => {
      forwarded.push([worker, receipt])
      return answer
    },
  }
  return { forwarded, receiptForwarding }
}

test('a report goes to the worker that made the attempt, and is not applied here', async () => {
  const { deps, state, kinds } = await sent()
  for (const answer of ['applied', 'unmatched'] as const) {
    const { forwarded, receiptForwarding } = forwardingTo(answer)
    const receipt = receiptOf(await state(), 'delivered')
    assert.equal(await settleReceipt({ ...deps, receiptForwarding }, receipt, 'abc'), answer)
    assert.deepEqual(forwarded, [['abc', receipt]])
  }
  assert.deepEqual(await kinds(), HANDED_OFF)
})

test('a report is applied here when the worker does not answer', async () => {
  const { deps, state, kinds } = await sent()
  const { receiptForwarding } = forwardingTo(undefined)
  assert.equal(
    await settleReceipt({ ...deps, receiptForwarding }, receiptOf(await state(), 'delivered'), 'abc'),
    'applied',
  )
  assert.deepEqual(await kinds(), [...HANDED_OFF, 'ProviderDelivered'])
})

test('a report that names no worker, or needs more than the state, is applied here', async () => {
  const { deps, state, kinds } = await sent()
  const { forwarded, receiptForwarding } = forwardingTo('unmatched')
  const both = { ...deps, receiptForwarding }
  assert.equal(await settleReceipt(both, receiptOf(await state(), 'accepted'), undefined), 'applied')
  const bounced = { ...receiptOf(await state(), 'bounced'), suppresses: 'hard_bounce' } as const
  assert.equal(await settleReceipt(both, bounced, 'abc'), 'applied')
  assert.equal(await settleReceipt(both, { ...bounced, state: 'refused' }, 'abc'), 'applied')
  assert.equal(await settleReceipt(deps, receiptOf(await state(), 'delivered'), 'abc'), 'applied')
  assert.deepEqual(forwarded, [])
  assert.deepEqual(await kinds(), [...HANDED_OFF, 'ProviderAccepted', 'ProviderBounced', 'ProviderDelivered'])
})

/** A log that remembers an event, and counts how often the newest is read. */
function remembering(log: EventLog, known: Revised | undefined) {
  const reads = { count: 0 }
  const latest: EventLog['latest'] = (id) => {
    reads.count += 1
    return log.latest(id)
  }
  return { reads, log: { ...log, latest, recall: () => known } }
}

test('a remembered message need not be read', async () => {
  const { deps, id, state, kinds } = await sent()
  const { reads, log } = remembering(deps.log, await deps.log.latest(id))
  assert.equal(await applyReceipt({ ...deps, log }, receiptOf(await state(), 'delivered')), 'applied')
  assert.equal(reads.count, 0)
  assert.deepEqual(await kinds(), [...HANDED_OFF, 'ProviderDelivered'])
})

test('a message that has moved on is read again', async () => {
  const { deps, id, state, kinds } = await sent()
  const stale = await deps.log.latest(id)
  await applyReceipt(deps, receiptOf(await state(), 'accepted'))
  const { reads, log } = remembering(deps.log, stale)
  assert.equal(await applyReceipt({ ...deps, log }, receiptOf(await state(), 'delivered')), 'applied')
  assert.equal(reads.count, 1)
  assert.deepEqual(await kinds(), [...HANDED_OFF, 'ProviderAccepted', 'ProviderDelivered'])
})

test('a late refusal is decided on the newest state only', async () => {
  const { deps, id, state, kinds, eventsOf } = await sent(OUTCOME_UNKNOWN)
  const [, attempted] = await eventsOf(id)
  const newest = await deps.log.latest(id)
  assert.ok(attempted && newest)
  const { log } = remembering(deps.log, { revision: newest.revision, event: attempted })
  assert.equal(await applyReceipt({ ...deps, log }, receiptOf(await state(), 'refused')), 'applied')
  assert.deepEqual((await kinds()).slice(2), ['HandoffUnknown', 'RetryScheduled'])
})
