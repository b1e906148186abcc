/** The tests every store of endpoints must pass: concurrent changes have one winner, and a failing endpoint is disabled once. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AccountId, EndpointId } from '../domain/ids.ts'
import { later, millis } from '../lib/time.ts'
import { hours, NOON, tenant } from './samples.contract.ts'
import {
  addEndpoint,
  NORTH_SHOP,
  type OpenWebhookDeliveries,
  secondsAfter,
  someChange,
  someEndpoint,
} from './webhook-delivery-samples.contract.ts'

const AT_ONCE = 50

const times = <Value>(count: number, act: (nth: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, nth) => act(nth)))

export function endpointsContract(engine: string, open: OpenWebhookDeliveries): void {
  describe(`endpoints on ${engine}`, { timeout: 120_000 }, () => {
    addingContract(open)
    changingContract(open)
    removingContract(open)
    judgingContract(open)
  })
}

function addingContract(open: OpenWebhookDeliveries): void {
  test('stores an endpoint as given, and rejects a second one with the same id', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const plain = someEndpoint()
    const full = someEndpoint({
      description: 'Olá "there"',
      events: ['message.delivered', 'message.failed'],
      secretVersion: 3,
      previousSecretUntil: secondsAfter(60),
      disabled: 'by_hand',
      updatedAt: secondsAfter(1),
    })
    for (const wanted of [plain, full]) {
      assert.equal(await endpoints.find(wanted), undefined)
      assert.deepEqual(await endpoints.add(wanted), { ...wanted, version: 1 })
      assert.equal(await endpoints.add({ ...wanted, url: 'https://other.example' }), undefined)
      assert.deepEqual(await endpoints.find(wanted), { ...wanted, version: 1 })
    }
  })

  test('an imported endpoint keeps its version', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const moved = { ...someEndpoint(), version: 7 }
    assert.deepEqual(await endpoints.add(moved), moved)
    assert.equal((await endpoints.change({ ...moved, url: 'https://other.example' }))?.version, 8)
  })

  test('lists endpoints oldest first, of one account or of all', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const ids = ['c', 'a', 'b'] as EndpointId[]
    for (const [nth, id] of ids.entries()) await addEndpoint(endpoints, { id, createdAt: secondsAfter(nth) })
    const otherAccount = { ...NORTH_SHOP, accountId: 'kiosk' as AccountId }
    const otherTenant = { ...NORTH_SHOP, tenantId: tenant('south') }
    for (const [nth, of] of [otherAccount, otherTenant].entries()) {
      await addEndpoint(endpoints, { ...of, id: 'a' as EndpointId, createdAt: secondsAfter(10 + nth) })
    }
    const listed = async (of?: typeof otherAccount) => (await endpoints.list(of)).map(({ id }) => id)
    assert.deepEqual(await listed(NORTH_SHOP), ids)
    assert.deepEqual([await listed(otherAccount), await listed(otherTenant)], [['a'], ['a']])
    assert.deepEqual(await listed({ ...otherTenant, accountId: otherAccount.accountId }), [])
    assert.deepEqual(await listed(), ['c', 'a', 'b', 'a', 'a'])
  })

  test('does not share endpoints between tenants or accounts', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const mine = await addEndpoint(endpoints)
    for (const other of [{ tenantId: tenant('south') }, { accountId: 'kiosk' as AccountId }]) {
      assert.equal(await endpoints.find({ ...mine, ...other }), undefined)
      assert.equal(await endpoints.change({ ...mine, ...other, url: 'https://other.example' }), undefined)
      assert.equal(await endpoints.remove({ ...mine, ...other }), false)
      assert.equal(await endpoints.judge({ ...mine, ...other }, { kind: 'gone' }), undefined)
    }
    assert.deepEqual(await endpoints.find(mine), mine)
  })
}

function changingContract(open: OpenWebhookDeliveries): void {
  test('a change replaces the version it carries, and removes fields it does not contain', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const { description: _, ...before } = await addEndpoint(endpoints, { description: 'the old one' })
    const wanted = {
      ...before,
      url: 'https://new.example',
      events: ['message.sent'] as const,
      updatedAt: secondsAfter(5),
    }
    const changed = await endpoints.change({ ...wanted, createdAt: secondsAfter(9) })
    assert.deepEqual(changed, { ...wanted, version: before.version + 1 })
    assert.deepEqual(await endpoints.find(before), changed)
    assert.equal(await endpoints.change({ ...wanted, url: 'https://late.example' }), undefined)
    assert.equal(await endpoints.change({ ...wanted, id: 'nobody' as EndpointId }), undefined)
    assert.deepEqual(await endpoints.find(before), changed)
  })

  test(`of ${AT_ONCE} concurrent changes of one version exactly one wins`, async () => {
    await using opened = await open()
    const { endpoints } = opened
    const before = await addEndpoint(endpoints)
    const changed = await times(AT_ONCE, (nth) => endpoints.change({ ...before, url: `https://${nth}.example` }))
    const [winner, ...others] = changed.filter((one) => one !== undefined)
    assert.deepEqual(others, [])
    assert.deepEqual(await endpoints.find(before), winner)
  })

  test('a change keeps failingSince, and enabling the endpoint resets it', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const added = await addEndpoint(endpoints)
    await endpoints.judge(added, { kind: 'failing', at: secondsAfter(3), longestFailing: NOON })
    const renamed = await endpoints.change({ ...added, description: 'still failing' })
    assert.equal(renamed?.failingSince, secondsAfter(3))
    const disabled = await endpoints.change({ ...renamed, disabled: 'by_hand' })
    assert.deepEqual([disabled?.failingSince, disabled?.disabled], [secondsAfter(3), 'by_hand'])
    const { disabled: _, ...enabled } = disabled ?? renamed
    const reenabled = await endpoints.change(enabled)
    assert.ok(reenabled !== undefined && !('failingSince' in reenabled) && !('disabled' in reenabled))
    assert.deepEqual(await endpoints.find(added), reenabled)
  })
}

function removingContract(open: OpenWebhookDeliveries): void {
  test('removing an endpoint deletes its webhook deliveries, and a new one with the same id starts without any', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const [removed, remaining] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
    await webhookDeliveries.enqueue([someChange(1, { hasCallback: true }), someChange(2)])
    assert.deepEqual([await endpoints.remove(removed), await endpoints.remove(removed)], [true, false])
    assert.deepEqual(await endpoints.list(NORTH_SHOP), [remaining])
    const remainingIds = async () =>
      (await webhookDeliveries.list({ ...NORTH_SHOP, limit: 10 })).webhookDeliveries
        .map(({ endpointId }) => endpointId)
        .toSorted()
    const expected = ['callback', remaining.id, remaining.id].toSorted()
    assert.deepEqual(await remainingIds(), expected)
    await addEndpoint(endpoints, { id: removed.id })
    assert.deepEqual(await remainingIds(), expected)
  })

  test('deliveries to the callback URLs of messages cannot be removed', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await webhookDeliveries.enqueue([someChange(1, { hasCallback: true })])
    assert.equal(await endpoints.remove({ ...NORTH_SHOP, id: 'callback' as EndpointId }), false)
    assert.equal((await webhookDeliveries.list({ ...NORTH_SHOP, limit: 10 })).webhookDeliveries.length, 1)
  })

  test('removes any number of webhook deliveries with their endpoint', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    await webhookDeliveries.enqueue(Array.from({ length: 2_500 }, (_, nth) => someChange(nth + 1)))
    assert.equal(await endpoints.remove(endpoint), true)
    await addEndpoint(endpoints, { id: endpoint.id })
    assert.deepEqual(await webhookDeliveries.list({ ...NORTH_SHOP, limit: 10 }), { webhookDeliveries: [] })
  })
}

function judgingContract(open: OpenWebhookDeliveries): void {
  const failing = (after: number) => {
    const at = secondsAfter(after)
    return { kind: 'failing', at, longestFailing: later(at, millis(-hours(1))) } as const
  }
  const HOUR = 3_600

  test('an endpoint is failing since its first failure, until a delivery succeeds', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const added = await addEndpoint(endpoints)
    for (const after of [1, 2, 1 + HOUR]) assert.equal(await endpoints.judge(added, failing(after)), undefined)
    assert.deepEqual(await endpoints.find(added), { ...added, failingSince: secondsAfter(1) })
    assert.equal(await endpoints.judge(added, { kind: 'well' }), undefined)
    assert.deepEqual(await endpoints.find(added), added)
    assert.equal(await endpoints.judge(added, failing(2 + HOUR)), undefined)
    assert.deepEqual(await endpoints.find(added), { ...added, failingSince: secondsAfter(2 + HOUR) })
  })

  test('of concurrent callers exactly one disables an endpoint that has failed for too long', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const added = await addEndpoint(endpoints)
    await endpoints.judge(added, failing(1))
    const reasons = await times(AT_ONCE, () => endpoints.judge(added, failing(2 + HOUR)))
    assert.deepEqual(
      reasons.filter((reason) => reason !== undefined),
      ['failing'],
    )
    const { disabled, failingSince } = (await endpoints.find(added)) ?? {}
    assert.deepEqual([disabled, failingSince], ['failing', secondsAfter(1)])
  })

  test('an endpoint that is gone is disabled at once, and later results do not change a disabled one', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const [gone, stopped] = [await addEndpoint(endpoints), await addEndpoint(endpoints, { disabled: 'by_hand' })]
    assert.equal(await endpoints.judge(gone, { kind: 'gone' }), 'gone')
    const found = await endpoints.list(NORTH_SHOP)
    assert.deepEqual(found.map(({ disabled }) => disabled).toSorted(), ['by_hand', 'gone'])
    for (const finding of [failing(1), failing(2 + HOUR), { kind: 'gone' }, { kind: 'well' }] as const) {
      for (const endpoint of [gone, stopped]) assert.equal(await endpoints.judge(endpoint, finding), undefined)
    }
    assert.deepEqual(await endpoints.list(NORTH_SHOP), found)
    assert.equal(await endpoints.judge(someEndpoint(), failing(1)), undefined)
  })

  test('a change of an outdated version does not enable a disabled endpoint', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const added = await addEndpoint(endpoints)
    await endpoints.judge(added, { kind: 'gone' })
    assert.equal(await endpoints.change({ ...added, description: 'renamed' }), undefined)
    assert.equal((await endpoints.find(added))?.disabled, 'gone')
  })
}
