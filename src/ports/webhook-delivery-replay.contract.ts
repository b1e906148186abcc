/** Replaying webhook deliveries. Run by webhook-deliveries.contract.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tenant } from './samples.contract.ts'
import {
  addEndpoint,
  endpointKeyOf,
  findDelivery,
  keyOf,
  LEASE_END,
  type OpenWebhookDeliveries,
  secondsAfter,
  someChange,
  takeAll,
  takeOne,
  toPosition,
} from './webhook-delivery-samples.contract.ts'

export function webhookDeliveryReplayContract(open: OpenWebhookDeliveries): void {
  replayContract(open)
  replayAllContract(open)
}

function replayContract(open: OpenWebhookDeliveries): void {
  test('a replay delivers one message again from a given time, in any state', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken, endpoint } = await takeOne(opened)
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: toPosition(3),
      status: 200,
      at: secondsAfter(4),
    })
    const other = someChange(4)
    await webhookDeliveries.enqueue([other])
    const [held] = await takeAll(webhookDeliveries, secondsAfter(4))
    assert.equal(
      await webhookDeliveries.replay({ ...key, tenantId: tenant('south') }, secondsAfter(1), secondsAfter(8)),
      0,
    )
    assert.equal(await webhookDeliveries.replay(key, secondsAfter(1), secondsAfter(8)), 1)
    const replayed = {
      state: 'pending',
      deliveredThrough: 0,
      wantedThrough: 3,
      since: secondsAfter(1),
      failures: 0,
      dueAt: secondsAfter(8),
    }
    const found = await findDelivery(webhookDeliveries, key)
    assert.deepEqual(found, { ...found, ...replayed })
    assert.deepEqual(
      (await takeAll(webhookDeliveries, secondsAfter(8))).map(({ subjectId }) => subjectId),
      [key.subjectId],
    )
    assert.deepEqual(await findDelivery(webhookDeliveries, keyOf(other, endpoint)), held)
  })

  test('a replay delivers a failed one again, without its failures', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'failed', error: 'never', at: secondsAfter(4) })
    assert.equal(await webhookDeliveries.replay(key, taken.since, secondsAfter(8)), 1)
    const [again] = await takeAll(webhookDeliveries, secondsAfter(8))
    assert.deepEqual([again?.state, again?.failures, again?.deliveredThrough], ['pending', 0, 0])
  })

  test('a replay ends the lease, whose holder can no longer complete it', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: toPosition(1),
      status: 200,
      at: secondsAfter(4),
    })
    const [held] = await takeAll(webhookDeliveries, secondsAfter(4))
    assert.equal(held?.deliveredThrough, 1)
    await webhookDeliveries.replay(key, taken.since, secondsAfter(5))
    await webhookDeliveries.complete(held, {
      kind: 'delivered',
      through: toPosition(3),
      status: 200,
      at: secondsAfter(6),
    })
    await webhookDeliveries.complete(held, { kind: 'failed', error: 'never', at: secondsAfter(6) })
    assert.deepEqual(
      (await takeAll(webhookDeliveries, secondsAfter(6))).map(({ deliveredThrough, wantedThrough, failures }) => [
        deliveredThrough,
        wantedThrough,
        failures,
      ]),
      [[0, 3, 0]],
    )
  })

  test('a replay for a disabled endpoint is not due before it is resumed', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const { endpoint, key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: toPosition(3),
      status: 200,
      at: secondsAfter(4),
    })
    const disabled = await endpoints.change({ ...endpoint, disabled: 'by_hand' })
    assert.equal(await webhookDeliveries.replay(key, secondsAfter(0), secondsAfter(5)), 1)
    const stored = await findDelivery(webhookDeliveries, key)
    assert.ok(stored?.state === 'pending' && !('dueAt' in stored))
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(9)), [])
    const { disabled: _, ...enabled } = disabled ?? endpoint
    await endpoints.change(enabled)
    await webhookDeliveries.resume(key, secondsAfter(9))
    assert.equal((await takeAll(webhookDeliveries, secondsAfter(9))).length, 1)
  })
}

function replayAllContract(open: OpenWebhookDeliveries): void {
  test('a replay of an endpoint delivers again all that changed since, for that endpoint only', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const [endpoint] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
    const changes = [1, 2, 3].map((position) => someChange(position))
    await webhookDeliveries.enqueue(changes)
    for (const delivery of await takeAll(webhookDeliveries, secondsAfter(3))) {
      await webhookDeliveries.complete(delivery, {
        kind: 'delivered',
        through: delivery.wantedThrough,
        at: delivery.updatedAt,
      })
    }
    assert.equal(await webhookDeliveries.replay(endpointKeyOf(endpoint), secondsAfter(2), secondsAfter(9)), 2)
    const again = await takeAll(webhookDeliveries, secondsAfter(9))
    assert.deepEqual(
      again.map(({ subjectId, endpointId }) => [subjectId, endpointId]).toSorted(),
      changes
        .slice(1)
        .map(({ messageId }) => [messageId, endpoint.id])
        .toSorted(),
    )
    assert.ok(again.every(({ deliveredThrough, since }) => deliveredThrough === 0 && since === secondsAfter(2)))
    assert.equal(await webhookDeliveries.replay(endpointKeyOf(endpoint), secondsAfter(100), secondsAfter(101)), 0)
  })

  test('replays and resumes any number of deliveries, each once', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    // Many have the same time of their last change.
    await webhookDeliveries.enqueue(
      Array.from({ length: 2_500 }, (_, nth) => someChange(nth + 1, { at: secondsAfter(nth % 3) })),
    )
    assert.equal(await webhookDeliveries.replay(endpointKeyOf(endpoint), secondsAfter(1), secondsAfter(9)), 1_666)
    assert.equal(await webhookDeliveries.replay(endpointKeyOf(endpoint), secondsAfter(0), secondsAfter(9_000)), 2_500)
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(8_999)), [])
    await webhookDeliveries.resume(endpointKeyOf(endpoint), secondsAfter(20))
    assert.equal((await webhookDeliveries.take(secondsAfter(20), LEASE_END, 5_000, 5_000)).length, 2_500)
  })
}
