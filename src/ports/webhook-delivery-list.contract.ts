/** How notices are listed and forgotten. Run with notices.contract.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '../domain/ids.ts'
import { later } from '../lib/time.ts'
import { tenant } from './samples.contract.ts'
import { NOTICES_KEPT_FOR, type Notice, type NoticeQuery, type Notices } from './webhook-deliveries.ts'
import {
  addEndpoint,
  keyOf,
  LEASE_END,
  NORTH_SHOP,
  type OpenNotices,
  place,
  someChange,
  soon,
  takeAll,
} from './webhook-delivery-samples.contract.ts'

async function listAll(notices: Notices, query: Omit<NoticeQuery, 'cursor'>): Promise<readonly Notice[]> {
  const { notices: page, nextCursor } = await notices.list(query)
  const all = [...page]
  for (let cursor = nextCursor; cursor !== undefined; ) {
    const next = await notices.list({ ...query, cursor })
    assert.ok(next.notices.length > 0 && next.notices.length <= query.limit)
    all.push(...next.notices)
    cursor = next.nextCursor
  }
  return all
}

export function noticeListContract(open: OpenNotices): void {
  test('they are listed newest change first, by endpoint, by message and by state', async () => {
    await using opened = await open()
    const { endpoints, notices } = opened
    const [one, other] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
    const changes = [1, 2, 3].map((position) => someChange(position))
    await notices.want(changes)
    const [first] = changes
    assert.ok(first !== undefined)
    await takeAll(notices, soon(3))
    await notices.settle(keyOf(first, one), { kind: 'told', through: place(1), status: 200, at: soon(9) })
    const messages = async (wanted: Partial<NoticeQuery>) =>
      (await notices.list({ ...NORTH_SHOP, limit: 10, ...wanted })).notices.map(
        ({ messageId }) => changes.findIndex((change) => change.messageId === messageId) + 1,
      )
    assert.deepEqual(await messages({ endpointId: one.id }), [1, 3, 2])
    assert.deepEqual(await messages({ endpointId: other.id }), [3, 2, 1])
    assert.deepEqual(await messages({ endpointId: one.id, state: 'told' }), [1])
    assert.deepEqual(await messages({ endpointId: one.id, state: 'pending' }), [3, 2])
    assert.deepEqual(await messages({ messageId: first.messageId }), [1, 1])
    assert.deepEqual(await messages({ messageId: first.messageId, state: 'given_up' }), [])
    assert.deepEqual(await messages({}), [1, 3, 3, 2, 2, 1])
  })

  test('a tenant is told nothing of another’s, nor an account', async () => {
    await using opened = await open()
    const { endpoints, notices } = opened
    const endpoint = await addEndpoint(endpoints)
    const change = someChange(1)
    await notices.want([change])
    for (const other of [{ tenantId: tenant('south') }, { accountId: 'kiosk' as AccountId }]) {
      assert.deepEqual(await notices.list({ ...keyOf(change, endpoint), ...other, limit: 10 }), { notices: [] })
    }
  })

  test('page by page all are listed once, also those that changed at the same time', async () => {
    await using opened = await open()
    const { endpoints, notices } = opened
    const { id: endpointId } = await addEndpoint(endpoints)
    await notices.want(Array.from({ length: 23 }, (_, nth) => someChange(nth + 1, { at: soon(nth % 4) })))
    for (const limit of [1, 5, 22, 23]) {
      const all = await listAll(notices, { ...NORTH_SHOP, endpointId, limit })
      assert.equal(new Set(all.map(({ messageId }) => messageId)).size, 23)
      assert.equal(all.length, 23)
      const times = all.map(({ updatedAt }) => updatedAt)
      assert.deepEqual(
        times,
        times.toSorted((one, other) => other - one),
      )
    }
    assert.ok(!('nextCursor' in (await notices.list({ ...NORTH_SHOP, endpointId, limit: 23 }))))
  })

  test('a cursor nobody gave out names no page', async () => {
    await using opened = await open()
    await addEndpoint(opened.endpoints)
    await opened.notices.want([someChange(1)])
    for (const cursor of ['', '.', 'x', `'; drop table notices`, '9999999999999999999999999999']) {
      assert.deepEqual(await opened.notices.list({ ...NORTH_SHOP, limit: 10, cursor }), { notices: [] })
    }
  })

  test('those that are old enough to be forgotten are told to nobody, also if they are wanted again', async () => {
    await using opened = await open()
    const { endpoints, notices } = opened
    await addEndpoint(endpoints)
    const [old, recent] = [someChange(1), someChange(2)]
    await notices.want([old, recent])
    const [oldest, end] = [later(recent.at, NOTICES_KEPT_FOR), later(LEASE_END, NOTICES_KEPT_FOR)]
    while (await notices.forget(recent.at));
    await notices.want([old])
    const taken = await notices.take(oldest, end, 10, 1)
    assert.deepEqual(
      taken.map(({ notice }) => notice.messageId),
      [recent.messageId],
    )
  })

  test('those that have not changed for long are forgotten, a few at a time', async () => {
    await using opened = await open()
    const { endpoints, notices } = opened
    await addEndpoint(endpoints)
    await notices.want(Array.from({ length: 1_300 }, (_, nth) => someChange(nth + 1)))
    let rounds = 1
    while (await notices.forget(soon(1_298))) rounds += 1
    assert.ok(rounds > 1)
    const left = await listAll(notices, { ...NORTH_SHOP, limit: 10 })
    assert.deepEqual(
      left.map(({ wanted }) => wanted),
      [1_300, 1_299, 1_298],
    )
    assert.equal(await notices.forget(soon(1_298)), false)
  })
}
