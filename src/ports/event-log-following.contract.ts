/** The tests of following an event log: all events, in order, with the searchable fields. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, test } from 'node:test'
import type { Content, Searchable } from '../domain/message/message.ts'
import { later, millis } from '../lib/time.ts'
import { type EventLog, type Followed, START, type Start } from './event-log.ts'
import {
  ATTEMPTED,
  append,
  createdEntry,
  earlier,
  forever,
  hours,
  nextEntry,
  type Open,
  phone,
  REAL_TIME,
  someContent,
  someMessage,
  stopped,
  tenant,
  VALIDATED,
} from './samples.contract.ts'

export function eventLogFollowingContract(engine: string, open: Open<'log'>): void {
  describe(`followers of the event log on ${engine}`, { timeout: 120_000 }, () => {
    test('followers read all events in order, page by page', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const written = await writeSome(log)
      for (const limit of [1, 2, 100]) {
        const followed = await follow(log, START, written.length, limit)
        assert.deepEqual(followed.map(idOf), written)
        assert.deepEqual(followed.map(placeOf), followed.map(placeOf).toSorted(ascending))
        assert.equal(new Set(followed.map(placeOf)).size, written.length)
      }
    })

    test('followers resume after any position', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const written = await writeSome(log)
      const followed = await follow(log, START, written.length)
      for (const [at, { position }] of followed.slice(0, -1).entries()) {
        for (const start of [position, { after: position }]) {
          const rest = await follow(log, start, written.length - at - 1)
          assert.deepEqual(rest.map(idOf), written.slice(at + 1))
          if (typeof start === 'object') assert.ok(rest.every(({ searchable }) => searchable === undefined))
        }
      }
    })

    test('followers start at an instant, with the first event written then or later', async () => {
      await using opened = await open(REAL_TIME.clock)
      const { log } = opened
      const write = () => append(log, createdEntry(someMessage({ createdAt: REAL_TIME.clock() })))
      const written = [await write(), await write()]
      const since = later(REAL_TIME.clock(), millis(1))
      await REAL_TIME.passTo(later(since, millis(1)))
      written.push(await write(), await write())
      const ids = written.map(idOf)
      for (const [at, expected] of [
        [earlier(since, hours(1)), ids],
        [since, ids.slice(2)],
      ] as const) {
        const followed = await follow(log, { since: at }, expected.length)
        assert.deepEqual(followed.map(idOf), expected)
        assert.ok(followed.every((one) => one.searchable === undefined))
        const changed = await firstChanges(log, { since: at })
        assert.deepEqual(changed.map(idOf), expected)
      }
    })

    test('a follower that starts after the newest event gets the events written from then on', async () => {
      await using opened = await open(REAL_TIME.clock)
      const { log } = opened
      await append(log, createdEntry(someMessage({ createdAt: REAL_TIME.clock() })))
      const since = later(REAL_TIME.clock(), millis(1))
      await REAL_TIME.passTo(later(since, millis(1)))
      const waiting = follow(log, { since }, 1)
      const next = await append(log, createdEntry(someMessage({ createdAt: REAL_TIME.clock() })))
      assert.deepEqual((await waiting).map(idOf), [next.event.id])
    })

    test('the tip is the position of the newest event', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const written = await writeSome(log)
      const followed = await follow(log, START, written.length)
      assert.equal(await log.tip(), followed.at(-1)?.position)
      const { id } = await begun(log)
      assert.equal(await log.tip(), (await log.read(id)).at(-1)?.position)
    })

    test('followers wait for new events', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      await writeSome(log)
      const waiting = [follow(log, await log.tip(), 2), follow(log, await log.tip(), 2)]
      const { created } = await begun(log)
      const attempted = await append(log, nextEntry(created, ATTEMPTED))
      for (const followed of await Promise.all(waiting)) {
        assert.deepEqual(followed.map(idOf), [created.event.id, attempted.event.id])
      }
    })

    test('a follower stops when its signal aborts, and removes its listener', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      await writeSome(log)
      const controller = new AbortController()
      const waiting = Array.fromAsync(log.follow(await log.tip(), 10, controller.signal))
      const caughtUp = Array.fromAsync(log.follow(START, 100, controller.signal), (page) => {
        controller.abort()
        return page.length
      })
      assert.deepEqual(await waiting, [])
      assert.equal((await caughtUp).length, 1)
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
      assert.deepEqual(await Array.fromAsync(log.follow(START, 100, AbortSignal.abort())), [])
    })

    test('the first event of a message carries its searchable fields and nothing else of its content', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const content = someContent({ to: phone('+5511987654321') })
      const { created } = await begun(log, content)
      await append(log, nextEntry(created, ATTEMPTED))
      const [first, second] = await follow(log, START, 2)
      const { toKey, ...rest } = assertSearchable(first)
      assert.deepEqual(rest, { to: '+*******4321', tags: content.tags, metadata: content.metadata })
      assert.ok(toKey.length > 0 && !toKey.includes('987654321'))
      assert.ok(second !== undefined && !('searchable' in second))
    })

    test('changes return the newest event of every message, its searchable fields and the position reached', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const { created } = await begun(log, someContent())
      const other = await begun(log, someContent())
      const newest = await append(log, nextEntry(created, ATTEMPTED))
      for (const limit of [2, 100]) {
        const stop = new AbortController()
        const followedById = new Map<string, Followed>()
        for await (const { through, events } of log.changes(START, limit, stop.signal)) {
          for (const followed of events) {
            const { messageId, event } = followed
            followedById.set(messageId, { ...followedById.get(messageId), ...followed, event })
          }
          if (through === (await log.tip())) stop.abort()
        }
        assert.deepEqual(
          [created, other.created].map(({ event }) => followedById.get(event.state.id)?.event.id),
          [newest.event.id, other.created.event.id],
        )
        for (const followed of followedById.values()) assertSearchable(followed)
      }
    })

    test('recipient keys are equal within a tenant and differ across tenants', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const keyOf = async (tenantName: string, to: string): Promise<string> => {
        const after = await log.tip()
        await append(log, createdEntry(someMessage({ tenantId: tenant(tenantName) }), someContent({ to: phone(to) })))
        const [first] = await follow(log, after, 1)
        return assertSearchable(first).toKey
      }
      const key = await keyOf('north', '+5511987654321')
      assert.equal(await keyOf('north', '+5511987654321'), key)
      assert.notEqual(await keyOf('north', '+5511987654322'), key)
      assert.notEqual(await keyOf('south', '+5511987654321'), key)
    })

    test('shredding deletes the searchable fields too', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const [mine] = [await begun(log), await begun(log)]
      await log.shred(mine.id)
      const [first, second] = await follow(log, START, 2)
      assert.ok(first !== undefined && first.searchable === undefined)
      assert.ok(second?.searchable !== undefined)
    })

    test('shredding only the content keeps the searchable fields for followers', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const [ended, both] = [await begun(log), await begun(log)]
      const [before] = await follow(log, START, 2)
      await log.shred(ended.id, 'searchable')
      await log.shred(both.id, 'searchable')
      await log.shred(both.id)
      const [first, second] = await follow(log, START, 2)
      assert.deepEqual(assertSearchable(first), assertSearchable(before))
      assert.ok(second !== undefined && second.searchable === undefined)
    })
  })
}

export async function begun(log: EventLog, content: Content = someContent()) {
  const message = someMessage()
  return { id: message.id, content, created: await append(log, createdEntry(message, content)) }
}

/** Six events of three messages, interleaved; their ids in order. */
async function writeSome(log: EventLog): Promise<string[]> {
  const [one, two] = [await begun(log), await begun(log)]
  const tail = [
    await append(log, nextEntry(one.created, ATTEMPTED)),
    await append(log, nextEntry(two.created, VALIDATED)),
  ]
  const three = await begun(log)
  const last = await append(log, nextEntry(three.created, ATTEMPTED))
  return [one.created, two.created, ...tail, three.created, last].map(idOf)
}

/** The events up to the tip, as `changes` returns them. */
async function firstChanges(log: EventLog, start: Start): Promise<readonly Followed[]> {
  const all: Followed[] = []
  for await (const { through, events } of log.changes(start, 100, forever())) {
    all.push(...events)
    if (through === (await log.tip())) break
  }
  return all
}

/** The first `count` events from `start`. */
async function follow(log: EventLog, start: Start, count: number, limit = 100): Promise<Followed[]> {
  const followed: Followed[] = []
  for await (const page of log.follow(start, limit, forever())) {
    assert.ok(page.length > 0 && page.length <= limit)
    followed.push(...page)
    if (followed.length >= count) break
  }
  assert.equal(followed.length, count)
  return followed
}

function assertSearchable(followed: Followed | undefined): Searchable {
  assert.ok(followed?.searchable !== undefined)
  return followed.searchable
}

const idOf = ({ event }: Pick<Followed, 'event'>): string => event.id
const placeOf = ({ position }: Followed): number => position
const ascending = (a: number, b: number): number => a - b
