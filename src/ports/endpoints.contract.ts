/** The tests every store of endpoints must pass: of those who change one at once one does, and a failing one is disabled once. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AccountId, EndpointId } from '../domain/ids.ts'
import { later, millis } from '../lib/time.ts'
import { hours, NOON, tenant } from './samples.contract.ts'
import {
  addEndpoint,
  NORTH_SHOP,
  type OpenWebhookDeliveries,
  someChange,
  someEndpoint,
  soon,
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
  test('one that was added is known as it is, and a second of its id is not taken', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const plain = someEndpoint()
    const full = someEndpoint({
      description: 'Olá "there"',
      events: ['message.delivered', 'message.failed'],
      secretVersion: 3,
      previousSecretUntil: soon(60),
      disabled: 'by_hand',
      updatedAt: soon(1),
    })
    for (const wanted of [plain, full]) {
      assert.equal(await endpoints.find(wanted), undefined)
      assert.deepEqual(await endpoints.add(wanted), { ...wanted, version: 1 })
      assert.equal(await endpoints.add({ ...wanted, url: 'https://other.example' }), undefined)
      assert.deepEqual(await endpoints.find(wanted), { ...wanted, version: 1 })
    }
  })

  test('one that comes from elsewhere keeps its version', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const moved = { ...someEndpoint(), version: 7 }
    assert.deepEqual(await endpoints.add(moved), moved)
    assert.equal((await endpoints.change({ ...moved, url: 'https://other.example' }))?.version, 8)
  })

  test('they are listed oldest first, of one account or of all', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const ids = ['c', 'a', 'b'] as EndpointId[]
    for (const [nth, id] of ids.entries()) await addEndpoint(endpoints, { id, createdAt: soon(nth) })
    const elsewhere = { ...NORTH_SHOP, accountId: 'kiosk' as AccountId }
    const abroad = { ...NORTH_SHOP, tenantId: tenant('south') }
    for (const [nth, of] of [elsewhere, abroad].entries()) {
      await addEndpoint(endpoints, { ...of, id: 'a' as EndpointId, createdAt: soon(10 + nth) })
    }
    const listed = async (of?: typeof elsewhere) => (await endpoints.list(of)).map(({ id }) => id)
    assert.deepEqual(await listed(NORTH_SHOP), ids)
    assert.deepEqual([await listed(elsewhere), await listed(abroad)], [['a'], ['a']])
    assert.deepEqual(await listed({ ...abroad, accountId: elsewhere.accountId }), [])
    assert.deepEqual(await listed(), ['c', 'a', 'b', 'a', 'a'])
  })

  test('a tenant has nothing of another, and an account nothing of another', async () => {
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
  test('a change takes the place of the version it knows, which may lose what it had', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const { description: _, ...before } = await addEndpoint(endpoints, { description: 'the old one' })
    const wanted = { ...before, url: 'https://new.example', events: ['message.sent'] as const, updatedAt: soon(5) }
    const changed = await endpoints.change({ ...wanted, createdAt: soon(9) })
    assert.deepEqual(changed, { ...wanted, version: before.version + 1 })
    assert.deepEqual(await endpoints.find(before), changed)
    assert.equal(await endpoints.change({ ...wanted, url: 'https://late.example' }), undefined)
    assert.equal(await endpoints.change({ ...wanted, id: 'nobody' as EndpointId }), undefined)
    assert.deepEqual(await endpoints.find(before), changed)
  })

  test(`of ${AT_ONCE} who change one version at once one does`, async () => {
    await using opened = await open()
    const { endpoints } = opened
    const before = await addEndpoint(endpoints)
    const changed = await times(AT_ONCE, (nth) => endpoints.change({ ...before, url: `https://${nth}.example` }))
    const [winner, ...others] = changed.filter((one) => one !== undefined)
    assert.deepEqual(others, [])
    assert.deepEqual(await endpoints.find(before), winner)
  })

  test('a change leaves it as failing as it is, and one that is enabled again begins anew', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const added = await addEndpoint(endpoints)
    await endpoints.judge(added, { kind: 'failing', at: soon(3), longestFailing: NOON })
    const renamed = await endpoints.change({ ...added, description: 'still failing' })
    assert.equal(renamed?.failingSince, soon(3))
    const disabled = await endpoints.change({ ...renamed, disabled: 'by_hand' })
    assert.deepEqual([disabled?.failingSince, disabled?.disabled], [soon(3), 'by_hand'])
    const { disabled: _, ...enabled } = disabled ?? renamed
    const anew = await endpoints.change(enabled)
    assert.ok(anew !== undefined && !('failingSince' in anew) && !('disabled' in anew))
    assert.deepEqual(await endpoints.find(added), anew)
  })
}

function removingContract(open: OpenWebhookDeliveries): void {
  test('one that was removed is gone with its webhook deliveries, and another of its id begins with none', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const [removed, kept] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
    await webhookDeliveries.enqueue([someChange(1, { hasCallback: true }), someChange(2)])
    assert.deepEqual([await endpoints.remove(removed), await endpoints.remove(removed)], [true, false])
    assert.deepEqual(await endpoints.list(NORTH_SHOP), [kept])
    const left = async () =>
      (await webhookDeliveries.list({ ...NORTH_SHOP, limit: 10 })).webhookDeliveries
        .map(({ endpointId }) => endpointId)
        .toSorted()
    const expected = ['callback', kept.id, kept.id].toSorted()
    assert.deepEqual(await left(), expected)
    await addEndpoint(endpoints, { id: removed.id })
    assert.deepEqual(await left(), expected)
  })

  test('what is told to the callbacks of messages is nobody’s to remove', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await webhookDeliveries.enqueue([someChange(1, { hasCallback: true })])
    assert.equal(await endpoints.remove({ ...NORTH_SHOP, id: 'callback' as EndpointId }), false)
    assert.equal((await webhookDeliveries.list({ ...NORTH_SHOP, limit: 10 })).webhookDeliveries.length, 1)
  })

  test('however many webhook deliveries one has, all go with it', async () => {
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
    const at = soon(after)
    return { kind: 'failing', at, longestFailing: later(at, millis(-hours(1))) } as const
  }
  const HOUR = 3_600

  test('it is failing since the first of its failures, until it is well', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const added = await addEndpoint(endpoints)
    for (const after of [1, 2, 1 + HOUR]) assert.equal(await endpoints.judge(added, failing(after)), undefined)
    assert.deepEqual(await endpoints.find(added), { ...added, failingSince: soon(1) })
    assert.equal(await endpoints.judge(added, { kind: 'well' }), undefined)
    assert.deepEqual(await endpoints.find(added), added)
    assert.equal(await endpoints.judge(added, failing(2 + HOUR)), undefined)
    assert.deepEqual(await endpoints.find(added), { ...added, failingSince: soon(2 + HOUR) })
  })

  test('what has failed for too long is disabled, by one of all who find it so', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const added = await addEndpoint(endpoints)
    await endpoints.judge(added, failing(1))
    const said = await times(AT_ONCE, () => endpoints.judge(added, failing(2 + HOUR)))
    assert.deepEqual(
      said.filter((reason) => reason !== undefined),
      ['failing'],
    )
    const { disabled, failingSince } = (await endpoints.find(added)) ?? {}
    assert.deepEqual([disabled, failingSince], ['failing', soon(1)])
  })

  test('one that is gone is disabled at once, and whatever is found of a disabled one changes nothing', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const [gone, stopped] = [await addEndpoint(endpoints), await addEndpoint(endpoints, { disabled: 'by_hand' })]
    assert.equal(await endpoints.judge(gone, { kind: 'gone' }), 'gone')
    const known = await endpoints.list(NORTH_SHOP)
    assert.deepEqual(known.map(({ disabled }) => disabled).toSorted(), ['by_hand', 'gone'])
    for (const finding of [failing(1), failing(2 + HOUR), { kind: 'gone' }, { kind: 'well' }] as const) {
      for (const endpoint of [gone, stopped]) assert.equal(await endpoints.judge(endpoint, finding), undefined)
    }
    assert.deepEqual(await endpoints.list(NORTH_SHOP), known)
    assert.equal(await endpoints.judge(someEndpoint(), failing(1)), undefined)
  })

  test('who did not know that it was disabled does not enable it by a change', async () => {
    await using opened = await open()
    const { endpoints } = opened
    const added = await addEndpoint(endpoints)
    await endpoints.judge(added, { kind: 'gone' })
    assert.equal(await endpoints.change({ ...added, description: 'renamed' }), undefined)
    assert.equal((await endpoints.find(added))?.disabled, 'gone')
  })
}
