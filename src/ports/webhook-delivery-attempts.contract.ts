/** How webhook deliveries are told, fail, are given up and replayed. Run with webhook deliveries.contract.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageId } from '../domain/ids.ts'
import type { Endpoint } from '../domain/webhooks/endpoint.ts'
import type { Endpoints } from './endpoints.ts'
import { tenant } from './samples.contract.ts'
import type { Changed, WebhookDeliveries, WebhookDelivery, WebhookDeliveryKey } from './webhook-deliveries.ts'
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
} from './webhook-delivery-samples.contract.ts'

type InHand = Readonly<{ endpoint: Endpoint; change: Changed; key: WebhookDeliveryKey; taken: WebhookDelivery }>

/** One webhook delivery that wants to be told through 3, in hand. */
async function takeOne({
  endpoints,
  webhookDeliveries,
}: Readonly<{ endpoints: Endpoints; webhookDeliveries: WebhookDeliveries }>): Promise<InHand> {
  const endpoint = await addEndpoint(endpoints)
  const change = someChange(3)
  await webhookDeliveries.enqueue([change])
  const [taken] = await takeAll(webhookDeliveries, soon(3))
  assert.ok(taken !== undefined)
  return { endpoint, change, key: keyOf(change, endpoint), taken }
}

export function webhookDeliveryAttemptsContract(open: OpenWebhookDeliveries): void {
  tellingContract(open)
  failingContract(open)
  replayingContract(open)
  replayingManyContract(open)
}

function tellingContract(open: OpenWebhookDeliveries): void {
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
    await webhookDeliveries.complete(taken, { kind: 'told', through: place(3), status: 204, at: soon(6) })
    const { dueAt: _, ...rest } = taken
    const outcome = { state: 'told', told: 3, failures: 0, lastStatus: 204, triedAt: soon(6), updatedAt: soon(6) }
    assert.deepEqual(await findDelivery(webhookDeliveries, key), { ...rest, ...outcome })
    assert.deepEqual(await takeAll(webhookDeliveries, soon(99)), [])
  })

  test('one that has more to be told is due at once, or stays in the same hands until then', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, {
      kind: 'told',
      through: place(1),
      status: 200,
      at: soon(4),
      until: soon(20),
    })
    const between = await findDelivery(webhookDeliveries, key)
    assert.deepEqual([between?.state, between?.told, between?.wanted], ['pending', 1, 3])
    assert.deepEqual(await takeAll(webhookDeliveries, soon(19)), [])
    await webhookDeliveries.complete(taken, { kind: 'told', through: place(2), status: 200, at: soon(5) })
    assert.equal((await findDelivery(webhookDeliveries, key))?.dueAt, soon(5))
    assert.deepEqual(
      (await takeAll(webhookDeliveries, soon(5))).map(({ told }) => told),
      [2],
    )
  })

  test('who goes on telling is not disturbed by news of what is in hand already', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { change, taken, key } = await takeOne(opened)
    await webhookDeliveries.complete(taken, {
      kind: 'told',
      through: place(3),
      status: 200,
      at: soon(4),
      until: soon(20),
    })
    await webhookDeliveries.enqueue([{ ...change, position: place(4), at: soon(4) }])
    assert.deepEqual(await takeAll(webhookDeliveries, soon(19)), [])
    await webhookDeliveries.complete(
      { ...taken, told: place(3) },
      { kind: 'told', through: place(4), status: 200, at: soon(5) },
    )
    assert.equal((await findDelivery(webhookDeliveries, key))?.state, 'told')
    await webhookDeliveries.enqueue([{ ...change, position: place(5), at: soon(6) }])
    assert.equal((await takeAll(webhookDeliveries, soon(6))).length, 1)
  })

  test('news that came while the last was told are not lost', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { change, taken } = await takeOne(opened)
    await webhookDeliveries.enqueue([{ ...change, position: place(4), at: soon(4) }])
    await webhookDeliveries.complete(taken, { kind: 'told', through: place(3), status: 200, at: soon(5) })
    assert.deepEqual(
      (await takeAll(webhookDeliveries, soon(5))).map(({ told, wanted }) => [told, wanted]),
      [[3, 4]],
    )
  })

  test('what was passed over says nothing of the endpoint', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'told', through: place(3), at: soon(4) })
    const told = await findDelivery(webhookDeliveries, key)
    assert.equal(told?.state, 'told')
    assert.ok(!('triedAt' in told) && !('lastStatus' in told))
  })

  test('who comes late with what was told already changes nothing', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'told', through: place(3), status: 200, at: soon(4) })
    const told = await findDelivery(webhookDeliveries, key)
    await webhookDeliveries.complete(taken, { kind: 'told', through: place(2), status: 500, at: soon(9) })
    await webhookDeliveries.complete(taken, { kind: 'told', through: place(3), status: 500, at: soon(9) })
    await webhookDeliveries.complete(taken, { kind: 'failed', error: 'too late', at: soon(9), again: soon(10) })
    assert.deepEqual(await findDelivery(webhookDeliveries, key), told)
  })

  test('nobody settles what is not theirs, or what there is not', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    const told = { kind: 'told', through: place(3), status: 200, at: soon(4) } as const
    await webhookDeliveries.complete({ ...key, tenantId: tenant('south') }, told)
    await webhookDeliveries.complete({ ...key, messageId: 'c0a8e5f2-0000-4000-8000-000000000001' as MessageId }, told)
    assert.deepEqual(await findDelivery(webhookDeliveries, key), taken)
  })
}

