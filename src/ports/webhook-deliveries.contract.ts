/** The tests every store of webhook deliveries must pass: enqueueing and leasing. The parts are in other contracts. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AccountId } from '../domain/ids.ts'
import { CALLBACK } from '../domain/webhooks/endpoint.ts'
import { NOON, tenant } from './samples.contract.ts'
import { webhookDeliveryAlertsContract } from './webhook-delivery-alerts.contract.ts'
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
  secondsAfter,
  someChange,
  takeAll,
  toPosition,
} from './webhook-delivery-samples.contract.ts'

export function webhookDeliveriesContract(engine: string, open: OpenWebhookDeliveries): void {
  describe(`webhook deliveries on ${engine}`, { timeout: 120_000 }, () => {
    enqueueContract(open)
    enqueueAgainContract(open)
    takeContract(open)
    webhookDeliveryAlertsContract(open)
    webhookDeliveryAttemptsContract(open)
    webhookDeliveryReplayContract(open)
    webhookDeliveryListContract(open)
    webhookDeliveryOrderContract(open)
  })
}

function enqueueContract(open: OpenWebhookDeliveries): void {
  test('enqueues a change for every endpoint of its account, and no others', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const [one, other] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
    await addEndpoint(endpoints, { accountId: 'kiosk' as AccountId })
    await addEndpoint(endpoints, { tenantId: tenant('south') })
    const change = someChange(7)
    await webhookDeliveries.enqueue([change])
    const taken = await webhookDeliveries.take(secondsAfter(7), LEASE_END, 10, 10)
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
      dueAt: secondsAfter(7),
    }
    assert.deepEqual(delivery, {
      ...keyOf(change, one),
      ...progress,
      createdAt: secondsAfter(7),
      updatedAt: secondsAfter(7),
    })
  })

  test('enqueues all events for a message’s callback URL, and nothing without one', async () => {
    await using opened = await open()
    const { webhookDeliveries } = opened
    const change = someChange(7, { hasCallback: true })
    await webhookDeliveries.enqueue([someChange(6), change])
    const [taken, ...others] = await webhookDeliveries.take(secondsAfter(7), LEASE_END, 10, 10)
    assert.deepEqual(others, [])
    assert.deepEqual([taken?.delivery.subjectId, taken?.delivery.endpointId], [change.messageId, CALLBACK])
    assert.equal(taken?.delivery.since, 0)
    assert.ok(taken !== undefined && !('endpoint' in taken))
  })

  test('does not enqueue changes from before the endpoint was created', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints, { createdAt: secondsAfter(5) })
    const [before, after] = [someChange(4), someChange(5)]
    await webhookDeliveries.enqueue([before, after])
    assert.deepEqual(
      (await takeAll(webhookDeliveries, secondsAfter(9))).map(({ subjectId, since }) => [subjectId, since]),
      [[after.messageId, endpoint.createdAt]],
    )
  })

  test('the first endpoint gets events from its creation on, also after there was none', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await webhookDeliveries.enqueue([someChange(1)])
    const first = await addEndpoint(endpoints)
    await webhookDeliveries.enqueue([someChange(2)])
    assert.equal((await takeAll(webhookDeliveries, secondsAfter(9))).length, 1)
    await endpoints.remove(first)
    await webhookDeliveries.enqueue([someChange(3)])
    await addEndpoint(endpoints)
    await webhookDeliveries.enqueue([someChange(4)])
    assert.equal((await takeAll(webhookDeliveries, secondsAfter(9))).length, 1)
  })

  test('accepts an empty list of changes', async () => {
    await using opened = await open()
    await addEndpoint(opened.endpoints)
    await opened.webhookDeliveries.enqueue([])
    assert.deepEqual(await takeAll(opened.webhookDeliveries, secondsAfter(9)), [])
  })
}

function enqueueAgainContract(open: OpenWebhookDeliveries): void {
  test('of repeated and unordered changes the newest counts', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const first = someChange(1)
    const at = (position: number) => ({ ...first, position: toPosition(position), at: secondsAfter(position) })
    await webhookDeliveries.enqueue([at(3), at(5), at(4)])
    assert.equal((await findDelivery(webhookDeliveries, keyOf(first, endpoint)))?.wantedThrough, 5)
    for (const position of [5, 4, 1]) await webhookDeliveries.enqueue([at(position)])
    const delivery = await findDelivery(webhookDeliveries, keyOf(first, endpoint))
    assert.deepEqual([delivery?.state, delivery?.wantedThrough, delivery?.updatedAt], ['pending', 5, secondsAfter(5)])
    await webhookDeliveries.enqueue([at(6)])
    assert.equal((await findDelivery(webhookDeliveries, keyOf(first, endpoint)))?.wantedThrough, 6)
  })

  test('does not enqueue delivered events again, and enqueues new ones', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const change = someChange(3)
    const key = keyOf(change, endpoint)
    await webhookDeliveries.enqueue([change])
    const [taken] = await takeAll(webhookDeliveries, secondsAfter(3))
    await webhookDeliveries.complete(taken ?? key, {
      kind: 'delivered',
      through: toPosition(5),
      status: 204,
      at: secondsAfter(4),
    })
    const delivered = await findDelivery(webhookDeliveries, key)
    assert.deepEqual([delivered?.state, delivered?.deliveredThrough, delivered?.wantedThrough], ['delivered', 5, 5])
    for (const position of [3, 4, 5])
      await webhookDeliveries.enqueue([{ ...change, position: toPosition(position), at: secondsAfter(9) }])
    assert.deepEqual(await findDelivery(webhookDeliveries, key), delivered)
    await webhookDeliveries.enqueue([{ ...change, position: toPosition(6), at: secondsAfter(6) }])
    const more = await findDelivery(webhookDeliveries, key)
    assert.deepEqual(
      [more?.state, more?.deliveredThrough, more?.wantedThrough, more?.dueAt],
      ['pending', 5, 6, secondsAfter(6)],
    )
    assert.equal((await takeAll(webhookDeliveries, secondsAfter(6))).length, 1)
  })

  test('a new event neither hurries a scheduled retry nor ends a lease', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const change = someChange(1)
    const key = keyOf(change, endpoint)
    await webhookDeliveries.enqueue([change])
    await takeAll(webhookDeliveries, secondsAfter(1))
    await webhookDeliveries.enqueue([{ ...change, position: toPosition(2) }])
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(9)), [])
    await webhookDeliveries.complete(key, {
      kind: 'failed',
      error: 'not now',
      at: secondsAfter(2),
      again: secondsAfter(60),
    })
    await webhookDeliveries.enqueue([{ ...change, position: toPosition(3) }])
    const waiting = await findDelivery(webhookDeliveries, key)
    assert.deepEqual([waiting?.wantedThrough, waiting?.failures, waiting?.dueAt], [3, 1, secondsAfter(60)])
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(59)), [])
    assert.equal((await takeAll(webhookDeliveries, secondsAfter(60))).length, 1)
  })

  test('a failed delivery starts again with the next event', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const change = someChange(1)
    const key = keyOf(change, endpoint)
    await webhookDeliveries.enqueue([change])
    await takeAll(webhookDeliveries, secondsAfter(1))
    await webhookDeliveries.complete(key, { kind: 'failed', error: 'never', at: secondsAfter(2) })
    await webhookDeliveries.enqueue([change])
    assert.equal((await findDelivery(webhookDeliveries, key))?.state, 'failed')
    await webhookDeliveries.enqueue([{ ...change, position: toPosition(2), at: secondsAfter(8) }])
    const again = await findDelivery(webhookDeliveries, key)
    assert.deepEqual(
      [again?.state, again?.failures, again?.deliveredThrough, again?.dueAt],
      ['pending', 0, 0, secondsAfter(8)],
    )
  })

  test('stores deliveries of a disabled endpoint, and leases them only after it is enabled and they are resumed', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints, { disabled: 'by_hand' })
    const change = someChange(1)
    await webhookDeliveries.enqueue([change])
    const stored = await findDelivery(webhookDeliveries, keyOf(change, endpoint))
    assert.ok(stored?.state === 'pending' && !('dueAt' in stored))
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(9)), [])
    const { disabled: _, ...enabled } = endpoint
    await endpoints.change(enabled)
    await webhookDeliveries.resume(stored, secondsAfter(9))
    assert.deepEqual(
      (await takeAll(webhookDeliveries, secondsAfter(9))).map(({ subjectId }) => subjectId),
      [change.messageId],
    )
  })
}

function takeContract(open: OpenWebhookDeliveries): void {
  test('a leased delivery is not leased again before the lease ends', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await addEndpoint(endpoints)
    await webhookDeliveries.enqueue([someChange(1), someChange(2), someChange(3)])
    const taken = await webhookDeliveries.take(secondsAfter(2), secondsAfter(30), 10, 10)
    assert.equal(taken.length, 2)
    assert.equal((await webhookDeliveries.take(secondsAfter(3), secondsAfter(31), 10, 10)).length, 1)
    assert.deepEqual(await webhookDeliveries.take(secondsAfter(29), secondsAfter(60), 10, 10), [])
    assert.equal((await webhookDeliveries.take(secondsAfter(30), secondsAfter(60), 10, 10)).length, 2)
  })

  test('leases at most as many as requested, and at most the given number per endpoint', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const [busy, idle] = [await addEndpoint(endpoints), await addEndpoint(endpoints, { accountId: 'k' as AccountId })]
    const changes = Array.from({ length: 12 }, (_, nth) => someChange(nth + 1))
    const other = someChange(20, { accountId: idle.accountId })
    await webhookDeliveries.enqueue([...changes, other])
    const take = async (max: number, each: number) =>
      (await webhookDeliveries.take(secondsAfter(30), secondsAfter(90), max, each)).map(({ delivery }) => delivery)
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
        at: secondsAfter(31),
      })
    }
    assert.equal((await take(10, 5)).length, 2)
  })

  test('endpoints take turns: one with many deliveries does not delay the others', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await addEndpoint(endpoints)
    await webhookDeliveries.enqueue(Array.from({ length: 30 }, (_, nth) => someChange(nth + 1)))
    const accounts = ['a', 'b', 'c'] as AccountId[]
    for (const accountId of accounts) await addEndpoint(endpoints, { accountId })
    await webhookDeliveries.enqueue(accounts.map((accountId, nth) => someChange(40 + nth, { accountId })))
    const taken = await webhookDeliveries.take(secondsAfter(60), LEASE_END, 5, 10)
    const counts = Map.groupBy(taken, ({ delivery }) => delivery.accountId)
    assert.deepEqual(
      ['shop', ...accounts].map((account) => counts.get(account as AccountId)?.length),
      [2, 1, 1, 1],
    )
  })

  test('concurrent workers never lease the same delivery', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await addEndpoint(endpoints)
    await addEndpoint(endpoints)
    await webhookDeliveries.enqueue(Array.from({ length: 40 }, (_, nth) => someChange(nth + 1)))
    const batches = await Promise.all(
      Array.from({ length: 8 }, () => webhookDeliveries.take(secondsAfter(60), LEASE_END, 10, 20)),
    )
    const rest = await takeAll(webhookDeliveries, secondsAfter(60))
    const taken = [...batches.flat().map(({ delivery }) => delivery), ...rest]
    const names = taken.map(({ subjectId, endpointId }) => `${subjectId} ${endpointId}`)
    assert.equal(new Set(names).size, names.length)
    assert.equal(names.length, 80)
  })

  test('a released delivery is unchanged and can be leased at once', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const change = someChange(1)
    await webhookDeliveries.enqueue([change])
    const [taken] = await takeAll(webhookDeliveries, secondsAfter(1))
    await webhookDeliveries.release({ ...keyOf(change, endpoint), tenantId: tenant('south') }, secondsAfter(2))
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(2)), [])
    await webhookDeliveries.release(keyOf(change, endpoint), secondsAfter(2))
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(2)), [taken])
    assert.deepEqual(await webhookDeliveries.take(NOON, LEASE_END, 10, 10), [])
  })
}
