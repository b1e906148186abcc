/** The engine over real files: failures, memory, restarts and crashes. */
import assert from 'node:assert/strict'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { until } from '../../../../test/support/until.ts'
import type { MessageId } from '../../../domain/ids.ts'
import { later } from '../../../lib/time.ts'
import { type EventLog, START } from '../../../ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  DEAD,
  delivered,
  earlier,
  forever,
  hours,
  jobOf,
  NOON,
  nextEntry,
  someContent,
  someMessage,
} from '../../../ports/samples.contract.ts'
import { Unavailable } from '../../../ports/unavailable.ts'
import { openInThread } from '../../../profiles/threaded-engine.fixture.ts'
import { DatabaseDamaged } from '../damage.ts'
import { journalPathOf } from '../journal/journal-file.ts'
import { openSqlite } from '../sqlite.ts'
import { newFolder, UNSEALED } from '../store.fixture.ts'

const open = (path: string) => openSqlite({ path, clock: () => later(NOON, hours(1)), ...UNSEALED, indexBodies: false })

const newPath = (t: TestContext): string => join(newFolder(t), 'pombo.db')

/** The files as a crash would leave them at this moment, in a folder of their own. */
function crashed(t: TestContext, path: string): string {
  const folder = newFolder(t)
  cpSync(join(path, '..'), folder, { recursive: true })
  return join(folder, 'pombo.db')
}

const kindsOf = async (log: EventLog, id: MessageId): Promise<string[]> =>
  (await log.read(id)).map(({ event }) => event.fact.kind)

/** Makes every write of a frame fail until it is called. */
function fillJournal(path: string): () => void {
  using db = new DatabaseSync(journalPathOf(path))
  db.exec(`create trigger full before insert on frames begin select raise(abort, 'the disk is full'); end`)
  return () => {
    using again = new DatabaseSync(journalPathOf(path))
    again.exec('drop trigger full')
  }
}

test('a message survives a crash right after its append is answered, with its content and its job', async (t) => {
  const path = newPath(t)
  await using engine = await open(path)
  const message = someMessage()
  const created = await append(engine.log, createdEntry(message, someContent(), jobOf(message)))
  await append(engine.log, nextEntry(created, ATTEMPTED))
  await using again = await open(crashed(t, path))
  assert.deepEqual(await kindsOf(again.log, message.id), ['MessageCreated', 'HandoffAttempted'])
  assert.deepEqual((await again.log.load(message.id))?.content, someContent())
  assert.equal(await again.log.tip(), 2)
  assert.equal(await again.index.position(), 2)
  const [taken] = await again.queue.take(1, forever())
  assert.equal(taken?.job.messageId, message.id)
})

test('a finished message gets no job after a restart', async (t) => {
  const path = newPath(t)
  const message = someMessage()
  {
    await using engine = await open(path)
    const created = await append(engine.log, createdEntry(message, someContent(), jobOf(message)))
    const attempted = await append(engine.log, nextEntry(created, ATTEMPTED))
    const accepted = await append(engine.log, nextEntry(attempted, ACCEPTED))
    await append(engine.log, nextEntry(accepted, delivered('report')))
  }
  assert.equal(existsSync(journalPathOf(path)), false, 'a closed engine leaves one file')
  await using again = await open(path)
  assert.ok((await again.queue.depth()).every(({ ready, delayed }) => ready + delayed === 0))
  assert.equal((await kindsOf(again.log, message.id)).length, 4)
})

test('positions continue after a restart, and an id is not used twice', async (t) => {
  const path = newPath(t)
  const entry = createdEntry()
  {
    await using engine = await open(path)
    await engine.log.append(entry)
  }
  await using again = await open(path)
  assert.deepEqual(await again.log.append(entry), { kind: 'duplicate' })
  const rival = { ...createdEntry(someMessage({ id: entry.event.state.id })) }
  assert.notEqual((await again.log.append(rival)).kind, 'appended')
  assert.deepEqual(await again.log.append(createdEntry()), { kind: 'appended', revision: 2 })
})

test('a frame that cannot be written changes nothing: every append of it fails, and works afterwards', async (t) => {
  const path = newPath(t)
  await using engine = await open(path)
  const { log } = engine
  const created = await append(log, createdEntry())
  const { id } = created.event.state
  const empty = fillJournal(path)
  const entry = createdEntry()
  const results = await Promise.allSettled([log.append(nextEntry(created, ATTEMPTED)), log.append(entry)])
  assert.ok(results.every((result) => result.status === 'rejected' && result.reason instanceof Unavailable))
  assert.deepEqual([await log.tip(), await log.latest(entry.event.state.id)], [1, undefined])
  assert.deepEqual((await log.latest(id))?.event, created.event)
  empty()
  const attempted = await append(log, nextEntry(created, ATTEMPTED))
  assert.equal(attempted.revision, 2)
  assert.equal((await log.append(entry)).kind, 'appended')
})

