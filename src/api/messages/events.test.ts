import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture } from '../server.fixture.ts'
import { ask, listen, send } from './events.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

const ATTEMPTED = { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' } as const
const DEAD = { kind: 'DeadLettered', code: 'TIMEOUT', detail: 'no answer' } as const
const RETRY = { kind: 'RetryScheduled', code: 'TIMEOUT', detail: 'no answer', dueAt: 0 as never } as const

test('streams new events only', async () => {
  await using api = await openFixture(world)
  await send(api, 'before')
  const stream = await listen(api)
  const id = await send(api, 'after')
  await api.happen(id, ATTEMPTED, RETRY, ATTEMPTED, DEAD)
  const events = await stream.read(5)
  assert.deepEqual(
    events.map(({ event, data }) => [event, data?.['newStatus'] ?? data?.['reason'] ?? data?.['failureReason']]),
    [
      ['sms.events.status.v1', 'queued'],
      ['sms.events.status.v1', 'sending'],
      ['sms.outbound.retry.v1', 'TIMEOUT'],
      ['sms.events.status.v1', 'failed'],
      ['sms.outbound.deadletter.v1', 'TIMEOUT'],
    ],
  )
  assert.ok(events.every(({ data }) => data?.['messageId'] === id))
  // Two events at one position: only the second has the id.
  assert.deepEqual(
    events.map(({ id: position }) => position),
    ['acme-2', 'acme-3', 'acme-4', undefined, 'acme-6'],
  )
  stream.leave()
})

test('resumes after Last-Event-ID without gaps', async () => {
  await using api = await openFixture(world)
  const id = await send(api, 'a')
  await api.happen(id, ATTEMPTED, DEAD)
  for (const [last, count] of [
    ['0', 4],
    ['acme-0', 4],
    ['acme-1', 3],
    ['acme-2', 2],
  ] as const) {
    const stream = await listen(api, '', last)
    const events = await stream.read(count)
    assert.equal(events.at(-1)?.id, 'acme-3')
    stream.leave()
  }
})

test('says where it starts, so that a client that is cut off at once misses nothing', async () => {
  await using api = await openFixture(world)
  await send(api, 'before')
  const cutOff = await listen(api)
  cutOff.leave()
  const id = await send(api, 'after')
  const resumed = await listen(api, '', cutOff.startsAfter)
  assert.equal((await resumed.read(1))[0]?.data?.['messageId'], id)
  resumed.leave()
})

test('resumes from long ago, past thousands of events of others, while more happen', async () => {
  await using api = await openFixture(world)
  const mine: string[] = []
  for (let nth = 0; nth < 1_500; nth += 1) {
    if (nth % 100 === 0) mine.push(await send(api, `mine ${nth}`))
    await send(api, `${nth}`, { tenant_id: 'other' })
  }
  const stream = await listen(api, '', '0')
  mine.push(await send(api, 'at last'))
  assert.deepEqual(
    (await stream.read(mine.length)).map(({ data }) => data?.['messageId']),
    mine,
  )
  stream.leave()
})

test('an id beyond the end starts now', async () => {
  await using api = await openFixture(world)
  await send(api, 'a')
  const stream = await listen(api, '', 'acme-999999')
  const id = await send(api, 'b')
  assert.equal((await stream.read(1))[0]?.data?.['messageId'], id)
  stream.leave()
})

test('refuses ids of others, and positions', async () => {
  await using api = await openFixture(world)
  for (const id of ['1', '17', '-1', 'other-1', 'x', '']) {
    await using answer = await ask(api, '', id)
    assert.equal(answer.status, 400, id)
    assert.match(await answer.text(), /last-event-id/)
  }
})

test("streams only the tenant's events that match the filters", async () => {
  await using api = await openFixture(world)
  const [mine, other] = [await send(api, 'a'), await send(api, 'b')]
  await send(api, 'c', { tenant_id: 'other' })
  await api.happen(mine, ATTEMPTED, DEAD)
  await api.happen(other, ATTEMPTED, DEAD)

  const dead = await listen(api, '?event=sms.outbound.deadletter.v1', '0')
  assert.deepEqual(
    (await dead.read(2)).map(({ data }) => data?.['messageId']),
    [mine, other],
  )
  const one = await listen(api, `?message_id=${other.toUpperCase()}&channel=sms`, '0')
  assert.deepEqual(new Set((await one.read(4)).map(({ data }) => data?.['messageId'])), new Set([other]))
  const none = await listen(api, '?message_id=x', '0')
  const stranger = await listen(api, '', '0', { tenant_id: 'other' })
  assert.equal((await stranger.read(1))[0]?.id, 'other-3')

  await api.happen(other, { kind: 'ResendRequested', by: 'resend' } as never, ATTEMPTED)
  assert.deepEqual((await one.read(2)).length, 2)
  for (const stream of [dead, one, none, stranger]) stream.leave()
})
