/** The tests every event log must pass: one winner per revision, content that can be destroyed, a log to follow. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MessageId } from '../domain/ids.ts'
import type { Content } from '../domain/message/message.ts'
import { EMPTY, type EventLog, START } from './event-log.ts'
import { begun, eventLogFollowingContract } from './event-log-following.contract.ts'
import { eventLogPagesContract } from './event-log-pages.contract.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  delivered,
  forever,
  nextEntry,
  type Open,
  someContent,
  someEmail,
  someMessage,
  stopped,
  VALIDATED,
  withHashedId,
} from './samples.contract.ts'

export function eventLogContract(engine: string, open: Open<'log'>): void {
  describe(`event log on ${engine}`, { timeout: 120_000 }, () => {
    test('an unknown message has no events', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const { id } = someMessage()
      assert.equal(await log.latest(id), undefined)
      assert.equal(await log.load(id), undefined)
      assert.deepEqual(await log.read(id), [])
      assert.equal(await log.tip(), START)
    })

    test('returns events as given, in the order of their appends', async () => {
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

    test('rejects a writer with an outdated revision and changes nothing', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const { created, id } = await begun(log)
      await append(log, nextEntry(created, VALIDATED))
      assert.deepEqual(await log.append(nextEntry(created, ATTEMPTED)), { kind: 'conflict' })
      assert.deepEqual(await log.append({ ...nextEntry(created, ATTEMPTED), seen: EMPTY }), { kind: 'conflict' })
      assert.deepEqual(await kindsOf(log, id), ['MessageCreated', 'MessageValidated'])
    })

    test('an event already in the stream is a duplicate, at any revision', async () => {
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

    test('events with hashed ids, as earlier releases recorded them, are returned as given and are not appended again', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const entry = createdEntry()
      const created = await append(log, { ...entry, event: withHashedId(entry.event) })
      const reported = nextEntry(created, delivered())
      const hashed = await append(log, { ...reported, event: withHashedId(reported.event) })
      assert.deepEqual(await log.append({ seen: hashed.revision, event: hashed.event }), { kind: 'duplicate' })
      const read = (await log.read(created.event.state.id)).map(({ event }) => event)
      assert.deepEqual(read, [created.event, hashed.event])
      for await (const page of log.follow(START, 10, forever())) {
        assert.deepEqual(
          page.map(({ event }) => event),
          read,
        )
        break
      }
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

    test('of many copies of one event exactly one is appended and the others are duplicates', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const entry = createdEntry()
      const results = await Promise.all(Array.from({ length: 20 }, () => log.append(entry)))
      assert.equal(results.filter((result) => result.kind === 'appended').length, 1)
      assert.equal(results.filter((result) => result.kind === 'duplicate').length, 19)
      assert.equal((await log.read(entry.event.state.id)).length, 1)
    })

    test('streams are independent', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const [mine, yours] = [await begun(log), await begun(log)]
      await append(log, nextEntry(mine.created, ATTEMPTED))
      await append(log, nextEntry(yours.created, VALIDATED))
      assert.deepEqual(await kindsOf(log, mine.id), ['MessageCreated', 'HandoffAttempted'])
      assert.deepEqual(await kindsOf(log, yours.id), ['MessageCreated', 'MessageValidated'])
    })

    test('loads a message with its newest event and its exact content', async () => {
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

    test('content of several megabytes is returned whole, is stored once and can be shredded', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const content = someEmail(5 * 1024 * 1024)
      const message = someMessage({ channel: 'email', kind: 'email' })
      const entry = createdEntry(message, content)
      const created = await append(log, entry)
      assert.equal((await log.append(entry)).kind, 'duplicate')
      await append(log, nextEntry(created, ATTEMPTED))
      assert.deepEqual((await log.load(message.id))?.content, content)
      await log.shred(message.id)
      assert.equal((await log.load(message.id))?.content, undefined)
    })

    test('large content is skipped while there is no room for it', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const large = someMessage({ channel: 'email', kind: 'email', contentSize: 700 })
      const content = someEmail(512 * 1024)
      await append(log, createdEntry(large, content))
      const asked: number[] = []
      const answer = (hasRoom: boolean) => (kilobytes: number) => {
        asked.push(kilobytes)
        return hasRoom
      }
      const skipped = await log.load(large.id, answer(false))
      assert.deepEqual(
        [skipped?.event.state.id, skipped?.content, skipped?.contentSkipped],
        [large.id, undefined, true],
      )
      assert.deepEqual((await log.load(large.id, answer(true)))?.content, content)
      assert.deepEqual(asked, [700, 700])
      const { id } = await begun(log)
      assert.ok((await log.load(id, answer(false)))?.content !== undefined)
    })

    test('an event may be preceded by another, once, and a late writer conflicts with both', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const { created, id } = await begun(log)
      const validated = nextEntry(created, VALIDATED)
      const attempted = nextEntry({ ...created, event: validated.event }, ATTEMPTED)
      const both = { ...attempted, seen: created.revision, before: validated.event }
      const appended = await log.append(both)
      const [, before, revision] = (await log.read(id)).map((recorded) => recorded.revision)
      assert.deepEqual(appended, { kind: 'appended', revision, before })
      assert.deepEqual(await kindsOf(log, id), ['MessageCreated', 'MessageValidated', 'HandoffAttempted'])
      assert.equal((await log.append(both)).kind, 'duplicate')
      assert.equal((await log.latest(id))?.event.state.attempt, 1)

      const crashed = await begun(log)
      const first = await append(log, nextEntry(crashed.created, VALIDATED))
      const second = nextEntry(first, ATTEMPTED)
      assert.equal('before' in (await log.append({ ...second, before: first.event })), false)
      assert.deepEqual(await kindsOf(log, crashed.id), ['MessageCreated', 'MessageValidated', 'HandoffAttempted'])

      const late = await begun(log)
      await append(log, nextEntry(late.created, VALIDATED))
      const rival = {
        ...nextEntry(late.created, ATTEMPTED),
        before: nextEntry(late.created, { kind: 'MessageErased' }).event,
      }
      assert.equal((await log.append(rival)).kind, 'conflict')
      assert.deepEqual(await kindsOf(log, late.id), ['MessageCreated', 'MessageValidated'])
    })

    test('a rejected append does not change the content', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const { created, id, content } = await begun(log)
      const other = someContent({ body: 'something else' })
      assert.equal((await log.append({ seen: EMPTY, event: created.event, content: other })).kind, 'duplicate')
      const rival = { ...nextEntry(created, VALIDATED), seen: EMPTY, content: other }
      assert.equal((await log.append(rival)).kind, 'conflict')
      assert.deepEqual((await log.load(id))?.content, content)
    })

    test('shredding destroys the content of one message permanently and keeps its events', async () => {
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

    test('shredding only the content keeps the searchable fields until they are shredded too', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const { id, created, content } = await begun(log)
      assert.equal((await log.load(id))?.searchable, undefined)
      for (let twice = 0; twice < 2; twice += 1) await log.shred(id, 'searchable')
      await log.append({ seen: EMPTY, event: created.event, content })
      const loaded = await log.load(id)
      assert.deepEqual([loaded?.event, loaded?.content], [created.event, undefined])
      assert.deepEqual([loaded?.searchable?.to, loaded?.searchable?.tags], ['+*******4321', content.tags])
      await log.shred(id)
      await log.shred(id, 'searchable')
      const gone = await log.load(id)
      assert.deepEqual([gone?.content, gone?.searchable], [undefined, undefined])
    })
  })

  eventLogFollowingContract(engine, open)
  eventLogPagesContract(engine, open)
}

const withoutContent = ({ content: _, ...recorded }: { content?: Content }): object => recorded
const kindsOf = async (log: EventLog, id: MessageId): Promise<string[]> =>
  (await log.read(id)).map(({ event }) => event.fact.kind)
