import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { erase } from '../admin/erase.ts'
import { CONTENT, openGateway, START, SUBMISSION, TENANT, TRACE } from '../gateway.fixture.ts'
import { accept } from './accept.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const KEYED = { ...SUBMISSION, idempotencyKey: 'order 17' }
const OTHER = { ...KEYED, content: { ...CONTENT, body: 'Something else.' } }
const WINDOW = seconds(48 * 60 * 60)
const MISMATCH = { code: 'IDEMPOTENCY_MISMATCH' }

test('stores the message as queued, with its content and a job, and returns its id and form', async () => {
  const { deps, log, eventsOf, take } = openGateway(world)
  const content = { ...CONTENT, expiresAt: later(START, seconds(60)) }
  const accepted = await accept(deps, { ...SUBMISSION, content, lane: 'bulk' })
  const { id, ...promise } = accepted
  assert.deepEqual(promise, { createdAt: START, segments: 1, encoding: 'gsm7', replayed: false })

  const [created, ...others] = await eventsOf(id)
  assert.deepEqual(others, [])
  assert.deepEqual(created?.fact, { kind: 'MessageCreated' })
  assert.equal(created?.previousStatus, undefined)
  assert.equal(created?.traceId, TRACE)
  assert.equal(created && toStatus(created.state), 'queued')
  assert.equal(created?.state.expiresAt, content.expiresAt)
  assert.deepEqual((await log.load(id))?.content, content)
  assert.deepEqual((await take())?.job, { messageId: id, tenantId: TENANT, lane: 'bulk' })
})

test('responds only after the message is stored', async () => {
  const { deps, log } = openGateway(world)
  const disk = Promise.withResolvers<void>()
  const slow: EventLog = { ...log, append: (entry) => disk.promise.then(() => log.append(entry)) }
  let isAnswered = false
  const answer = accept({ ...deps, log: slow }, SUBMISSION).then(() => {
    isAnswered = true
  })
  await setImmediate()
  assert.equal(isAnswered, false)
  disk.resolve()
  await answer
  assert.equal(await log.tip(), 1)
})

test('the event contains neither the content nor the recipient', async () => {
  const { submit, eventsOf } = openGateway(world)
  const text = JSON.stringify(await eventsOf(await submit()))
  for (const secret of [CONTENT.to, CONTENT.body, 'A-17', 'parcel']) assert.ok(!text.includes(secret))
})

test('derives the message id from the idempotency key', async () => {
  const { deps } = openGateway(world)
  const { tenantId, accountId, idempotencyKey: key } = KEYED
  const { id } = await accept(deps, KEYED)
  assert.equal(id, world.ids.keyedMessageId({ tenantId, accountId, namespace: 'messages', key, generation: 0 }))
})

test('two calls without a key create two messages', async () => {
  const { submit, log } = openGateway(world)
  assert.notEqual(await submit(), await submit())
  assert.equal(await log.tip(), 2)
})

test("a repeated call returns the first answer, whatever the message's status", async () => {
  const { deps, log, work, pass } = openGateway(world)
  const { replayed: _, ...first } = await accept(deps, KEYED)
  pass(seconds(5))
  assert.deepEqual(await accept(deps, KEYED), { ...first, replayed: true })
  await work()
  const tip = await log.tip()
  assert.deepEqual(await accept(deps, KEYED), { ...first, replayed: true })
  assert.equal(await log.tip(), tip)
})

test('refuses a key with a different payload and stores nothing', async () => {
  const { deps, log } = openGateway(world)
  const { id } = await accept(deps, KEYED)
  await assert.rejects(accept(deps, OTHER), MISMATCH)
  assert.equal(await log.tip(), 1)
  assert.deepEqual((await log.load(id))?.content, CONTENT)
})

