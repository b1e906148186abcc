import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { EmailAddress } from '../../../domain/email/address.ts'
import type { MessageId } from '../../../domain/ids.ts'
import type { Fact, MessageEvent } from '../../../domain/message/events.ts'
import { toSummary } from '../../../domain/message/searchable.ts'
import type { MessageState } from '../../../domain/message/state.ts'
import { later, seconds } from '../../../lib/time.ts'
import type { Position, Revision } from '../../../ports/event-log.ts'
import {
  contentOf,
  idsOf,
  messageOf,
  NORTH,
  type SampleMessage,
  search,
} from '../../../ports/index-samples.contract.ts'
import type { Filter } from '../../../ports/message-index.ts'
import {
  ACCEPTED,
  ACME,
  ATTEMPTED,
  append,
  createdEntry,
  DEAD,
  delivered,
  forever,
  hours,
  NOON,
  nextEntry,
  phone,
  retryAt,
  someEmail,
  stopped,
  unknownUntil,
  withHashedId,
} from '../../../ports/samples.contract.ts'
import { openWriter } from '../database.ts'
import { openSqlite } from '../sqlite.ts'
import { newFolder, openSealed, UNSEALED } from '../store.fixture.ts'
import { type Earlier, type Written, writeEarlier } from './earlier-database.fixture.ts'
import { encodeEvent } from './event-codec.ts'
import { takeOver } from './take-over.ts'

const address = (text: string) => ({ address: text as EmailAddress })
const ERASED: Fact = { kind: 'MessageErased' }
const CODE_ENDED: Fact = { kind: 'MessageErased', kept: 'recipient' }
const RETRIED = { ...retryAt(later(NOON, seconds(9))), avoid: ACME } as Fact
const BOUNCED: Fact = { kind: 'ProviderBounced', reportId: 'b1', code: 'BLOCKED', detail: 'blocked by the carrier' }

type Story = SampleMessage & Readonly<{ shredded?: 'content' | 'all'; hashed?: boolean }>

/** One of each kind. */
const STORIES: Readonly<Record<string, Story>> = {
  waiting: {},
  delivered: { facts: [ATTEMPTED, ACCEPTED, delivered()] },
  hashed: { facts: [ATTEMPTED, ACCEPTED, delivered()], hashed: true },
  silent: { facts: [ATTEMPTED, { kind: 'HandoffAccepted', providerMessageId: 'SM2', by: 'answer' }] },
  copied: { facts: [ATTEMPTED], mail: { cc: [address('eva@example.com')], bcc: [address('rui@example.com')] } },
  large: { mail: { ...someEmail(100_000), subject: 'Um anexo grande' } },
  otherLane: { message: { lane: 'bulk', createdAt: later(NOON, seconds(-3600)) }, content: { tags: ['late'] } },
  dead: { facts: [ATTEMPTED, RETRIED, ATTEMPTED, DEAD] },
  unknown: { facts: [ATTEMPTED, unknownUntil(later(NOON, seconds(60)))] },
  resent: { facts: [ATTEMPTED, ACCEPTED, BOUNCED, { kind: 'ResendRequested', by: 'resend' }, ATTEMPTED, ACCEPTED] },
  erased: { facts: [ATTEMPTED, ACCEPTED, ERASED], shredded: 'all', content: { to: phone('+351911111111') } },
  codeEnded: { facts: [ATTEMPTED, ACCEPTED, CODE_ENDED], shredded: 'content', content: { to: phone('+351922222222') } },
}
const NAMES = Object.keys(STORIES)
const MESSAGES = Object.values(STORIES).map(toEarlier)

function toEarlier(story: Story): Earlier {
  const { facts = [], pace, hashed, shredded } = story
  const content = contentOf(story)
  const { event: first } = createdEntry(messageOf(story), content)
  const next: MessageEvent[] = []
  for (const fact of facts) {
    next.push(nextEntry({ revision: 1 as Revision, event: next.at(-1) ?? first }, fact, undefined, pace).event)
  }
  if (hashed === true) return { events: [withHashedId(first), ...next.map(withHashedId)], content, shredded }
  return { events: [first, ...next], content, shredded }
}

function write(t: TestContext, messages = MESSAGES, indexed?: number) {
  const path = join(newFolder(t), 'pombo.db')
  return { path, earlier: writeEarlier(path, messages, openSealed, indexed) }
}

const open = (path: string) => openSqlite({ path, clock: stopped, ...UNSEALED, indexBodies: false })

