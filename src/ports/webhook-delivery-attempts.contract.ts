/** The results of webhook delivery attempts. Run by webhook-deliveries.contract.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageId } from '../domain/ids.ts'
import { tenant } from './samples.contract.ts'
import {
  addEndpoint,
  endpointKeyOf,
  findDelivery,
  keyOf,
  type OpenWebhookDeliveries,
  secondsAfter,
  someChange,
  takeAll,
  takeOne,
  toPosition,
} from './webhook-delivery-samples.contract.ts'

export function webhookDeliveryAttemptsContract(open: OpenWebhookDeliveries): void {
  deliveredContract(open)
  failedContract(open)
}

function deliveredContract(open: OpenWebhookDeliveries): void {
  test('is delivered after its last event, and clears earlier failures', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, {
      kind: 'failed',
      status: 500,
      error: 'answered 500',
      at: secondsAfter(4),
      again: secondsAfter(5),
    })
    await takeAll(webhookDeliveries, secondsAfter(5))
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: toPosition(3),
      status: 204,
      at: secondsAfter(6),
    })
    const { dueAt: _, ...rest } = taken
    const outcome = {
      state: 'delivered',
      deliveredThrough: 3,
      failures: 0,
      lastStatus: 204,
      triedAt: secondsAfter(6),
      updatedAt: secondsAfter(6),
    }
    assert.deepEqual(await findDelivery(webhookDeliveries, key), { ...rest, ...outcome })
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(99)), [])
  })

  test('with more events it is due at once, or stays leased', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: toPosition(1),
      status: 200,
      at: secondsAfter(4),
      until: secondsAfter(20),
    })
    const between = await findDelivery(webhookDeliveries, key)
    assert.deepEqual([between?.state, between?.deliveredThrough, between?.wantedThrough], ['pending', 1, 3])
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(19)), [])
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: toPosition(2),
      status: 200,
      at: secondsAfter(5),
    })
    assert.equal((await findDelivery(webhookDeliveries, key))?.dueAt, secondsAfter(5))
    assert.deepEqual(
      (await takeAll(webhookDeliveries, secondsAfter(5))).map(({ deliveredThrough }) => deliveredThrough),
      [2],
    )
  })

  test('enqueueing an event that the lease holder already knows does not end the lease', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { change, taken, key } = await takeOne(opened)
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: toPosition(3),
      status: 200,
      at: secondsAfter(4),
      until: secondsAfter(20),
    })
    await webhookDeliveries.enqueue([{ ...change, position: toPosition(4), at: secondsAfter(4) }])
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(19)), [])
    await webhookDeliveries.complete(
      { ...taken, deliveredThrough: toPosition(3) },
      { kind: 'delivered', through: toPosition(4), status: 200, at: secondsAfter(5) },
    )
    assert.equal((await findDelivery(webhookDeliveries, key))?.state, 'delivered')
    await webhookDeliveries.enqueue([{ ...change, position: toPosition(5), at: secondsAfter(6) }])
    assert.equal((await takeAll(webhookDeliveries, secondsAfter(6))).length, 1)
  })

  test('keeps events that were enqueued while the last one was delivered', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { change, taken } = await takeOne(opened)
    await webhookDeliveries.enqueue([{ ...change, position: toPosition(4), at: secondsAfter(4) }])
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: toPosition(3),
      status: 200,
      at: secondsAfter(5),
    })
    assert.deepEqual(
      (await takeAll(webhookDeliveries, secondsAfter(5))).map(({ deliveredThrough, wantedThrough }) => [
        deliveredThrough,
        wantedThrough,
      ]),
      [[3, 4]],
    )
  })

  test('skipped events leave no status of the endpoint', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'delivered', through: toPosition(3), at: secondsAfter(4) })
    const delivered = await findDelivery(webhookDeliveries, key)
    assert.equal(delivered?.state, 'delivered')
    assert.ok(!('triedAt' in delivered) && !('lastStatus' in delivered))
  })

  test('a late result for events already delivered changes nothing', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: toPosition(3),
      status: 200,
      at: secondsAfter(4),
    })
    const delivered = await findDelivery(webhookDeliveries, key)
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: toPosition(2),
      status: 500,
      at: secondsAfter(9),
    })
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: toPosition(3),
      status: 500,
      at: secondsAfter(9),
    })
    await webhookDeliveries.complete(taken, {
      kind: 'failed',
      error: 'too late',
      at: secondsAfter(9),
      again: secondsAfter(10),
    })
    assert.deepEqual(await findDelivery(webhookDeliveries, key), delivered)
  })

  test('ignores results of another account or of an unknown delivery', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    const delivered = { kind: 'delivered', through: toPosition(3), status: 200, at: secondsAfter(4) } as const
    await webhookDeliveries.complete({ ...key, tenantId: tenant('south') }, delivered)
    await webhookDeliveries.complete(
      { ...key, subjectId: 'c0a8e5f2-0000-4000-8000-000000000001' as MessageId },
      delivered,
    )
    assert.deepEqual(await findDelivery(webhookDeliveries, key), taken)
  })
}

function failedContract(open: OpenWebhookDeliveries): void {
  test('a failed delivery is retried at the given time, and keeps its error', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    const error = 'no answer in time'
    await webhookDeliveries.complete(taken, {
      kind: 'failed',
      status: 503,
      error: 'answered 503',
      at: secondsAfter(4),
      again: secondsAfter(9),
    })
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(8)), [])
    await takeAll(webhookDeliveries, secondsAfter(9))
    await webhookDeliveries.complete(taken, { kind: 'failed', error, at: secondsAfter(10), again: secondsAfter(40) })
    const failed = {
      failures: 2,
      dueAt: secondsAfter(40),
      lastError: error,
      triedAt: secondsAfter(10),
      updatedAt: secondsAfter(10),
    }
    assert.deepEqual(await findDelivery(webhookDeliveries, key), { ...taken, ...failed })
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(39)), [])
    assert.equal((await takeAll(webhookDeliveries, secondsAfter(40))).length, 1)
  })

  test('a failed delivery without a retry time is not retried', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'failed', status: 500, error: 'answered 500', at: secondsAfter(4) })
    const found = await findDelivery(webhookDeliveries, key)
    assert.ok(found?.state === 'failed' && !('dueAt' in found))
    assert.deepEqual([found.failures, found.deliveredThrough, found.wantedThrough], [1, 0, 3])
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(99)), [])
  })

  test('resuming makes pending deliveries due, and leaves delivered, failed and leased ones', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const other = await addEndpoint(endpoints)
    const changes = [1, 2, 3, 4].map((position) => someChange(position))
    await webhookDeliveries.enqueue(changes)
    const taken = await takeAll(webhookDeliveries, secondsAfter(9))
    const again = { kind: 'failed', error: 'not now', at: secondsAfter(9), again: secondsAfter(900) } as const
    for (const delivery of taken) {
      const nth = changes.findIndex(({ messageId }) => messageId === delivery.subjectId)
      if (nth < 2) await webhookDeliveries.complete(delivery, again)
      if (nth === 2) await webhookDeliveries.complete(delivery, { kind: 'failed', error: 'never', at: secondsAfter(9) })
    }
    await webhookDeliveries.resume(endpointKeyOf(endpoint), secondsAfter(10))
    const due = await takeAll(webhookDeliveries, secondsAfter(10))
    assert.deepEqual(
      due.map(({ endpointId, failures }) => [endpointId, failures]),
      [
        [endpoint.id, 1],
        [endpoint.id, 1],
      ],
    )
    assert.equal(
      (await findDelivery(webhookDeliveries, keyOf(changes[0] ?? someChange(1), other)))?.dueAt,
      secondsAfter(900),
    )
  })
}