test('a key names a new message after 48 hours, with any payload', async () => {
  for (const next of [KEYED, OTHER]) {
    const { deps, pass } = openGateway(world)
    const first = await accept(deps, KEYED)
    pass(millis(WINDOW - 1))
    assert.equal((await accept(deps, KEYED)).id, first.id)
    pass(millis(1))
    const { replayed, ...second } = await accept(deps, next)
    assert.equal(replayed, false)
    assert.notEqual(second.id, first.id)
    assert.deepEqual(await accept(deps, next), { ...second, replayed: true })

    pass(WINDOW)
    const third = await accept(deps, KEYED)
    assert.ok(!third.replayed && third.id !== first.id && third.id !== second.id)
  }
})

test('after an erasure a repeated call still returns the first answer, without comparing payloads', async () => {
  const { deps, log } = openGateway(world)
  const { replayed: _, ...first } = await accept(deps, KEYED)
  await erase(deps, { tenantId: TENANT, id: first.id, traceId: TRACE })
  for (const submission of [KEYED, OTHER])
    assert.deepEqual(await accept(deps, submission), { ...first, replayed: true })
  assert.equal((await log.load(first.id))?.content, undefined)
})

test('of concurrent calls with one key one creates the message and the others return its answer', async () => {
  const { deps, log, queue } = openGateway(world)
  const answers = await Promise.all(Array.from({ length: 20 }, () => accept(deps, KEYED)))
  assert.equal(new Set(answers.map(({ replayed: _, ...promise }) => JSON.stringify(promise))).size, 1)
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 1)
  assert.equal(await log.tip(), 1)
  assert.equal(
    (await queue.depth()).reduce((sum, { ready }) => sum + ready, 0),
    1,
  )
})

test('of concurrent calls with one key and different payloads one is accepted', async () => {
  const { deps, log } = openGateway(world)
  const results = await Promise.allSettled([KEYED, OTHER, KEYED, OTHER].map((submission) => accept(deps, submission)))
  const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason.code)
  assert.deepEqual(refused, ['IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_MISMATCH'])
  assert.equal(await log.tip(), 1)
})

test('throws while the log is unavailable; the same key works afterwards', async () => {
  const { deps, log } = openGateway(world)
  const unavailable: EventLog = { ...log, append: async () => Promise.reject(new Unavailable('no disk')) }
  await assert.rejects(accept({ ...deps, log: unavailable }, KEYED), Unavailable)
  assert.equal((await accept(deps, KEYED)).replayed, false)
})

test('throws while the log is unavailable during the lookup of a repeated call', async () => {
  const { deps, log } = openGateway(world)
  await accept(deps, KEYED)
  const unavailable: EventLog = { ...log, load: async () => Promise.reject(new Unavailable('no disk')) }
  await assert.rejects(accept({ ...deps, log: unavailable }, KEYED), Unavailable)
})

test('throws when the log reports a conflict for a message it does not have', async () => {
  const { deps, log } = openGateway(world)
  const broken: EventLog = { ...log, append: async () => ({ kind: 'conflict' }) }
  await assert.rejects(accept({ ...deps, log: broken }, KEYED), /refused a message it does not have/)
})

test('refuses a deadline in the past, unless the call repeats an earlier one', async () => {
  const { deps, pass } = openGateway(world)
  const deadline = { ...KEYED, content: { ...CONTENT, expiresAt: later(START, seconds(60)) } }
  const first = await accept(deps, deadline)
  pass(seconds(61))
  assert.deepEqual(await accept(deps, deadline), { ...first, replayed: true })
  await assert.rejects(accept(deps, { ...deadline, idempotencyKey: 'order 18' }), { code: 'VALIDATION_ERROR' })
})

test('a call repeated after an upgrade finds the message that an earlier release stored', async () => {
  const { deps, log } = openGateway({ ...world, ids: openIds(undefined, 'hashed') })
  const first = await accept(deps, KEYED)
  assert.deepEqual(await accept({ ...deps, ids: world.ids }, KEYED), { ...first, replayed: true })
  assert.equal(await log.tip(), 1)
})
