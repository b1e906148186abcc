import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { MessageEvent } from '../../../domain/message/events.ts'
import type { Revision } from '../../../ports/event-log.ts'
import { search } from '../../../ports/index-samples.contract.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  delivered,
  nextEntry,
  someContent,
  stopped,
} from '../../../ports/samples.contract.ts'
import { encodeEvent, encodeMessage } from '../../shared/codec.ts'
import { writeEarlier } from '../messages/earlier-database.fixture.ts'
import { openSqlite } from '../sqlite.ts'
import { newFolder, openSealed, UNSEALED } from '../store.fixture.ts'
import { journalPathOf, openJournalFile } from './journal-file.ts'

const next = (event: MessageEvent, fact: Parameters<typeof nextEntry>[1]): MessageEvent =>
  nextEntry({ revision: 1 as Revision, event }, fact).event

const CONTENT = someContent()

/** Lines as the earlier release wrote them. */
const firstLine = (seq: number, event: MessageEvent): string =>
  ['first', seq, event.id, encodeMessage(event.state), encodeEvent(event), JSON.stringify(CONTENT)].join('\t')
const nextLine = (kind: 'next' | 'final', seq: number, event: MessageEvent): string =>
  [kind, seq, event.id, event.state.id, encodeEvent(event)].join('\t')

const OWNER = 4711

/** The journal of a gateway that has crashed, with one frame in the tables already. */
function writeJournal(path: string, frames: readonly (readonly string[])[]): void {
  using db = new DatabaseSync(path)
  const save = db.prepare('insert into progress (name, position) values (?, ?)')
  for (const [name, position] of Object.entries({ journal: 1, journal_owner: OWNER, journal_open: 1 }))
    save.run(name, position)
  using journal = openJournalFile(journalPathOf(path), OWNER)
  journal.exec(`insert into epochs (epoch, secret) values (1, x'01')`)
  const insert = journal.prepare('insert into frames (number, epoch, sealed) values (?, 1, ?)')
  for (const [nth, lines] of frames.entries()) insert.run(nth + 1, Buffer.from(lines.join('\n')))
}

/** A message in the tables, and events in the journal that belong to it and to another one. */
function crashed(t: TestContext) {
  const path = join(newFolder(t), 'pombo.db')
  const { event: filed } = createdEntry()
  const attempted = next(filed, ATTEMPTED)
  const accepted = next(attempted, ACCEPTED)
  const { event: fresh } = createdEntry()
  writeEarlier(path, [{ events: [filed, attempted], content: CONTENT }], openSealed)
  const end = next(accepted, delivered())
  writeJournal(path, [
    [firstLine(1, filed)],
    [nextLine('next', 2, attempted), firstLine(3, fresh)],
    [nextLine('next', 4, accepted), nextLine('final', 5, end)],
  ])
  return { path, events: [filed, attempted, accepted, end], fresh }
}

test('the journal that an earlier release left is filed after its messages were taken over', async (t) => {
  const { path, events, fresh } = crashed(t)
  await using engine = await openSqlite({ path, clock: stopped, ...UNSEALED, indexBodies: false })
  const { log, index } = engine
  assert.deepEqual(
    (await log.read(fresh.state.id)).map(({ event }) => event),
    [fresh],
  )
  const [filed] = events
  assert.ok(filed !== undefined)
  const read = await log.read(filed.state.id)
  assert.deepEqual(
    read.map(({ position, event }) => [position, event]),
    events.map((event, nth) => [[1, 2, 4, 5][nth], event]),
  )
  assert.deepEqual((await log.load(fresh.state.id))?.content, CONTENT)
  assert.equal(await log.tip(), 5)
  assert.deepEqual(
    (await search(index, { status: 'delivered' })).map(({ state }) => state),
    [events.at(-1)?.state],
  )
  assert.equal((await search(index, { toKey: openSealed.blind(fresh.state.tenantId, CONTENT.to) })).length, 2)
})
