/** Listing and deleting webhook deliveries. Run by webhook-deliveries.contract.ts. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '../domain/ids.ts'
import { later } from '../lib/time.ts'
import { MalformedCursor } from './malformed-cursor.ts'
import { tenant } from './samples.contract.ts'
import {
  DELIVERIES_KEPT_FOR,
  type WebhookDeliveries,
  type WebhookDelivery,
  type WebhookDeliveryQuery,
} from './webhook-deliveries.ts'
import {
  addEndpoint,
  keyOf,
  LEASE_END,
  NORTH_SHOP,
  type OpenWebhookDeliveries,
  secondsAfter,
  someChange,
  takeAll,
  toPosition,
} from './webhook-delivery-samples.contract.ts'

async function listAll(
  webhookDeliveries: WebhookDeliveries,
  query: Omit<WebhookDeliveryQuery, 'cursor'>,
): Promise<readonly WebhookDelivery[]> {
  const { webhookDeliveries: page, nextCursor } = await webhookDeliveries.list(query)
  const all = [...page]
  for (let cursor = nextCursor; cursor !== undefined; ) {
    const next = await webhookDeliveries.list({ ...query, cursor })
    assert.ok(next.webhookDeliveries.length > 0 && next.webhookDeliveries.length <= query.limit)
    all.push(...next.webhookDeliveries)
    cursor = next.nextCursor
  }
  return all
}

export function webhookDeliveryListContract(open: OpenWebhookDeliveries): void {
  test('lists deliveries newest change first, by endpoint, by message and by state', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const [one, other] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
    const changes = [1, 2, 3].map((position) => someChange(position))
    await webhookDeliveries.enqueue(changes)
    const [first] = changes
    assert.ok(first !== undefined)
    await takeAll(webhookDeliveries, secondsAfter(3))
    await webhookDeliveries.complete(keyOf(first, one), {
      kind: 'delivered',
      through: toPosition(1),
      status: 200,
      at: secondsAfter(9),
    })
    const messages = async (wanted: Partial<WebhookDeliveryQuery>) =>
      (await webhookDeliveries.list({ ...NORTH_SHOP, limit: 10, ...wanted })).webhookDeliveries.map(
        ({ subjectId }) => changes.findIndex((change) => change.messageId === subjectId) + 1,
      )
    assert.deepEqual(await messages({ endpointId: one.id }), [1, 3, 2])
    assert.deepEqual(await messages({ endpointId: other.id }), [3, 2, 1])
    assert.deepEqual(await messages({ endpointId: one.id, state: 'delivered' }), [1])
    assert.deepEqual(await messages({ endpointId: one.id, state: 'pending' }), [3, 2])
    assert.deepEqual(await messages({ subjectId: first.messageId }), [1, 1])
    assert.deepEqual(await messages({ subjectId: first.messageId, state: 'failed' }), [])
    assert.deepEqual(await messages({}), [1, 3, 3, 2, 2, 1])
  })

  test('does not share deliveries between tenants or accounts', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const change = someChange(1)
    await webhookDeliveries.enqueue([change])
    for (const other of [{ tenantId: tenant('south') }, { accountId: 'kiosk' as AccountId }]) {
      assert.deepEqual(await webhookDeliveries.list({ ...keyOf(change, endpoint), ...other, limit: 10 }), {
        webhookDeliveries: [],
      })
    }
  })

  test('lists all once, page by page, also with equal times', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const { id: endpointId } = await addEndpoint(endpoints)
    await webhookDeliveries.enqueue(
      Array.from({ length: 23 }, (_, nth) => someChange(nth + 1, { at: secondsAfter(nth % 4) })),
    )
    for (const limit of [1, 5, 22, 23]) {
      const all = await listAll(webhookDeliveries, { ...NORTH_SHOP, endpointId, limit })
      assert.equal(new Set(all.map(({ subjectId }) => subjectId)).size, 23)
      assert.equal(all.length, 23)
      const times = all.map(({ updatedAt }) => updatedAt)
      assert.deepEqual(
        times,
        times.toSorted((one, other) => other - one),
      )
    }
    assert.ok(!('nextCursor' in (await webhookDeliveries.list({ ...NORTH_SHOP, endpointId, limit: 23 }))))
  })

  test('refuses a malformed cursor', async () => {
    await using opened = await open()
    await addEndpoint(opened.endpoints)
    await opened.webhookDeliveries.enqueue([someChange(1)])
    for (const cursor of ['', '.', 'x', `'; drop table webhook_deliveries`, '9999999999999999999999999999']) {
      await assert.rejects(opened.webhookDeliveries.list({ ...NORTH_SHOP, limit: 10, cursor }), MalformedCursor)
    }
  })

  test('does not lease deliveries that are old enough to be deleted, even when enqueued again', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await addEndpoint(endpoints)
    const [old, recent] = [someChange(1), someChange(2)]
    await webhookDeliveries.enqueue([old, recent])
    const [oldest, end] = [later(recent.at, DELIVERIES_KEPT_FOR), later(LEASE_END, DELIVERIES_KEPT_FOR)]
    while (await webhookDeliveries.forget(recent.at));
    await webhookDeliveries.enqueue([old])
    const taken = await webhookDeliveries.take(oldest, end, 10, 1)
    assert.deepEqual(
      taken.map(({ delivery }) => delivery.subjectId),
      [recent.messageId],
    )
  })

  test('deletes deliveries that have not changed for long, a few at a time', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await addEndpoint(endpoints)
    await webhookDeliveries.enqueue(Array.from({ length: 1_300 }, (_, nth) => someChange(nth + 1)))
    let rounds = 1
    while (await webhookDeliveries.forget(secondsAfter(1_298))) rounds += 1
    assert.ok(rounds > 1)
    const left = await listAll(webhookDeliveries, { ...NORTH_SHOP, limit: 10 })
    assert.deepEqual(
      left.map(({ wantedThrough }) => wantedThrough),
      [1_300, 1_299, 1_298],
    )
    assert.equal(await webhookDeliveries.forget(secondsAfter(1_298)), false)
  })
}
