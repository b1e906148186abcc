import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import type { ProviderName, RouteId, TraceId } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { later, seconds } from '../lib/time.ts'
import type { EventLog } from '../ports/event-log.ts'
import { openGateway, START, TRACE } from './gateway.fixture.ts'
import { advance, record, toSeen } from './record.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const ATTEMPTED: Fact = {
  kind: 'HandoffAttempted',
  provider: 'one' as ProviderName,
  routeId: 'r1' as RouteId,
  owner: 'me',
}
const FAILED: Fact = { kind: 'HandoffFailed', code: 'X', detail: 'so it is' }
const RESEND: Fact = { kind: 'ResendRequested', by: 'resend' }
const ERASED: Fact = { kind: 'MessageErased' }
const reported = (reportId: string): Fact => ({ kind: 'ProviderDelivered', reportId })

async function openMessage() {
  const gateway = openGateway(world)
  const id = await gateway.submit()
  const newest = async () => {
    const latest = await gateway.log.latest(id)
    assert.ok(latest !== undefined)
    return toSeen(latest)
  }
  return { ...gateway, id, newest }
}

test('stores a fact with the attempt or cycle it opens, any other fact with the newest attempt', async () => {
  const { deps, id, newest, eventsOf, pass } = await openMessage()
  for (const fact of [ATTEMPTED, FAILED, RESEND, ATTEMPTED]) {
    pass(seconds(1))
    assert.equal((await record(deps, await newest(), fact)).kind, 'recorded')
  }
  const rows = (await eventsOf(id)).map(({ fact, cycle, attempt, at, traceId }) => {
    assert.equal(traceId, TRACE)
    return [fact.kind, cycle, attempt, (at - START) / 1000]
  })
  assert.deepEqual(rows, [
    ['MessageCreated', 1, 0, 0],
    ['HandoffAttempted', 1, 1, 1],
    ['HandoffFailed', 1, 1, 2],
    ['ResendRequested', 2, 1, 3],
    ['HandoffAttempted', 2, 2, 4],
  ])
})

test('the same fact of an attempt gets the same event id; each provider report gets its own', async () => {
  const { deps, id, newest, eventsOf } = await openMessage()
  await record(deps, await newest(), reported('a'))
  await record(deps, await newest(), reported('b'))
  assert.deepEqual(await record(deps, await newest(), reported('a')), { kind: 'duplicate' })
  const ref = { messageId: id, cycle: 1, attempt: 0 }
  assert.deepEqual(
    (await eventsOf(id)).slice(1).map((event) => event.id),
    ['a', 'b'].map((reportId) => world.ids.eventId(ref, 'ProviderDelivered', reportId)),
  )
})

test('a message of an earlier release keeps hashed ids, so a report repeated after the upgrade is a duplicate', async () => {
  const gateway = openGateway({ ...world, ids: openIds(undefined, 'hashed') })
  const id = await gateway.submit()
  const newest = async () => {
    const latest = await gateway.log.latest(id)
    assert.ok(latest !== undefined)
    return toSeen(latest)
  }
  await record(gateway.deps, await newest(), reported('a'))

  const upgraded = { ...gateway.deps, ids: world.ids }
  assert.deepEqual(await record(upgraded, await newest(), reported('a')), { kind: 'duplicate' })
  const result = await record(upgraded, await newest(), ATTEMPTED, { before: { kind: 'MessageValidated' } })
  assert.ok(result.kind === 'recorded')
  assert.equal((await record(upgraded, result.seen, FAILED)).kind, 'recorded')
  const events = await gateway.eventsOf(id)
  assert.equal(events.length, 5)
  for (const event of events) assert.match(event.id, /^[0-9a-f]{64}$/)
})

test('returns the recorded state, and stores the trace id and the job with the event', async () => {
  const { deps, id, newest, eventsOf, queue, take } = await openMessage()
  const ends = await take()
  const traceId = '00000000000000000000000000000001' as TraceId
  const jobAt = later(START, seconds(5))
  const result = await record(deps, await newest(), FAILED, { traceId, jobAt, ends })
  assert.ok(result.kind === 'recorded')
  assert.deepEqual(result.seen, await newest())
  assert.equal((await eventsOf(id)).at(-1)?.traceId, traceId)
  const lane = (await queue.depth()).find(({ lane }) => lane === 'transactional')
  assert.deepEqual(lane, { lane: 'transactional', ready: 0, delayed: 1, parked: 0, taken: 0 })
})

test('records nothing when the seen revision is stale', async () => {
  const { deps, id, newest, kindsOf } = await openMessage()
  const seen = await newest()
  await record(deps, seen, ATTEMPTED)
  assert.deepEqual(await record(deps, seen, FAILED), { kind: 'conflict' })
  assert.deepEqual(await kindsOf(id), ['MessageCreated', 'HandoffAttempted'])
})

test('decides again on the newest state after a conflict', async () => {
  const { deps, newest } = await openMessage()
  const seen = await newest()
  await record(deps, seen, ATTEMPTED)
  const attempts: number[] = []
  const { recorded, seen: after } = await advance(deps, seen, ({ attempt }) => {
    attempts.push(attempt)
    return { fact: FAILED }
  })
  assert.deepEqual([attempts, recorded], [[0, 1], true])
  assert.deepEqual(after, await newest())
})

test('records nothing after a conflict when the decision is void', async () => {
  const { deps, newest } = await openMessage()
  const seen = await newest()
  await record(deps, seen, ERASED)
  const result = await advance(deps, seen, ({ erased }) => (erased ? undefined : { fact: ERASED }))
  assert.deepEqual(result, { seen: await newest(), recorded: false })
})

test('skips a fact that is already recorded and returns the newest state', async () => {
  const { deps, id, newest, kindsOf } = await openMessage()
  await record(deps, await newest(), reported('a'))
  await record(deps, await newest(), ERASED)
  const result = await advance(deps, await newest(), () => ({ fact: reported('a') }))
  assert.deepEqual(result, { seen: await newest(), recorded: false })
  assert.equal((await kindsOf(id)).length, 3)
})

test('throws when a message it has read is missing from the log', async () => {
  const { deps, log, newest } = await openMessage()
  const seen = await newest()
  const broken: EventLog = { ...log, append: async () => ({ kind: 'conflict' }), latest: async () => undefined }
  await assert.rejects(
    advance({ ...deps, log: broken }, seen, () => ({ fact: FAILED })),
    /missing from the log/,
  )
})
