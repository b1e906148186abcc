/** The tests every store of webhook deliveries must pass: what is wanted, and who gets it to tell. The rest is in its parts. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AccountId } from '../domain/ids.ts'
import { CALLBACK } from '../domain/webhooks/endpoint.ts'
import { NOON, tenant } from './samples.contract.ts'
import { webhookDeliveryAttemptsContract } from './webhook-delivery-attempts.contract.ts'
import { webhookDeliveryListContract } from './webhook-delivery-list.contract.ts'
import { webhookDeliveryOrderContract } from './webhook-delivery-order.contract.ts'
import { webhookDeliveryReplayContract } from './webhook-delivery-replay.contract.ts'
import {
  addEndpoint,
  findDelivery,
  keyOf,
  LEASE_END,
  type OpenWebhookDeliveries,
  place,
  someChange,
  soon,
  takeAll,
} from './webhook-delivery-samples.contract.ts'

export function webhookDeliveriesContract(engine: string, open: OpenWebhookDeliveries): void {
  describe(`webhook deliveries on ${engine}`, { timeout: 120_000 }, () => {
    enqueueContract(open)
    enqueueAgainContract(open)
    takeContract(open)
    webhookDeliveryAttemptsContract(open)
    webhookDeliveryReplayContract(open)
    webhookDeliveryListContract(open)
    webhookDeliveryOrderContract(open)
  })
}

function enqueueContract(open: OpenWebhookDeliveries): void {
  test('every endpoint of the account is to be told of a change, and nobody else', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const [one, other] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
    await addEndpoint(endpoints, { accountId: 'kiosk' as AccountId })
    await addEndpoint(endpoints, { tenantId: tenant('south') })
    const change = someChange(7)
    await webhookDeliveries.enqueue([change])
    const taken = await webhookDeliveries.take(soon(7), LEASE_END, 10, 10)
    const byId = (ids: readonly (string | undefined)[]) => ids.toSorted()
    assert.deepEqual(byId(taken.map(({ endpoint }) => endpoint?.id)), byId([one.id, other.id]))
    const { delivery, endpoint } = taken.find((each) => each.delivery.endpointId === one.id) ?? {}
    assert.deepEqual(endpoint, one)
    const progress = {
      state: 'pending',
      deliveredThrough: 0,
      wantedThrough: 7,
      since: one.createdAt,
      failures: 0,
      dueAt: soon(7),
    }
    assert.deepEqual(delivery, { ...keyOf(change, one), ...progress, createdAt: soon(7), updatedAt: soon(7) })
  })

  test('a message that has a callback is told there, from its beginning, and without one nobody is told', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const change = someChange(7, { hasCallback: true })
    await webhookDeliveries.enqueue([someChange(6), change])
    const [taken, ...others] = await webhookDeliveries.take(soon(7), LEASE_END, 10, 10)
    assert.deepEqual(others, [])
    assert.deepEqual([taken?.delivery.messageId, taken?.delivery.endpointId], [change.messageId, CALLBACK])
    assert.equal(taken?.delivery.since, 0)
    assert.ok(taken !== undefined && !('endpoint' in taken))
  })

  test('an endpoint is told nothing of messages that changed before it was made', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints, { createdAt: soon(5) })
    const [before, after] = [someChange(4), someChange(5)]
    await webhookDeliveries.enqueue([before, after])
    assert.deepEqual(
      (await takeAll(webhookDeliveries, soon(9))).map(({ messageId, since }) => [messageId, since]),
      [[after.messageId, endpoint.createdAt]],
    )
  })

  test('the first endpoint of all is told from when it was made, also after there was none', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await webhookDeliveries.enqueue([someChange(1)])
    const first = await addEndpoint(endpoints)
    await webhookDeliveries.enqueue([someChange(2)])
    assert.equal((await takeAll(webhookDeliveries, soon(9))).length, 1)
    await endpoints.remove(first)
    await webhookDeliveries.enqueue([someChange(3)])
    await addEndpoint(endpoints)
    await webhookDeliveries.enqueue([someChange(4)])
    assert.equal((await takeAll(webhookDeliveries, soon(9))).length, 1)
  })

  test('no changes are no trouble', async () => {
    await using opened = await open()
    await addEndpoint(opened.endpoints)
    await opened.webhookDeliveries.enqueue([])
    assert.deepEqual(await takeAll(opened.webhookDeliveries, soon(9)), [])
  })
}

function enqueueAgainContract(open: OpenWebhookDeliveries): void {
  test('changes may come again, twice in a page, and out of order: the newest counts', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const first = someChange(1)
    const at = (position: number) => ({ ...first, position: place(position), at: soon(position) })
    await webhookDeliveries.enqueue([at(3), at(5), at(4)])
    assert.equal((await findDelivery(webhookDeliveries, keyOf(first, endpoint)))?.wantedThrough, 5)
    for (const position of [5, 4, 1]) await webhookDeliveries.enqueue([at(position)])
    const delivery = await findDelivery(webhookDeliveries, keyOf(first, endpoint))
    assert.deepEqual([delivery?.state, delivery?.wantedThrough, delivery?.updatedAt], ['pending', 5, soon(5)])
    await webhookDeliveries.enqueue([at(6)])
    assert.equal((await findDelivery(webhookDeliveries, keyOf(first, endpoint)))?.wantedThrough, 6)
  })

  test('what was told is not wanted again, and what is new is', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const change = someChange(3)
    const key = keyOf(change, endpoint)
    await webhookDeliveries.enqueue([change])
    const [taken] = await takeAll(webhookDeliveries, soon(3))
    await webhookDeliveries.complete(taken ?? key, { kind: 'delivered', through: place(5), status: 204, at: soon(4) })
    const delivered = await findDelivery(webhookDeliveries, key)
    assert.deepEqual([delivered?.state, delivered?.deliveredThrough, delivered?.wantedThrough], ['delivered', 5, 5])
    for (const position of [3, 4, 5])
      await webhookDeliveries.enqueue([{ ...change, position: place(position), at: soon(9) }])
    assert.deepEqual(await findDelivery(webhookDeliveries, key), delivered)
    await webhookDeliveries.enqueue([{ ...change, position: place(6), at: soon(6) }])
    const more = await findDelivery(webhookDeliveries, key)
    assert.deepEqual(
      [more?.state, more?.deliveredThrough, more?.wantedThrough, more?.dueAt],
      ['pending', 5, 6, soon(6)],
    )
    assert.equal((await takeAll(webhookDeliveries, soon(6))).length, 1)
  })

  test('news do not hurry one that waits to be tried again, nor take it from who has it', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const change = someChange(1)
    const key = keyOf(change, endpoint)
    await webhookDeliveries.enqueue([change])
    await takeAll(webhookDeliveries, soon(1))
    await webhookDeliveries.enqueue([{ ...change, position: place(2) }])
    assert.deepEqual(await takeAll(webhookDeliveries, soon(9)), [])
    await webhookDeliveries.complete(key, { kind: 'failed', error: 'not now', at: soon(2), again: soon(60) })
    await webhookDeliveries.enqueue([{ ...change, position: place(3) }])
    const waiting = await findDelivery(webhookDeliveries, key)
    assert.deepEqual([waiting?.wantedThrough, waiting?.failures, waiting?.dueAt], [3, 1, soon(60)])
    assert.deepEqual(await takeAll(webhookDeliveries, soon(59)), [])
    assert.equal((await takeAll(webhookDeliveries, soon(60))).length, 1)
  })

  test('one that was given up begins anew with the next change', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const change = someChange(1)
    const key = keyOf(change, endpoint)
    await webhookDeliveries.enqueue([change])
    await takeAll(webhookDeliveries, soon(1))
    await webhookDeliveries.complete(key, { kind: 'failed', error: 'never', at: soon(2) })
    await webhookDeliveries.enqueue([change])
    assert.equal((await findDelivery(webhookDeliveries, key))?.state, 'failed')
    await webhookDeliveries.enqueue([{ ...change, position: place(2), at: soon(8) }])
    const again = await findDelivery(webhookDeliveries, key)
    assert.deepEqual([again?.state, again?.failures, again?.deliveredThrough, again?.dueAt], ['pending', 0, 0, soon(8)])
  })

  test('of a disabled endpoint webhook deliveries are kept, and neither due nor taken until it is enabled and they are resumed', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints, { disabled: 'by_hand' })
    const change = someChange(1)
    await webhookDeliveries.enqueue([change])
    const kept = await findDelivery(webhookDeliveries, keyOf(change, endpoint))
    assert.ok(kept?.state === 'pending' && !('dueAt' in kept))
    assert.deepEqual(await takeAll(webhookDeliveries, soon(9)), [])
    const { disabled: _, ...enabled } = endpoint
    await endpoints.change(enabled)
    await webhookDeliveries.resume(kept, soon(9))
    assert.deepEqual(
      (await takeAll(webhookDeliveries, soon(9))).map(({ messageId }) => messageId),
      [change.messageId],
    )
  })
}

function takeContract(open: OpenWebhookDeliveries): void {
  test('what is in somebody’s hands is nobody else’s before the time is up', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await addEndpoint(endpoints)
    await webhookDeliveries.enqueue([someChange(1), someChange(2), someChange(3)])
    const taken = await webhookDeliveries.take(soon(2), soon(30), 10, 10)
    assert.equal(taken.length, 2)
    assert.equal((await webhookDeliveries.take(soon(3), soon(31), 10, 10)).length, 1)
    assert.deepEqual(await webhookDeliveries.take(soon(29), soon(60), 10, 10), [])
    assert.equal((await webhookDeliveries.take(soon(30), soon(60), 10, 10)).length, 2)
  })

  test('no more are taken than are wanted, and of one endpoint no more than each may have in hand', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const [busy, idle] = [await addEndpoint(endpoints), await addEndpoint(endpoints, { accountId: 'k' as AccountId })]
    const changes = Array.from({ length: 12 }, (_, nth) => someChange(nth + 1))
    const other = someChange(20, { accountId: idle.accountId })
    await webhookDeliveries.enqueue([...changes, other])
    const take = async (max: number, each: number) =>
      (await webhookDeliveries.take(soon(30), soon(90), max, each)).map(({ delivery }) => delivery)
    const first = await take(3, 2)
    assert.deepEqual(first.map(({ endpointId }) => endpointId).toSorted(), [busy.id, busy.id, idle.id].toSorted())
    assert.deepEqual(await take(10, 2), [])
    assert.equal((await take(2, 5)).length, 2)
    assert.equal((await take(10, 5)).length, 1)
    const ofBusy = first.filter(({ endpointId }) => endpointId === busy.id)
    for (const delivery of ofBusy) {
      await webhookDeliveries.complete(delivery, {
        kind: 'delivered',
        through: delivery.wantedThrough,
        status: 200,
        at: soon(31),
      })
    }
    assert.equal((await take(10, 5)).length, 2)
  })

  test('endpoints have turns: one that has much to be told does not keep the others waiting', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await addEndpoint(endpoints)
    await webhookDeliveries.enqueue(Array.from({ length: 30 }, (_, nth) => someChange(nth + 1)))
    const accounts = ['a', 'b', 'c'] as AccountId[]
    for (const accountId of accounts) await addEndpoint(endpoints, { accountId })
    await webhookDeliveries.enqueue(accounts.map((accountId, nth) => someChange(40 + nth, { accountId })))
    const taken = await webhookDeliveries.take(soon(60), LEASE_END, 5, 10)
    const counts = Map.groupBy(taken, ({ delivery }) => delivery.accountId)
    assert.deepEqual(
      ['shop', ...accounts].map((account) => counts.get(account as AccountId)?.length),
      [2, 1, 1, 1],
    )
  })

  test('those of many who take at once are never the same', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await addEndpoint(endpoints)
    await addEndpoint(endpoints)
    await webhookDeliveries.enqueue(Array.from({ length: 40 }, (_, nth) => someChange(nth + 1)))
    const batches = await Promise.all(
      Array.from({ length: 8 }, () => webhookDeliveries.take(soon(60), LEASE_END, 10, 20)),
    )
    const rest = await takeAll(webhookDeliveries, soon(60))
    const taken = [...batches.flat().map(({ delivery }) => delivery), ...rest]
    const names = taken.map(({ messageId, endpointId }) => `${messageId} ${endpointId}`)
    assert.equal(new Set(names).size, names.length)
    assert.equal(names.length, 80)
  })

  test('what is handed back is as it was, and may be taken at once', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const change = someChange(1)
    await webhookDeliveries.enqueue([change])
    const [taken] = await takeAll(webhookDeliveries, soon(1))
    await webhookDeliveries.release({ ...keyOf(change, endpoint), tenantId: tenant('south') }, soon(2))
    assert.deepEqual(await takeAll(webhookDeliveries, soon(2)), [])
    await webhookDeliveries.release(keyOf(change, endpoint), soon(2))
    assert.deepEqual(await takeAll(webhookDeliveries, soon(2)), [taken])
    assert.deepEqual(await webhookDeliveries.take(NOON, LEASE_END, 10, 10), [])
  })
}