const idOf = ({ events }: Written): MessageId => {
  const [, first] = events[0] ?? []
  assert.ok(first !== undefined)
  return first.state.id
}

const stateOf = ({ events }: Written): MessageState | undefined => events.at(-1)?.[1].state

test('keeps the timeline and the content of every message', async (t) => {
  const { path, earlier } = write(t)
  await using engine = await open(path)
  for (const [nth, one] of earlier.entries()) {
    const read = await engine.log.read(idOf(one))
    assert.deepEqual(
      read.map(({ position, event }) => [position, event]),
      one.events,
      NAMES[nth],
    )
    const loaded = await engine.log.load(idOf(one))
    assert.deepEqual(loaded?.event, one.events.at(-1)?.[1])
    assert.deepEqual(loaded?.content, one.content, NAMES[nth])
    assert.deepEqual(loaded?.searchable, one.content === undefined ? one.searchable : undefined, NAMES[nth])
  }
})

test('events are stored as this release stores them, without what they did not change', (t) => {
  const { path, earlier } = write(t)
  openWith(path, { step: 100 })
  using db = openWriter(path)
  const stored = db.prepare('select events from messages order by n').all()
  const expected = earlier.map(({ events }) =>
    events.map(([seq, event], nth) => JSON.parse(encodeEvent(seq, event, events[nth - 1]?.[1].state))),
  )
  assert.deepEqual(
    stored.map(({ events }) => JSON.parse(String(events))),
    expected,
  )
})

test('messages are found as before, and what was erased is not', async (t) => {
  const { path, earlier } = write(t)
  await using engine = await open(path)
  for (const [nth, one] of earlier.entries()) {
    const state = stateOf(one)
    const searchable = one.searchable === undefined ? {} : { searchable: toSummary(one.searchable) }
    assert.deepEqual(await search(engine.index, { id: idOf(one) }), [{ state, ...searchable }], NAMES[nth])
  }
  const key = (to: string): Filter => ({ toKey: openSealed.blind(NORTH, to as EmailAddress) })
  const found = async (filter: Filter) => {
    const ids = new Set(idsOf(await search(engine.index, filter)))
    return NAMES.filter((_, nth) => ids.has(idOf(earlier[nth] as Written)))
  }
  assert.deepEqual(await found(key('eva@example.com')), ['copied'])
  assert.deepEqual(await found(key('rui@example.com')), ['copied'])
  assert.deepEqual(await found(key('+351911111111')), [])
  assert.deepEqual(await found(key('+351922222222')), ['codeEnded'])
  assert.deepEqual(await found({ tag: 'late' }), ['otherLane'])
  assert.deepEqual(await found({ text: 'anexo' }), ['large'])
  assert.deepEqual(await found({ text: 'handset unreachable' }), ['dead'])
  assert.deepEqual(await found({ providerMessageId: 'SM2' }), ['silent'])
  assert.deepEqual(await found({ dead: true }), ['dead'])
  assert.deepEqual(await found({ unknown: true }), ['unknown'])
  assert.deepEqual(await found({ status: 'delivered' }), ['delivered', 'hashed'])
  assert.equal((await found({})).length, NAMES.length)
})

test('statistics, waiting jobs and overdue messages are as before', async (t) => {
  const { path, earlier } = write(t)
  await using engine = await open(path)
  const [from, to] = [later(NOON, seconds(-7200)), later(NOON, hours(1))]
  const buckets = await engine.index.stats({ tenantId: NORTH, from, to, bucket: hours(3) })
  const counts = buckets.flatMap(({ statuses }) => Object.values(statuses))
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    earlier.length,
  )
  const depth = await engine.queue.depth()
  const unfinished = earlier.filter((one) => ['queued', 'sending'].includes(stateOf(one)?.handoffState ?? ''))
  assert.equal(
    depth.reduce((sum, { ready, delayed }) => sum + ready + delayed, 0),
    unfinished.length,
  )
  const { states } = await engine.index.overdue({ kind: 'silent', through: to, limit: 100 })
  assert.ok(idsOf(states.map((state) => ({ state }))).includes(idOf(earlier[NAMES.indexOf('silent')] as Written)))
})

/** All events, in the order of the log. */
const inOrder = (earlier: readonly Written[]) =>
  earlier.flatMap(({ events }) => events).toSorted(([one], [other]) => one - other)

