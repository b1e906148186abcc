/** Messages with long timelines, whose heads are not in memory: another thread reads them. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { START } from '../../../ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  DEAD,
  delivered,
  NOON,
  nextEntry,
  type Seen,
  someContent,
  someMessage,
  stopped,
} from '../../../ports/samples.contract.ts'
import { openSqlite } from '../sqlite.ts'
import { newFolder, UNSEALED } from '../store.fixture.ts'

const open = (path: string) => openSqlite({ path, clock: stopped, ...UNSEALED, indexBodies: false })
type Opened = Awaited<ReturnType<typeof open>>

const DETAIL = 'busy é '.repeat(500)

/** Ends it, so that it does not stay in memory. */
async function writeLong({ log }: Opened): Promise<Seen> {
  let seen = await append(log, createdEntry(someMessage()))
  for (let nth = 0; nth < 40; nth += 1) {
    const retry = { kind: 'RetryScheduled', dueAt: NOON, code: 'BUSY', detail: DETAIL } as const
    const { event, ...entry } = nextEntry(seen, retry)
    const id = `${event.state.id}.1.${nth}.${retry.kind}` as typeof event.id
    seen = await append(log, { ...entry, event: { ...event, id } })
  }
  return append(log, nextEntry(await append(log, nextEntry(seen, ATTEMPTED)), DEAD))
}

function damage(path: string): void {
  using db = new DatabaseSync(path)
  db.exec(`update messages set events = replace(events, 'BUSY', 'LAZY')`)
}

const newPath = (t: TestContext): string => join(newFolder(t), 'pombo.db')

test('are read, loaded and continued after a restart as short ones are', async (t) => {
  const path = newPath(t)
  const before = await open(path)
  const seen = await writeLong(before)
  const { id } = seen.event.state
  const events = (await before.log.read(id)).map(({ event }) => event)
  await before[Symbol.asyncDispose]()

  await using after = await open(path)
  const { log } = after
  const page = await log.page(id, { limit: 5 })
  assert.deepEqual(page, {
    events: events.slice(-5),
    first: events.length - 5,
    total: events.length,
    state: seen.event.state,
  })
  assert.deepEqual((await log.latest(id))?.event, seen.event)
  const loaded = await log.load(id)
  assert.deepEqual([loaded?.event, loaded?.content], [seen.event, someContent()])
  assert.deepEqual(await log.append({ seen: seen.revision, event: events[3] ?? seen.event }), { kind: 'duplicate' })
  const late = await append(log, nextEntry(seen, delivered()))
  assert.deepEqual((await log.page(id, { limit: 1 }))?.events, [late.event])
  assert.equal((await log.page(id, { limit: 1, before: 2 }))?.total, events.length + 1)
  assert.deepEqual(await log.read(id).then((read) => read.length), events.length + 1)
})

test('are read with what is not in the tables yet', async (t) => {
  await using engine = await open(newPath(t))
  const { log, index } = engine
  const seen = await writeLong(engine)
  const { id, tenantId } = seen.event.state
  await index.search({ tenantId, filter: {}, limit: 1 })
  const late = await append(log, nextEntry(seen, ACCEPTED))
  const page = await log.page(id, { limit: 2 })
  assert.deepEqual(page?.events, [seen.event, late.event])
  assert.deepEqual(page?.state, late.event.state)
})

test('do not make a page of messages long', async (t) => {
  await using engine = await open(newPath(t))
  const { index, feed } = engine
  const many = Array.from({ length: 4 }, () => writeLong(engine))
  const written = await Promise.all(many)
  const { tenantId } = written[0]?.event.state ?? assert.fail()
  const { rows, isCurrent } = await index.search({ tenantId, filter: {}, limit: 10 })
  assert.equal(isCurrent, true)
  assert.deepEqual(new Set(rows.map(({ state }) => state.id)), new Set(written.map(({ event }) => event.state.id)))
  let events = 0
  for await (const page of feed.since(START, tenantId, new AbortController().signal)) {
    assert.ok(page.events.length <= 256)
    events += page.events.length
  }
  assert.equal(events, 4 * 43)
})

test('damage to one is reported', async (t) => {
  const path = newPath(t)
  await using engine = await open(path)
  const { id, tenantId } = (await writeLong(engine)).event.state
  await engine.index.search({ tenantId, filter: {}, limit: 1 })
  damage(path)
  await assert.rejects(engine.log.page(id, { limit: 1 }), /checksum/)
})
