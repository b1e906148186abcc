/** How webhook deliveries are told, fail, are given up and replayed. Run with webhook deliveries.contract.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageId } from '../domain/ids.ts'
import { tenant } from './samples.contract.ts'
import {
  addEndpoint,
  findDelivery,
  keyOf,
  lineOf,
  type OpenWebhookDeliveries,
  place,
  someChange,
  soon,
  takeAll,
  takeOne,
} from './webhook-delivery-samples.contract.ts'

export function webhookDeliveryAttemptsContract(open: OpenWebhookDeliveries): void {
  deliveredContract(open)
  failedContract(open)
}

function deliveredContract(open: OpenWebhookDeliveries): void {
  test('one that was told all is told, and what went wrong before is forgotten', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, {
      kind: 'failed',
      status: 500,
      error: 'answered 500',
      at: soon(4),
      again: soon(5),
    })
    await takeAll(webhookDeliveries, soon(5))
    await webhookDeliveries.complete(taken, { kind: 'delivered', through: place(3), status: 204, at: soon(6) })
    const { dueAt: _, ...rest } = taken
    const outcome = {
      state: 'delivered',
      deliveredThrough: 3,
      failures: 0,
      lastStatus: 204,
      triedAt: soon(6),
      updatedAt: soon(6),
    }
    assert.deepEqual(await findDelivery(webhookDeliveries, key), { ...rest, ...outcome })
    assert.deepEqual(await takeAll(webhookDeliveries, soon(99)), [])
  })

  test('one that has more to be told is due at once, or stays in the same hands until then', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: place(1),
      status: 200,
      at: soon(4),
      until: soon(20),
    })
    const between = await findDelivery(webhookDeliveries, key)
    assert.deepEqual([between?.state, between?.deliveredThrough, between?.wantedThrough], ['pending', 1, 3])
    assert.deepEqual(await takeAll(webhookDeliveries, soon(19)), [])
    await webhookDeliveries.complete(taken, { kind: 'delivered', through: place(2), status: 200, at: soon(5) })
    assert.equal((await findDelivery(webhookDeliveries, key))?.dueAt, soon(5))
    assert.deepEqual(
      (await takeAll(webhookDeliveries, soon(5))).map(({ deliveredThrough }) => deliveredThrough),
      [2],
    )
  })

  test('who goes on telling is not disturbed by news of what is in hand already', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { change, taken, key } = await takeOne(opened)
    await webhookDeliveries.complete(taken, {
      kind: 'delivered',
      through: place(3),
      status: 200,
      at: soon(4),
      until: soon(20),
    })
    await webhookDeliveries.enqueue([{ ...change, position: place(4), at: soon(4) }])
    assert.deepEqual(await takeAll(webhookDeliveries, soon(19)), [])
    await webhookDeliveries.complete(
      { ...taken, deliveredThrough: place(3) },
      { kind: 'delivered', through: place(4), status: 200, at: soon(5) },
    )
    assert.equal((await findDelivery(webhookDeliveries, key))?.state, 'delivered')
    await webhookDeliveries.enqueue([{ ...change, position: place(5), at: soon(6) }])
    assert.equal((await takeAll(webhookDeliveries, soon(6))).length, 1)
  })

  test('news that came while the last was told are not lost', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { change, taken } = await takeOne(opened)
    await webhookDeliveries.enqueue([{ ...change, position: place(4), at: soon(4) }])
    await webhookDeliveries.complete(taken, { kind: 'delivered', through: place(3), status: 200, at: soon(5) })
    assert.deepEqual(
      (await takeAll(webhookDeliveries, soon(5))).map(({ deliveredThrough, wantedThrough }) => [
        deliveredThrough,
        wantedThrough,
      ]),
      [[3, 4]],
    )
  })

  test('what was passed over says nothing of the endpoint', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'delivered', through: place(3), at: soon(4) })
    const delivered = await findDelivery(webhookDeliveries, key)
    assert.equal(delivered?.state, 'delivered')
    assert.ok(!('triedAt' in delivered) && !('lastStatus' in delivered))
  })

  test('who comes late with what was told already changes nothing', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'delivered', through: place(3), status: 200, at: soon(4) })
    const delivered = await findDelivery(webhookDeliveries, key)
    await webhookDeliveries.complete(taken, { kind: 'delivered', through: place(2), status: 500, at: soon(9) })
    await webhookDeliveries.complete(taken, { kind: 'delivered', through: place(3), status: 500, at: soon(9) })
    await webhookDeliveries.complete(taken, { kind: 'failed', error: 'too late', at: soon(9), again: soon(10) })
    assert.deepEqual(await findDelivery(webhookDeliveries, key), delivered)
  })

  test('nobody settles what is not theirs, or what there is not', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    const delivered = { kind: 'delivered', through: place(3), status: 200, at: soon(4) } as const
    await webhookDeliveries.complete({ ...key, tenantId: tenant('south') }, delivered)
    await webhookDeliveries.complete(
      { ...key, messageId: 'c0a8e5f2-0000-4000-8000-000000000001' as MessageId },
      delivered,
    )
    assert.deepEqual(await findDelivery(webhookDeliveries, key), taken)
  })
}

function failedContract(open: OpenWebhookDeliveries): void {
  test('one that failed is tried again when it is to be, and says why it failed', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    const error = 'no answer in time'
    await webhookDeliveries.complete(taken, {
      kind: 'failed',
      status: 503,
      error: 'answered 503',
      at: soon(4),
      again: soon(9),
    })
    assert.deepEqual(await takeAll(webhookDeliveries, soon(8)), [])
    await takeAll(webhookDeliveries, soon(9))
    await webhookDeliveries.complete(taken, { kind: 'failed', error, at: soon(10), again: soon(40) })
    const failed = { failures: 2, dueAt: soon(40), lastError: error, triedAt: soon(10), updatedAt: soon(10) }
    assert.deepEqual(await findDelivery(webhookDeliveries, key), { ...taken, ...failed })
    assert.deepEqual(await takeAll(webhookDeliveries, soon(39)), [])
    assert.equal((await takeAll(webhookDeliveries, soon(40))).length, 1)
  })

  test('one that is given up is not tried again', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'failed', status: 500, error: 'answered 500', at: soon(4) })
    const known = await findDelivery(webhookDeliveries, key)
    assert.ok(known?.state === 'failed' && !('dueAt' in known))
    assert.deepEqual([known.failures, known.deliveredThrough, known.wantedThrough], [1, 0, 3])
    assert.deepEqual(await takeAll(webhookDeliveries, soon(99)), [])
  })

  test('resuming makes what waits for its endpoint due, and leaves what is told, given up or in hand', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const other = await addEndpoint(endpoints)
    const changes = [1, 2, 3, 4].map((position) => someChange(position))
    await webhookDeliveries.enqueue(changes)
    const taken = await takeAll(webhookDeliveries, soon(9))
    const again = { kind: 'failed', error: 'not now', at: soon(9), again: soon(900) } as const
    for (const delivery of taken) {
      const nth = changes.findIndex(({ messageId }) => messageId === delivery.messageId)
      if (nth < 2) await webhookDeliveries.complete(delivery, again)
      if (nth === 2) await webhookDeliveries.complete(delivery, { kind: 'failed', error: 'never', at: soon(9) })
    }
    await webhookDeliveries.resume(lineOf(endpoint), soon(10))
    const due = await takeAll(webhookDeliveries, soon(10))
    assert.deepEqual(
      due.map(({ endpointId, failures }) => [endpointId, failures]),
      [
        [endpoint.id, 1],
        [endpoint.id, 1],
      ],
    )
    assert.equal((await findDelivery(webhookDeliveries, keyOf(changes[0] ?? someChange(1), other)))?.dueAt, soon(900))
  })
}
