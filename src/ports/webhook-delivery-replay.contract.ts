/** How webhook deliveries are replayed. Run by webhook-deliveries.contract.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tenant } from './samples.contract.ts'
import {
  addEndpoint,
  findDelivery,
  keyOf,
  LEASE_END,
  lineOf,
  type OpenWebhookDeliveries,
  place,
  someChange,
  soon,
  takeAll,
  takeOne,
} from './webhook-delivery-samples.contract.ts'

export function webhookDeliveryReplayContract(open: OpenWebhookDeliveries): void {
  replayContract(open)
  replayAllContract(open)
}

function replayContract(open: OpenWebhookDeliveries): void {
  test('a replay tells one message again from then on, whatever became of it', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken, endpoint } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'delivered', through: place(3), status: 200, at: soon(4) })
    const other = someChange(4)
    await webhookDeliveries.enqueue([other])
    const [held] = await takeAll(webhookDeliveries, soon(4))
    assert.equal(await webhookDeliveries.replay({ ...key, tenantId: tenant('south') }, soon(1), soon(8)), 0)
    assert.equal(await webhookDeliveries.replay(key, soon(1), soon(8)), 1)
    const replayed = {
      state: 'pending',
      deliveredThrough: 0,
      wantedThrough: 3,
      since: soon(1),
      failures: 0,
      dueAt: soon(8),
    }
    const known = await findDelivery(webhookDeliveries, key)
    assert.deepEqual(known, { ...known, ...replayed })
    assert.deepEqual(
      (await takeAll(webhookDeliveries, soon(8))).map(({ messageId }) => messageId),
      [key.messageId],
    )
    assert.deepEqual(await findDelivery(webhookDeliveries, keyOf(other, endpoint)), held)
  })

  test('one that was given up is told again by a replay, as if it had never failed', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'failed', error: 'never', at: soon(4) })
    assert.equal(await webhookDeliveries.replay(key, taken.since, soon(8)), 1)
    const [again] = await takeAll(webhookDeliveries, soon(8))
    assert.deepEqual([again?.state, again?.failures, again?.deliveredThrough], ['pending', 0, 0])
  })

  test('a replay takes it out of the hands it is in, which can no longer end it', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'delivered', through: place(1), status: 200, at: soon(4) })
    const [held] = await takeAll(webhookDeliveries, soon(4))
    assert.equal(held?.deliveredThrough, 1)
    await webhookDeliveries.replay(key, taken.since, soon(5))
    await webhookDeliveries.complete(held, { kind: 'delivered', through: place(3), status: 200, at: soon(6) })
    await webhookDeliveries.complete(held, { kind: 'failed', error: 'never', at: soon(6) })
    assert.deepEqual(
      (await takeAll(webhookDeliveries, soon(6))).map(({ deliveredThrough, wantedThrough, failures }) => [
        deliveredThrough,
        wantedThrough,
        failures,
      ]),
      [[0, 3, 0]],
    )
  })

  test('what is replayed for a disabled endpoint is not due before it is resumed', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const { endpoint, key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'delivered', through: place(3), status: 200, at: soon(4) })
    const disabled = await endpoints.change({ ...endpoint, disabled: 'by_hand' })
    assert.equal(await webhookDeliveries.replay(key, soon(0), soon(5)), 1)
    const kept = await findDelivery(webhookDeliveries, key)
    assert.ok(kept?.state === 'pending' && !('dueAt' in kept))
    assert.deepEqual(await takeAll(webhookDeliveries, soon(9)), [])
    const { disabled: _, ...enabled } = disabled ?? endpoint
    await endpoints.change(enabled)
    await webhookDeliveries.resume(key, soon(9))
    assert.equal((await takeAll(webhookDeliveries, soon(9))).length, 1)
  })
}

function replayAllContract(open: OpenWebhookDeliveries): void {
  test('a replay of all tells again what changed since, of that endpoint alone', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const [endpoint] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
    const changes = [1, 2, 3].map((position) => someChange(position))
    await webhookDeliveries.enqueue(changes)
    for (const delivery of await takeAll(webhookDeliveries, soon(3))) {
      await webhookDeliveries.complete(delivery, {
        kind: 'delivered',
        through: delivery.wantedThrough,
        at: delivery.updatedAt,
      })
    }
    assert.equal(await webhookDeliveries.replay(lineOf(endpoint), soon(2), soon(9)), 2)
    const again = await takeAll(webhookDeliveries, soon(9))
    assert.deepEqual(
      again.map(({ messageId, endpointId }) => [messageId, endpointId]).toSorted(),
      changes
        .slice(1)
        .map(({ messageId }) => [messageId, endpoint.id])
        .toSorted(),
    )
    assert.ok(again.every(({ deliveredThrough, since }) => deliveredThrough === 0 && since === soon(2)))
    assert.equal(await webhookDeliveries.replay(lineOf(endpoint), soon(100), soon(101)), 0)
  })

  test('however many there are, all are replayed once, and all are resumed', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    // Of many the time of the last change is the same.
    await webhookDeliveries.enqueue(
      Array.from({ length: 2_500 }, (_, nth) => someChange(nth + 1, { at: soon(nth % 3) })),
    )
    assert.equal(await webhookDeliveries.replay(lineOf(endpoint), soon(1), soon(9)), 1_666)
    assert.equal(await webhookDeliveries.replay(lineOf(endpoint), soon(0), soon(9_000)), 2_500)
    assert.deepEqual(await takeAll(webhookDeliveries, soon(8_999)), [])
    await webhookDeliveries.resume(lineOf(endpoint), soon(20))
    assert.equal((await webhookDeliveries.take(soon(20), LEASE_END, 5_000, 5_000)).length, 2_500)
  })
}
