/** The tests every store of erasures must pass: one erasure per recipient at a time, run by one process at a time. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { AccountId, ErasureId, MessageId } from '../domain/ids.ts'
import { type Erasure, type ErasureRequest, toErasure } from '../domain/message/erasure.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { later, millis, seconds } from '../lib/time.ts'
import type { Erasures } from './erasures.ts'
import { MalformedCursor } from './malformed-cursor.ts'
import { NOON, tenant } from './samples.contract.ts'

export type OpenErasures = () => Promise<Readonly<{ erasures: Erasures }> & AsyncDisposable>

const NORTH = tenant('north')
const LATER = later(NOON, seconds(60))

export const someErasure = (wanted: Partial<ErasureRequest> = {}): Erasure =>
  toErasure({
    id: randomUUID() as string as ErasureId,
    tenantId: NORTH,
    accountId: 'shop' as AccountId,
    toKey: randomUUID(),
    channel: 'email',
    requestedAt: NOON,
    through: 7,
    suppression: { reason: 'complaint' },
    ...wanted,
  })

const done = (erasure: Erasure): Erasure => ({ ...erasure, erased: 3, completedAt: LATER })

/** Claims the next erasure and completes it. */
async function complete(erasures: Erasures): Promise<void> {
  const held = await erasures.claim(LATER, later(LATER, seconds(60)))
  assert.ok(held !== undefined)
  assert.equal(await erasures.save({ ...held, erasure: done(held.erasure) }, undefined), true)
}

export function erasuresContract(engine: string, open: OpenErasures): void {
  describe(`erasures on ${engine}`, { timeout: 120_000 }, () => {
    startingContract(open)
    carryingOnContract(open)
    listingContract(open)
  })
}

function startingContract(open: OpenErasures): void {
  test('stores an erasure as given, for its tenant only', async () => {
    await using opened = await open()
    const { erasures } = opened
    const erasure = someErasure()
    assert.deepEqual(await erasures.start(erasure), erasure)
    assert.deepEqual(await erasures.find(NORTH, erasure.id), erasure)
    assert.equal(await erasures.find(tenant('south'), erasure.id), undefined)
    assert.equal(await erasures.find(NORTH, randomUUID() as string as ErasureId), undefined)
  })

  test('of concurrent requests for one recipient exactly one starts an erasure', async () => {
    await using opened = await open()
    const { erasures } = opened
    const toKey = 'ana'
    const answers = await Promise.all(Array.from({ length: 20 }, () => erasures.start(someErasure({ toKey }))))
    assert.equal(new Set(answers.map(({ id }) => id)).size, 1)
    const theirs = someErasure({ toKey, tenantId: tenant('south') })
    assert.deepEqual(await erasures.start(theirs), theirs)
    assert.notEqual((await erasures.start(someErasure({ toKey: 'rui' }))).id, answers[0]?.id)
  })

  test('a recipient can be erased again after completion, and the first id still returns the first erasure', async () => {
    await using opened = await open()
    const { erasures } = opened
    const first = someErasure()
    await erasures.start(first)
    await complete(erasures)
    assert.deepEqual(await erasures.start(first), done(first))
    assert.deepEqual(await erasures.start(someErasure({ id: first.id, toKey: 'another' })), done(first))
    const second = someErasure({ toKey: first.toKey })
    assert.deepEqual(await erasures.start(second), second)
  })
}

function carryingOnContract(open: OpenErasures): void {
  test('one process holds an erasure until its lease ends, and a process that lost it cannot save', async () => {
    await using opened = await open()
    const { erasures } = opened
    const erasure = someErasure()
    await erasures.start(erasure)
    assert.equal(await erasures.claim(later(NOON, millis(-1)), LATER), undefined)
    const claims = await Promise.all(Array.from({ length: 10 }, () => erasures.claim(NOON, LATER)))
    const [held, ...others] = claims.filter((claim) => claim !== undefined)
    assert.ok(held !== undefined && others.length === 0)
    assert.deepEqual(held.erasure, erasure)
    const further = { ...erasure, erased: 2, cursor: 'a', pending: [randomUUID() as string as MessageId] }
    assert.equal(await erasures.save({ ...held, erasure: further }, LATER), true)
    assert.equal(await erasures.claim(later(LATER, millis(-1)), LATER), undefined)

    const next = await erasures.claim(LATER, later(LATER, seconds(60)))
    assert.deepEqual(next?.erasure, further)
    assert.equal(await erasures.save({ ...held, erasure: done(erasure) }, undefined), false)
    assert.deepEqual(await erasures.find(NORTH, erasure.id), further)
  })

  test('claims the longest due erasure first, and a completed one never', async () => {
    await using opened = await open()
    const { erasures } = opened
    const [late, early] = [someErasure({ requestedAt: later(NOON, seconds(1)) }), someErasure()]
    await erasures.start(late)
    await erasures.start(early)
    const claimed = [await erasures.claim(LATER, LATER), await erasures.claim(LATER, later(LATER, seconds(60)))]
    assert.deepEqual(
      claimed.map((held) => held?.erasure.id),
      [early.id, late.id],
    )
    await complete(erasures)
    assert.equal(await erasures.claim(LATER, LATER), undefined)
  })
}

function listingContract(open: OpenErasures): void {
  test('lists the erasures of a tenant newest first, page by page', async () => {
    await using opened = await open()
    const { erasures } = opened
    const all = Array.from({ length: 7 }, (_, nth) => someErasure({ requestedAt: later(NOON, seconds(nth >> 1)) }))
    for (const erasure of all) await erasures.start(erasure)
    await erasures.start(someErasure({ tenantId: tenant('south') }))
    const listed: Erasure[] = []
    let cursor: string | undefined
    do {
      const page = await erasures.list(omitUndefined({ tenantId: NORTH, limit: 3, cursor }))
      listed.push(...page.erasures)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    assert.deepEqual(
      listed,
      all.toSorted((one, other) => other.requestedAt - one.requestedAt || (one.id < other.id ? 1 : -1)),
    )
    const others = erasures.list({ tenantId: NORTH, limit: 3, cursor: 'nobody gave this out' })
    await assert.rejects(others, MalformedCursor)
  })
}
