/** How notices are told, fail, are given up and replayed. Run with notices.contract.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageId } from '../domain/ids.ts'
import type { Endpoint } from '../domain/webhooks/endpoint.ts'
import type { Endpoints } from './endpoints.ts'
import { tenant } from './samples.contract.ts'
import type { Changed, Notice, NoticeKey, Notices } from './webhook-deliveries.ts'
import {
  addEndpoint,
  findNotice,
  keyOf,
  LEASE_END,
  lineOf,
  type OpenNotices,
  place,
  someChange,
  soon,
  takeAll,
} from './webhook-delivery-samples.contract.ts'

type InHand = Readonly<{ endpoint: Endpoint; change: Changed; key: NoticeKey; taken: Notice }>

/** One notice that wants to be told through 3, in hand. */
async function takeOne({ endpoints, notices }: Readonly<{ endpoints: Endpoints; notices: Notices }>): Promise<InHand> {
  const endpoint = await addEndpoint(endpoints)
  const change = someChange(3)
  await notices.want([change])
  const [taken] = await takeAll(notices, soon(3))
  assert.ok(taken !== undefined)
  return { endpoint, change, key: keyOf(change, endpoint), taken }
}

export function noticeTellingContract(open: OpenNotices): void {
  tellingContract(open)
  failingContract(open)
  replayingContract(open)
  replayingManyContract(open)
}

function tellingContract(open: OpenNotices): void {
  test('one that was told all is told, and what went wrong before is forgotten', async () => {
    await using opened = await open()
    const { notices } = opened
    const { key, taken } = await takeOne(opened)
    await notices.settle(taken, { kind: 'failed', status: 500, error: 'answered 500', at: soon(4), again: soon(5) })
    await takeAll(notices, soon(5))
    await notices.settle(taken, { kind: 'told', through: place(3), status: 204, at: soon(6) })
    const { dueAt: _, ...rest } = taken
    const outcome = { state: 'told', told: 3, failures: 0, lastStatus: 204, triedAt: soon(6), updatedAt: soon(6) }
    assert.deepEqual(await findNotice(notices, key), { ...rest, ...outcome })
    assert.deepEqual(await takeAll(notices, soon(99)), [])
  })

  test('one that has more to be told is due at once, or stays in the same hands until then', async () => {
    await using opened = await open()
    const { notices } = opened
    const { key, taken } = await takeOne(opened)
    await notices.settle(taken, { kind: 'told', through: place(1), status: 200, at: soon(4), until: soon(20) })
    const between = await findNotice(notices, key)
    assert.deepEqual([between?.state, between?.told, between?.wanted], ['pending', 1, 3])
    assert.deepEqual(await takeAll(notices, soon(19)), [])
    await notices.settle(taken, { kind: 'told', through: place(2), status: 200, at: soon(5) })
    assert.equal((await findNotice(notices, key))?.dueAt, soon(5))
    assert.deepEqual(
      (await takeAll(notices, soon(5))).map(({ told }) => told),
      [2],
    )
  })

  test('who goes on telling is not disturbed by news of what is in hand already', async () => {
    await using opened = await open()
    const { notices } = opened
    const { change, taken, key } = await takeOne(opened)
    await notices.settle(taken, { kind: 'told', through: place(3), status: 200, at: soon(4), until: soon(20) })
    await notices.want([{ ...change, position: place(4), at: soon(4) }])
    assert.deepEqual(await takeAll(notices, soon(19)), [])
    await notices.settle({ ...taken, told: place(3) }, { kind: 'told', through: place(4), status: 200, at: soon(5) })
    assert.equal((await findNotice(notices, key))?.state, 'told')
    await notices.want([{ ...change, position: place(5), at: soon(6) }])
    assert.equal((await takeAll(notices, soon(6))).length, 1)
  })

  test('news that came while the last was told are not lost', async () => {
    await using opened = await open()
    const { notices } = opened
    const { change, taken } = await takeOne(opened)
    await notices.want([{ ...change, position: place(4), at: soon(4) }])
    await notices.settle(taken, { kind: 'told', through: place(3), status: 200, at: soon(5) })
    assert.deepEqual(
      (await takeAll(notices, soon(5))).map(({ told, wanted }) => [told, wanted]),
      [[3, 4]],
    )
  })

  test('what was passed over says nothing of the endpoint', async () => {
    await using opened = await open()
    const { notices } = opened
    const { key, taken } = await takeOne(opened)
    await notices.settle(taken, { kind: 'told', through: place(3), at: soon(4) })
    const told = await findNotice(notices, key)
    assert.equal(told?.state, 'told')
    assert.ok(!('triedAt' in told) && !('lastStatus' in told))
  })

  test('who comes late with what was told already changes nothing', async () => {
    await using opened = await open()
    const { notices } = opened
    const { key, taken } = await takeOne(opened)
    await notices.settle(taken, { kind: 'told', through: place(3), status: 200, at: soon(4) })
    const told = await findNotice(notices, key)
    await notices.settle(taken, { kind: 'told', through: place(2), status: 500, at: soon(9) })
    await notices.settle(taken, { kind: 'told', through: place(3), status: 500, at: soon(9) })
    await notices.settle(taken, { kind: 'failed', error: 'too late', at: soon(9), again: soon(10) })
    assert.deepEqual(await findNotice(notices, key), told)
  })

  test('nobody settles what is not theirs, or what there is not', async () => {
    await using opened = await open()
    const { notices } = opened
    const { key, taken } = await takeOne(opened)
    const told = { kind: 'told', through: place(3), status: 200, at: soon(4) } as const
    await notices.settle({ ...key, tenantId: tenant('south') }, told)
    await notices.settle({ ...key, messageId: 'c0a8e5f2-0000-4000-8000-000000000001' as MessageId }, told)
    assert.deepEqual(await findNotice(notices, key), taken)
  })
}

