/** The tests every event log must pass: one winner per revision, content that can be destroyed, a log to follow. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, test } from 'node:test'
import type { MessageId } from '../domain/ids.ts'
import type { Content, Searchable } from '../domain/message.ts'
import { EMPTY, type EventLog, type Followed, type Position, START } from './event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  delivered,
  forever,
  nextEntry,
  type Open,
  phone,
  someContent,
  someMessage,
  stopped,
  tenant,
  VALIDATED,
} from './samples.contract.ts'

export function eventLogContract(engine: string, open: Open<'log'>): void {
  describe(`event log on ${engine}`, { timeout: 20_000 }, () => {
    test('a message nobody wrote of is unknown', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const { id } = someMessage()
      assert.equal(await log.latest(id), undefined)
      assert.equal(await log.load(id), undefined)
      assert.deepEqual(await log.read(id), [])
      assert.equal(await log.tip(), START)
    })

    test('events come back as they were given, in the order they went in', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const message = someMessage()
      const created = await append(log, createdEntry(message))
      const attempted = await append(log, nextEntry(created, ATTEMPTED))
      const accepted = await append(log, nextEntry(attempted, ACCEPTED))
      const read = await log.read(message.id)
      assert.deepEqual(
        read.map(({ revision, event }) => ({ revision, event })),
        [created, attempted, accepted],
      )
      assert.deepEqual(await log.latest(message.id), read[2])
    })

    test('a writer who missed an event is refused and leaves no trace', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const { created, id } = await begun(log)
      await append(log, nextEntry(created, VALIDATED))
      assert.deepEqual(await log.append(nextEntry(created, ATTEMPTED)), { kind: 'conflict' })
      assert.deepEqual(await log.append({ ...nextEntry(created, ATTEMPTED), seen: EMPTY }), { kind: 'conflict' })
      assert.deepEqual(await kindsOf(log, id), ['MessageCreated', 'MessageValidated'])
    })

    test('an event that is in the stream already is a duplicate, whatever its writer has seen', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const { created, id } = await begun(log)
      const validated = await append(log, nextEntry(created, VALIDATED))
      const attempted = await append(log, nextEntry(validated, ATTEMPTED))
      for (const { event } of [created, validated, attempted]) {
        for (const seen of [EMPTY, created.revision, validated.revision, attempted.revision]) {
          assert.deepEqual(await log.append({ seen, event }), { kind: 'duplicate' })
        }
      }
      assert.equal((await log.read(id)).length, 3)
    })

    test('of many writers at one revision exactly one wins', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const { created, id } = await begun(log)
      const entries = Array.from({ length: 20 }, (_, i) => nextEntry(created, delivered(`report-${i}`)))
      const results = await Promise.all(entries.map((entry) => log.append(entry)))
      assert.equal(results.filter((result) => result.kind === 'appended').length, 1)
      assert.equal(results.filter((result) => result.kind === 'conflict').length, 19)
      const winner = entries[results.findIndex((result) => result.kind === 'appended')]
      assert.deepEqual((await log.latest(id))?.event, winner?.event)
      assert.equal((await log.read(id)).length, 2)
    })

    test('of many copies of one event exactly one is written and the others are duplicates', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const entry = createdEntry()
      const results = await Promise.all(Array.from({ length: 20 }, () => log.append(entry)))
      assert.equal(results.filter((result) => result.kind === 'appended').length, 1)
      assert.equal(results.filter((result) => result.kind === 'duplicate').length, 19)
      assert.equal((await log.read(entry.event.state.id)).length, 1)
    })

    test('streams do not disturb each other', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const [mine, yours] = [await begun(log), await begun(log)]
      await append(log, nextEntry(mine.created, ATTEMPTED))
      await append(log, nextEntry(yours.created, VALIDATED))
      assert.deepEqual(await kindsOf(log, mine.id), ['MessageCreated', 'HandoffAttempted'])
      assert.deepEqual(await kindsOf(log, yours.id), ['MessageCreated', 'MessageValidated'])
    })

    test('a message loads with its newest event and the very content it was given', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const content = someContent({ callbackUrl: 'https://example.test/hook?a=1&b=ü' })
      const { created, id } = await begun(log, content)
      await append(log, nextEntry(created, ATTEMPTED))
      const loaded = await log.load(id)
      assert.deepEqual(loaded?.content, content)
      assert.equal(loaded?.event.fact.kind, 'HandoffAttempted')
      assert.deepEqual(withoutContent(loaded), await log.latest(id))
    })

    test('what is refused does not touch the content', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const { created, id, content } = await begun(log)
      const other = someContent({ body: 'something else' })
      assert.equal((await log.append({ seen: EMPTY, event: created.event, content: other })).kind, 'duplicate')
      const rival = { ...nextEntry(created, VALIDATED), seen: EMPTY, content: other }
      assert.equal((await log.append(rival)).kind, 'conflict')
      assert.deepEqual((await log.load(id))?.content, content)
    })

    test('shredding takes the content of one message for good and leaves its events', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const [mine, yours] = [await begun(log), await begun(log)]
      await log.shred(mine.id)
      await log.shred(mine.id)
      await log.append({ seen: EMPTY, event: mine.created.event, content: mine.content })
      const loaded = await log.load(mine.id)
      assert.deepEqual(loaded?.event, mine.created.event)
      assert.equal(loaded?.content, undefined)
      assert.deepEqual((await log.load(yours.id))?.content, yours.content)
      assert.deepEqual((await append(log, nextEntry(mine.created, ATTEMPTED))).event.attempt, 1)
      await log.shred(someMessage().id)
    })

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
        const rest = await follow(log, position, written.length - at - 1)
        assert.deepEqual(rest.map(idOf), written.slice(at + 1))
      }
    })

    test('the tip is the position of the newest event', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const written = await writeSome(log)
      const followed = await follow(log, START, written.length)
      assert.equal(await log.tip(), followed.at(-1)?.position)
      const { id } = await begun(log)
      assert.equal(await log.tip(), (await log.latest(id))?.position)
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

    test('a follower stops when its signal ends, and lets go of it', async () => {
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

    test('the first event of a message comes with what search may know, and with no more', async () => {
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

    test('changes tell the newest event of every message, what search may know of it, and how far they reach', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const { created } = await begun(log, someContent())
      const other = await begun(log, someContent())
      const newest = await append(log, nextEntry(created, ATTEMPTED))
      for (const limit of [2, 100]) {
        const stop = new AbortController()
        const told = new Map<string, Followed>()
        for await (const { through, events } of log.changes(START, limit, stop.signal)) {
          for (const followed of events) told.set(followed.messageId, { ...told.get(followed.messageId), ...followed })
          if (through === (await log.tip())) stop.abort()
        }
        assert.deepEqual(
          [created, other.created].map(({ event }) => told.get(event.state.id)?.event.id),
          [newest.event.id, other.created.event.id],
        )
        for (const followed of told.values()) assertSearchable(followed)
      }
    })

    test('recipients can be told apart by their key within a tenant, not across tenants', async () => {
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

    test('shredding takes what search may know along', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const [mine] = [await begun(log), await begun(log)]
      await log.shred(mine.id)
      const [first, second] = await follow(log, START, 2)
      assert.ok(first !== undefined && first.searchable === undefined)
      assert.ok(second?.searchable !== undefined)
    })
  })
}

async function begun(log: EventLog, content: Content = someContent()) {
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

/** The first `count` events after a position. */
async function follow(log: EventLog, after: Position, count: number, limit = 100): Promise<Followed[]> {
  const followed: Followed[] = []
  for await (const page of log.follow(after, limit, forever())) {
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

const withoutContent = ({ content: _, ...recorded }: { content?: Content }): object => recorded
const idOf = ({ event }: Pick<Followed, 'event'>): string => event.id
const placeOf = ({ position }: Followed): number => position
const ascending = (a: number, b: number): number => a - b
const kindsOf = async (log: EventLog, id: MessageId): Promise<string[]> =>
  (await log.read(id)).map(({ event }) => event.fact.kind)