test('the log can be followed from every position', async (t) => {
  const { path, earlier } = write(t)
  openWith(path, { step: 5 })
  await using engine = await open(path)
  const all = inOrder(earlier)
  assert.equal(await engine.log.tip(), all.length)
  for (const [position] of all) {
    for (const limit of [1, 3, 100]) {
      for await (const page of engine.log.follow((position - 1) as Position, limit, forever())) {
        const expected = all.slice(position - 1, position - 1 + limit)
        assert.deepEqual(
          page.map(({ position: at, event }) => [at, event]),
          expected,
        )
        break
      }
    }
  }
})

test('new events come after those of the earlier release, also in messages that it began', async (t) => {
  const { path, earlier } = write(t)
  await using engine = await open(path)
  const id = idOf(earlier[0] as Written)
  const before = await engine.log.tip()
  const seen = await engine.log.latest(id)
  assert.ok(seen !== undefined)
  await append(engine.log, nextEntry(seen, ATTEMPTED))
  await append(engine.log, createdEntry())
  assert.equal(await engine.log.tip(), before + 2)
  assert.deepEqual(
    (await engine.log.read(id)).map(({ position }) => position),
    [1, before + 1],
  )
  assert.deepEqual(await engine.log.append(createdEntry(seen.event.state)), { kind: 'duplicate' })
})

type Crash = Readonly<{ step: number; crashAfter?: number }>

/** Takes over with small transactions, and dies after so many of them. Whether it came to the end. */
function openWith(path: string, { step, crashAfter = Number.POSITIVE_INFINITY }: Crash): boolean {
  using db = openWriter(path)
  let done = -1
  const onTakeOver = (): void => {
    done += 1
    if (done >= crashAfter) throw new Error('crash')
  }
  try {
    takeOver(db, { path, sealer: openSealed, step, onTakeOver })
    return true
  } catch (error) {
    assert.equal((error as Error).message, 'crash')
    return false
  }
}

/** Everything in the tables, apart from what the journal is opened with. */
function contentsOf(path: string): unknown {
  using db = new DatabaseSync(path, { readOnly: true })
  const tables = ['messages', 'contents', 'shapes', 'counts', 'filings', 'message_tags', 'message_words', 'progress']
  return tables.map((table) => [table, db.prepare(`select * from ${table}`).all()])
}

test('goes on after a crash between any two transactions, and nothing is lost or doubled', (t) => {
  const [{ path, earlier }, { path: again }] = [write(t), write(t)]
  openWith(path, { step: 3 })
  let starts = 1
  while (!openWith(again, { step: 3, crashAfter: 1 })) starts += 1
  assert.equal(starts, Math.ceil(inOrder(earlier).length / 3) + 1)
  assert.deepEqual(contentsOf(again), contentsOf(path))
})

test('the earlier tables are gone, and the file gives space back from now on', (t) => {
  const { path } = write(t)
  openWith(path, { step: 100 })
  using db = openWriter(path)
  assert.deepEqual(db.prepare(`select name from sqlite_schema where name like 'earlier%'`).all(), [])
  assert.equal(db.prepare('pragma auto_vacuum').get()?.['auto_vacuum'], 2)
})

test('reports how far it is, and nothing the second time', (t) => {
  const { path, earlier } = write(t)
  const total = inOrder(earlier).length
  const reports: number[][] = []
  for (const expected of [
    [
      [0, total],
      [30, total],
      [total, total],
    ],
    [],
  ]) {
    reports.length = 0
    using db = openWriter(path)
    takeOver(db, { path, sealer: openSealed, step: 30, onTakeOver: (...report) => reports.push(report) })
    assert.deepEqual(reports, expected)
  }
})

test('large contents are moved in smaller transactions', (t) => {
  const mail = { mail: someEmail(2_500_000) }
  const { path } = write(t, [mail, mail, {}, mail].map(toEarlier))
  const steps: number[] = []
  using db = openWriter(path)
  takeOver(db, { path, sealer: openSealed, onTakeOver: (done) => steps.push(done) })
  assert.deepEqual(steps, [0, 3, 4])
})

test('queues the webhook deliveries that the earlier release had not queued', (t) => {
  const called = { message: { callback: true as const } }
  const { path, earlier } = write(t, [called, called, { ...called, facts: [ATTEMPTED] }].map(toEarlier), 2)
  openWith(path, { step: 100 })
  using db = openWriter(path)
  assert.deepEqual(
    db.prepare('select message, wanted_through as wanted from webhook_deliveries').all().map(Object.entries),
    [Object.entries({ message: idOf(earlier[2] as Written), wanted: 4 })],
  )
})