function failingContract(open: OpenWebhookDeliveries): void {
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
    assert.ok(known?.state === 'given_up' && !('dueAt' in known))
    assert.deepEqual([known.failures, known.told, known.wanted], [1, 0, 3])
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

function replayingContract(open: OpenWebhookDeliveries): void {
  test('a replay tells one message again from then on, whatever became of it', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken, endpoint } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'told', through: place(3), status: 200, at: soon(4) })
    const other = someChange(4)
    await webhookDeliveries.enqueue([other])
    const [held] = await takeAll(webhookDeliveries, soon(4))
    assert.equal(await webhookDeliveries.replay({ ...key, tenantId: tenant('south') }, soon(1), soon(8)), 0)
    assert.equal(await webhookDeliveries.replay(key, soon(1), soon(8)), 1)
    const replayed = { state: 'pending', told: 0, wanted: 3, since: soon(1), failures: 0, dueAt: soon(8) }
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
    assert.deepEqual([again?.state, again?.failures, again?.told], ['pending', 0, 0])
  })

  test('a replay takes it out of the hands it is in, which can no longer end it', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const { key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'told', through: place(1), status: 200, at: soon(4) })
    const [held] = await takeAll(webhookDeliveries, soon(4))
    assert.equal(held?.told, 1)
    await webhookDeliveries.replay(key, taken.since, soon(5))
    await webhookDeliveries.complete(held, { kind: 'told', through: place(3), status: 200, at: soon(6) })
    await webhookDeliveries.complete(held, { kind: 'failed', error: 'never', at: soon(6) })
    assert.deepEqual(
      (await takeAll(webhookDeliveries, soon(6))).map(({ told, wanted, failures }) => [told, wanted, failures]),
      [[0, 3, 0]],
    )
  })

  test('what is replayed for a disabled endpoint is not due before it is resumed', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const { endpoint, key, taken } = await takeOne(opened)
    await webhookDeliveries.complete(taken, { kind: 'told', through: place(3), status: 200, at: soon(4) })
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

function replayingManyContract(open: OpenWebhookDeliveries): void {
  test('a replay of all tells again what changed since, of that endpoint alone', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const [endpoint] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
    const changes = [1, 2, 3].map((position) => someChange(position))
    await webhookDeliveries.enqueue(changes)
    for (const delivery of await takeAll(webhookDeliveries, soon(3))) {
      await webhookDeliveries.complete(delivery, { kind: 'told', through: delivery.wanted, at: delivery.updatedAt })
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
    assert.ok(again.every(({ told, since }) => told === 0 && since === soon(2)))
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
