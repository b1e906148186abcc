/** The tests that every engine must pass: it deletes what the policy no longer keeps, completely, and nothing else. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tenantIn } from '../domain/access/test-mode.ts'
import type { MessageId, TenantId } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import type { RetentionPolicy } from '../domain/message/retention.ts'
import { later, millis, seconds } from '../lib/time.ts'
import { retentionDeletingContract, retentionReusingContract } from './retention-deletion.contract.ts'
import {
  DELIVERED,
  days,
  daysAgo,
  find,
  KEPT_30,
  MANY,
  NORTH,
  type OpenRetaining,
  put,
  putOld,
  SOUTH,
} from './retention-samples.contract.ts'
import { ACCEPTED, ATTEMPTED, DEAD, earlier, NOON, retryAt, unknownUntil } from './samples.contract.ts'

export function retentionContract(engine: string, open: OpenRetaining): void {
  describe(`retention on ${engine}`, { timeout: 120_000 }, () => {
    choosingContract(open)
    rulesContract(open)
    retentionDeletingContract(open)
    retentionReusingContract(open)
    repeatingContract(open)
  })
}

function choosingContract(open: OpenRetaining): void {
  test('deletes messages that are older than their retention, and keeps all others', async () => {
    await using engine = await open()
    const { retention } = engine
    await put(engine, { message: { createdAt: earlier(NOON, millis(days(30) + 1)) } })
    const kept = await put(engine, { message: { createdAt: daysAgo(30) } })
    const young = await putOld(engine, 1)
    assert.equal(await retention.prune(KEPT_30, NOON, MANY), 1)
    assert.deepEqual(await find(engine), [young.id, kept.id])
    assert.equal(await retention.prune(KEPT_30, later(NOON, millis(1)), MANY), 1)
    assert.deepEqual(await find(engine), [young.id])
  })

  test('deletes a few at a time, oldest first, until none is left', async () => {
    await using engine = await open()
    const { retention } = engine
    const ids: MessageId[] = []
    for (const age of [32, 36, 31, 35, 34, 33]) ids.push((await putOld(engine, age)).id)
    const young = await putOld(engine, 1)
    const [d32, _d36, d31, d35, d34, d33] = ids
    assert.equal(await retention.prune(KEPT_30, NOON, 1), 1)
    assert.deepEqual(await find(engine), [young.id, d31, d32, d33, d34, d35])
    assert.equal(await retention.prune(KEPT_30, NOON, 3), 3)
    assert.deepEqual(await find(engine), [young.id, d31, d32])
    assert.equal(await retention.prune(KEPT_30, NOON, 3), 2)
    assert.deepEqual(await find(engine), [young.id])
  })

  test('keeps messages that are not over, however old they are', async () => {
    await using engine = await open()
    const { retention } = engine
    const unfinished: readonly (readonly Fact[])[] = [
      [],
      [ATTEMPTED],
      [ATTEMPTED, retryAt(NOON)],
      [ATTEMPTED, unknownUntil(NOON)],
      [...DELIVERED, { kind: 'ResendRequested', by: 'resend' }],
    ]
    const ids: MessageId[] = []
    for (const facts of unfinished) ids.push((await putOld(engine, 400, facts)).id)
    // It waits for a report of its provider.
    const silent = await put(engine, {
      message: { createdAt: daysAgo(400) },
      facts: [ATTEMPTED, ACCEPTED],
      pace: days(199),
    })
    await putOld(engine, 400)
    assert.equal(await retention.prune(KEPT_30, NOON, MANY), 1)
    assert.deepEqual(new Set(await find(engine)), new Set([...ids, silent.id]))
    for (const id of ids) assert.notEqual(await engine.log.load(id), undefined)
    assert.equal(await retention.prune(KEPT_30, later(NOON, days(30)), MANY), 1)
    assert.deepEqual(new Set(await find(engine)), new Set(ids))
  })

  test('keeps a message for an hour after its last change', async () => {
    await using engine = await open()
    const { retention } = engine
    const { id } = await put(engine, { message: { createdAt: daysAgo(60) }, facts: [ATTEMPTED, DEAD], pace: days(30) })
    assert.equal(await retention.prune(KEPT_30, later(NOON, seconds(3_599)), MANY), 0)
    assert.deepEqual(await find(engine), [id])
    assert.equal(await retention.prune(KEPT_30, later(NOON, seconds(3_600)), MANY), 1)
    assert.deepEqual(await find(engine), [])
  })
}

function rulesContract(open: OpenRetaining): void {
  test('the retention of a tenant shortens that of the installation, also in test mode, and never prolongs it', async () => {
    await using engine = await open()
    const { retention } = engine
    const tested = tenantIn('test', NORTH)
    const putFor = (tenantId: TenantId, age: number) => put(engine, { message: { tenantId, createdAt: daysAgo(age) } })
    await putFor(NORTH, 8)
    await putFor(tested, 8)
    const young = await putFor(NORTH, 6)
    const theirs = await putFor(SOUTH, 8)
    await putFor(SOUTH, 31)
    const mostDays = new Map([
      [NORTH, 7],
      [SOUTH, 365],
    ])
    assert.equal(await retention.prune({ ...KEPT_30, mostDays }, NOON, MANY), 3)
    assert.deepEqual(await find(engine), [young.id])
    assert.deepEqual(await find(engine, {}, SOUTH), [theirs.id])
    assert.deepEqual(await find(engine, {}, tested), [])
  })

  test('applies the most specific rule to each message', async () => {
    await using engine = await open()
    const { retention } = engine
    const policy: RetentionPolicy = {
      days: 20,
      rules: [
        { channel: 'email', days: 40 },
        { tenantId: SOUTH, days: 0 },
        { tenantId: SOUTH, channel: 'email', days: 10 },
      ],
    }
    const ages = [5, 15, 30, 50]
    const left: string[] = []
    for (const tenantId of [NORTH, SOUTH]) {
      for (const age of ages) {
        const message = { tenantId, createdAt: daysAgo(age) }
        await put(engine, { message })
        await put(engine, { message, mail: {} })
      }
    }
    assert.equal(await retention.prune(policy, NOON, MANY), 6)
    for (const tenantId of [NORTH, SOUTH]) {
      const { rows } = await engine.index.search({ tenantId, filter: {}, limit: MANY })
      left.push(...rows.map(({ state }) => `${tenantId} ${state.channel} ${(NOON - state.createdAt) / days(1)}`))
    }
    assert.deepEqual(left.toSorted(), [
      'north email 15',
      'north email 30',
      'north email 5',
      'north sms 15',
      'north sms 5',
      'south email 5',
      ...['south sms 15', 'south sms 30', 'south sms 5', 'south sms 50'],
    ])
  })

  test('deletes nothing if everything is kept forever', async () => {
    await using engine = await open()
    const { id } = await putOld(engine, 10_000)
    assert.equal(await engine.retention.prune({ rules: [] }, NOON, MANY), 0)
    assert.equal(await engine.retention.prune({ rules: [{ channel: 'email', days: 3 }] }, NOON, MANY), 0)
    assert.deepEqual(await find(engine), [id])
  })

  test('reports how many messages are stored, and when the oldest was created', async () => {
    await using engine = await open()
    const { retention } = engine
    assert.deepEqual(await retention.stored(), { messages: 0 })
    await put(engine, { message: { createdAt: daysAgo(40), tenantId: SOUTH }, mail: {} })
    for (const age of [3, 41, 7]) await putOld(engine, age)
    assert.deepEqual(await retention.stored(), { messages: 4, oldest: daysAgo(41) })
    await retention.prune(KEPT_30, NOON, MANY)
    assert.deepEqual(await retention.stored(), { messages: 2, oldest: daysAgo(7) })
  })
}

function repeatingContract(open: OpenRetaining): void {
  test('several processes that delete at once delete each message once', async () => {
    await using engine = await open()
    const { retention } = engine
    for (let nth = 0; nth < 20; nth += 1) await putOld(engine, 40)
    const counts = await Promise.all(Array.from({ length: 4 }, () => retention.prune(KEPT_30, NOON, MANY)))
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      20,
    )
    assert.deepEqual(await find(engine), [])
    assert.equal(await retention.prune(KEPT_30, NOON, MANY), 0)
  })
}