function failingContract(open: OpenNotices): void {
  test('one that failed is tried again when it is to be, and says why it failed', async () => {
    await using opened = await open()
    const { notices } = opened
    const { key, taken } = await takeOne(opened)
    const error = 'no answer in time'
    await notices.settle(taken, { kind: 'failed', status: 503, error: 'answered 503', at: soon(4), again: soon(9) })
    assert.deepEqual(await takeAll(notices, soon(8)), [])
    await takeAll(notices, soon(9))
    await notices.settle(taken, { kind: 'failed', error, at: soon(10), again: soon(40) })
    const failed = { failures: 2, dueAt: soon(40), lastError: error, triedAt: soon(10), updatedAt: soon(10) }
    assert.deepEqual(await findNotice(notices, key), { ...taken, ...failed })
    assert.deepEqual(await takeAll(notices, soon(39)), [])
    assert.equal((await takeAll(notices, soon(40))).length, 1)
  })

  test('one that is given up is not tried again', async () => {
    await using opened = await open()
    const { notices } = opened
    const { key, taken } = await takeOne(opened)
    await notices.settle(taken, { kind: 'failed', status: 500, error: 'answered 500', at: soon(4) })
    const known = await findNotice(notices, key)
    assert.ok(known?.state === 'given_up' && !('dueAt' in known))
    assert.deepEqual([known.failures, known.told, known.wanted], [1, 0, 3])
    assert.deepEqual(await takeAll(notices, soon(99)), [])
  })

  test('resuming makes what waits for its endpoint due, and leaves what is told, given up or in hand', async () => {
    await using opened = await open()
    const { endpoints, notices } = opened
    const endpoint = await addEndpoint(endpoints)
    const other = await addEndpoint(endpoints)
    const changes = [1, 2, 3, 4].map((position) => someChange(position))
    await notices.want(changes)
    const taken = await takeAll(notices, soon(9))
    const again = { kind: 'failed', error: 'not now', at: soon(9), again: soon(900) } as const
    for (const notice of taken) {
      const nth = changes.findIndex(({ messageId }) => messageId === notice.messageId)
      if (nth < 2) await notices.settle(notice, again)
      if (nth === 2) await notices.settle(notice, { kind: 'failed', error: 'never', at: soon(9) })
    }
    await notices.resume(lineOf(endpoint), soon(10))
    const due = await takeAll(notices, soon(10))
    assert.deepEqual(
      due.map(({ endpointId, failures }) => [endpointId, failures]),
      [
        [endpoint.id, 1],
        [endpoint.id, 1],
      ],
    )
    assert.equal((await findNotice(notices, keyOf(changes[0] ?? someChange(1), other)))?.dueAt, soon(900))
  })
}

