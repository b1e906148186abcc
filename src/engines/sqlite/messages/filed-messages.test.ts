import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { until } from '../../../../test/support/until.ts'
import { loggedIndex } from '../../../ports/filled-index.contract.ts'
import { idsOf, NORTH, search, someProjection } from '../../../ports/index-samples.contract.ts'
import {
  ATTEMPTED,
  append,
  createdEntry,
  nextEntry,
  phone,
  someContent,
  someMessage,
  stopped,
} from '../../../ports/samples.contract.ts'
import { openReader } from '../database.ts'
import { openSqlite } from '../sqlite.ts'
import { newFolder, newTables, openSealed, UNSEALED } from '../store.fixture.ts'
import { fileNew, openMessages } from './filed-messages.fixture.ts'
import { nameOf } from './name-of.ts'
import { CHAPTER_MESSAGES } from './names.ts'

const pathIn = (t: TestContext): string => join(newFolder(t), 'pombo.db')

test('finds messages by id, and numbers them in order', (t) => {
  const messages = openMessages(newTables(t))
  const created = [1, 2, 3].map(() => createdEntry().event)
  assert.deepEqual(
    created.map((event) => fileNew(messages, event)),
    [1, 2, 3],
  )
  assert.deepEqual(
    created.map(({ state }) => messages.find(state.id)?.n),
    [1, 2, 3],
  )
  assert.equal(messages.find(someMessage().id), undefined)
})

test('a message that is named like the id of another is not mistaken for it', (t) => {
  const messages = openMessages(newTables(t))
  const [created, other] = [createdEntry().event, createdEntry().event]
  const { searchable } = someProjection({}, 1)
  fileNew(messages, other, { ...searchable, toKey: created.state.id })
  assert.equal(messages.find(created.state.id), undefined)
  fileNew(messages, created)
  assert.equal(messages.find(created.state.id)?.n, 2)
})

test('a rollback forgets new messages and uses their numbers again', (t) => {
  const db = newTables(t)
  const messages = openMessages(db)
  const [kept, lost, next] = [createdEntry().event, createdEntry().event, createdEntry().event]
  fileNew(messages, kept)
  db.exec('begin')
  fileNew(messages, lost)
  db.exec('rollback')
  messages.recall()
  assert.deepEqual([messages.find(kept.state.id)?.n, messages.find(lost.state.id)], [1, undefined])
  assert.deepEqual([fileNew(messages, next), messages.find(next.state.id)?.n], [2, 2])
})

test('an event that a message has already is not added again', (t) => {
  const messages = openMessages(newTables(t))
  const { event } = createdEntry()
  fileNew(messages, event)
  const row = messages.find(event.state.id)
  assert.ok(row !== undefined)
  assert.equal(messages.extend(row, [row.events.slice(1, -1)]), false)
  assert.deepEqual(messages.find(event.state.id), row)
})

test('finds every message of a burst by its recipient, also in chapters and after reopening', {
  timeout: 60_000,
}, async (t) => {
  const path = pathIn(t)
  const options = { path, clock: stopped, ...UNSEALED, indexBodies: false }
  const count = CHAPTER_MESSAGES + 1_000
  const filter = { toKey: openSealed.blind(NORTH, someContent().to) }
  const query = { tenantId: NORTH, filter, limit: count + 1 }
  {
    await using engine = await openSqlite(options)
    const { log, index } = engine
    const created = await Promise.all(Array.from({ length: count }, () => append(log, createdEntry())))
    const sent = created.filter((_, nth) => nth % 2 === 0)
    await Promise.all(sent.map((seen) => append(log, nextEntry(seen, ATTEMPTED))))
    assert.equal((await index.search(query)).rows.length, count)
    using reader = openReader(path)
    const chapters = reader.prepare('select count(*) as count from chapters')
    await until('a chapter', () => chapters.get()?.['count'] === 1)
    assert.equal((await index.search(query)).rows.length, count)
  }
  await using reopened = await openSqlite(options)
  assert.equal((await reopened.index.search(query)).rows.length, count)
})

test('recipients whose names have the same hash are not confused', async (t) => {
  const keys: Readonly<Record<string, string>> = { '+351911111111': 'key-3i5w3', '+351922222222': 'key-b78pp' }
  const [one = '', other = ''] = Object.values(keys)
  assert.equal(nameOf(one), nameOf(other))
  const blind = (_: unknown, to: string): string => keys[to] ?? to
  const sealer = { ...openSealed, blind }
  const options = { path: pathIn(t), clock: stopped, ...UNSEALED, sealer, indexBodies: false }
  await using opened = loggedIndex(await openSqlite(options))
  const [first, second] = await opened.put(...Object.keys(keys).map((to) => ({ content: { to: phone(to) } })))
  assert.deepEqual(idsOf(await search(opened.index, { toKey: one })), [first])
  assert.deepEqual(idsOf(await search(opened.index, { toKey: other })), [second])
})