test('appends that build on one that fails fail too', async (t) => {
  const path = newPath(t)
  await using engine = await open(path)
  const { log } = engine
  const entry = createdEntry()
  const empty = fillJournal(path)
  const created = { revision: 1 as never, event: entry.event }
  const next = nextEntry(created, ATTEMPTED)
  const results = await Promise.allSettled([log.append(entry), log.append(next)])
  assert.ok(results.every(({ status }) => status === 'rejected'))
  empty()
  assert.equal(await log.latest(entry.event.state.id), undefined)
  assert.equal((await log.append(next)).kind, 'conflict')
})

test('nobody reads an event before it is durable', async (t) => {
  await using engine = await open(newPath(t))
  const { log } = engine
  const entry = createdEntry()
  let isDurable = false
  const appending = log.append(entry).then(() => {
    isDurable = true
  })
  const seen = await log.latest(entry.event.state.id)
  assert.ok(isDurable && seen !== undefined)
  await appending
})

test('webhook deliveries are queued before their message is filed, and once', async (t) => {
  await using engine = await open(newPath(t))
  const { log, index, webhookDeliveries } = engine
  const message = someMessage({ callback: true })
  const created = await append(log, createdEntry(message))
  const due = () => webhookDeliveries.take(later(NOON, hours(2)), later(NOON, hours(3)), 10, 10)
  const [delivery] = await until('a delivery', async () => {
    const taken = await due()
    return taken.length > 0 && taken
  })
  assert.equal(delivery?.delivery.subjectId, message.id)
  assert.equal(await index.position(), 0, 'not filed yet')
  await append(log, nextEntry(created, ATTEMPTED))
  await until('the message to be filed', async () => (await index.position()) === 2)
  assert.deepEqual(await due(), [], 'the delivery is still held')
})

test('erasures that share a transaction lose no event that arrives meanwhile', async () => {
  await using engine = await openInThread()
  const { log } = engine
  const messages = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const created = await append(log, createdEntry())
      const { id } = created.event.state
      const [attempted] = await Promise.all([append(log, nextEntry(created, ATTEMPTED)), log.shred(id)])
      await Promise.all([append(log, nextEntry(attempted, ACCEPTED)), log.shred(id)])
      return id
    }),
  )
  await until('everything to be filed', async () => (await engine.index.position()) === (await log.tip()))
  for (const id of messages) {
    assert.deepEqual(await kindsOf(log, id), ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted'])
    assert.equal((await log.load(id))?.content, undefined)
  }
})

test('a follower reaches the end of a log whose newest events were deleted', async (t) => {
  await using engine = await open(newPath(t))
  const { log, retention } = engine
  const kept = await append(log, createdEntry())
  const old = await append(log, createdEntry(someMessage({ createdAt: earlier(NOON, hours(24 * 40)) })))
  const attempted = await append(log, nextEntry(old, ATTEMPTED))
  await append(log, nextEntry(attempted, DEAD))
  assert.equal(await retention.prune({ days: 30, rules: [] }, later(NOON, hours(2)), 10), 1)
  const seen: [through: number, events: number][] = []
  for await (const { through, events } of log.changes(START, 10, forever())) {
    seen.push([through, events.length])
    if (through >= (await log.tip())) break
  }
  assert.deepEqual(seen, [
    [kept.revision, 1],
    [4, 0],
  ])
})

test('refuses to start without the journal of a crashed gateway', async (t) => {
  const path = newPath(t)
  await using engine = await open(path)
  await engine.log.append(createdEntry())
  const copy = crashed(t, path)
  for (const end of ['', '-wal', '-shm']) rmSync(`${journalPathOf(copy)}${end}`, { force: true })
  await assert.rejects(open(copy), (error) => error instanceof DatabaseDamaged && /is missing/.test(error.message))
})

test('refuses a journal that is not its own', async (t) => {
  const [path, other] = [newPath(t), newPath(t)]
  await using engine = await open(path)
  await engine.log.append(createdEntry())
  await using stranger = await open(other)
  await stranger.log.append(createdEntry())
  const copy = crashed(t, path)
  for (const end of ['', '-wal', '-shm']) {
    rmSync(`${journalPathOf(copy)}${end}`, { force: true })
    cpSync(`${journalPathOf(other)}${end}`, `${journalPathOf(copy)}${end}`)
  }
  await assert.rejects(
    open(copy),
    (error) => error instanceof DatabaseDamaged && /another database/.test(error.message),
  )
})