function replayingContract(open: OpenNotices): void {
  test('a replay tells one message again from then on, whatever became of it', async () => {
    await using opened = await open()
    const { notices } = opened
    const { key, taken, endpoint } = await takeOne(opened)
    await notices.settle(taken, { kind: 'told', through: place(3), status: 200, at: soon(4) })
    const other = someChange(4)
    await notices.want([other])
    const [held] = await takeAll(notices, soon(4))
    assert.equal(await notices.replay({ ...key, tenantId: tenant('south') }, soon(1), soon(8)), 0)
    assert.equal(await notices.replay(key, soon(1), soon(8)), 1)
    const replayed = { state: 'pending', told: 0, wanted: 3, since: soon(1), failures: 0, dueAt: soon(8) }
    const known = await findNotice(notices, key)
    assert.deepEqual(known, { ...known, ...replayed })
    assert.deepEqual(
      (await takeAll(notices, soon(8))).map(({ messageId }) => messageId),
      [key.messageId],
    )
    assert.deepEqual(await findNotice(notices, keyOf(other, endpoint)), held)
  })

  test('one that was given up is told again by a replay, as if it had never failed', async () => {
    await using opened = await open()
    const { notices } = opened
    const { key, taken } = await takeOne(opened)
    await notices.settle(taken, { kind: 'failed', error: 'never', at: soon(4) })
    assert.equal(await notices.replay(key, taken.since, soon(8)), 1)
    const [again] = await takeAll(notices, soon(8))
    assert.deepEqual([again?.state, again?.failures, again?.told], ['pending', 0, 0])
  })

  test('a replay takes it out of the hands it is in, which can no longer end it', async () => {
    await using opened = await open()
    const { notices } = opened
    const { key, taken } = await takeOne(opened)
    await notices.settle(taken, { kind: 'told', through: place(1), status: 200, at: soon(4) })
    const [held] = await takeAll(notices, soon(4))
    assert.equal(held?.told, 1)
    await notices.replay(key, taken.since, soon(5))
    await notices.settle(held, { kind: 'told', through: place(3), status: 200, at: soon(6) })
    await notices.settle(held, { kind: 'failed', error: 'never', at: soon(6) })
    assert.deepEqual(
      (await takeAll(notices, soon(6))).map(({ told, wanted, failures }) => [told, wanted, failures]),
      [[0, 3, 0]],
    )
  })

  test('what is replayed for a disabled endpoint is not due before it is resumed', async () => {
    await using opened = await open()
    const { endpoints, notices } = opened
    const { endpoint, key, taken } = await takeOne(opened)
    await notices.settle(taken, { kind: 'told', through: place(3), status: 200, at: soon(4) })
    const disabled = await endpoints.change({ ...endpoint, disabled: 'by_hand' })
    assert.equal(await notices.replay(key, soon(0), soon(5)), 1)
    const kept = await findNotice(notices, key)
    assert.ok(kept?.state === 'pending' && !('dueAt' in kept))
    assert.deepEqual(await takeAll(notices, soon(9)), [])
    const { disabled: _, ...enabled } = disabled ?? endpoint
    await endpoints.change(enabled)
    await notices.resume(key, soon(9))
    assert.equal((await takeAll(notices, soon(9))).length, 1)
  })
}

function replayingManyContract(open: OpenNotices): void {
  test('a replay of all tells again what changed since, of that endpoint alone', async () => {
    await using opened = await open()
    const { endpoints, notices } = opened
    const [endpoint] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
    const changes = [1, 2, 3].map((position) => someChange(position))
    await notices.want(changes)
    for (const notice of await takeAll(notices, soon(3))) {
      await notices.settle(notice, { kind: 'told', through: notice.wanted, at: notice.updatedAt })
    }
    assert.equal(await notices.replay(lineOf(endpoint), soon(2), soon(9)), 2)
    const again = await takeAll(notices, soon(9))
    assert.deepEqual(
      again.map(({ messageId, endpointId }) => [messageId, endpointId]).toSorted(),
      changes
        .slice(1)
        .map(({ messageId }) => [messageId, endpoint.id])
        .toSorted(),
    )
    assert.ok(again.every(({ told, since }) => told === 0 && since === soon(2)))
    assert.equal(await notices.replay(lineOf(endpoint), soon(100), soon(101)), 0)
  })

  test('however many there are, all are replayed once, and all are resumed', async () => {
    await using opened = await open()
    const { endpoints, notices } = opened
    const endpoint = await addEndpoint(endpoints)
    // Of many the time of the last change is the same.
    await notices.want(Array.from({ length: 2_500 }, (_, nth) => someChange(nth + 1, { at: soon(nth % 3) })))
    assert.equal(await notices.replay(lineOf(endpoint), soon(1), soon(9)), 1_666)
    assert.equal(await notices.replay(lineOf(endpoint), soon(0), soon(9_000)), 2_500)
    assert.deepEqual(await takeAll(notices, soon(8_999)), [])
    await notices.resume(lineOf(endpoint), soon(20))
    assert.equal((await notices.take(soon(20), LEASE_END, 5_000, 5_000)).length, 2_500)
  })
}
