import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { EmailAddress } from '../../../domain/email/address.ts'
import type { MessageId } from '../../../domain/ids.ts'
import { loggedIndex } from '../../../ports/filled-index.contract.ts'
import { idsOf, NORTH, type SampleMessage, search } from '../../../ports/index-samples.contract.ts'
import { ACCEPTED, ATTEMPTED, createdEntry, DEAD, delivered, phone, stopped } from '../../../ports/samples.contract.ts'
import { remote } from '../driver.ts'
import { IdFilter } from '../log/id-filter.ts'
import { openSqlite } from '../sqlite.ts'
import { newFolder, newTables, openSealed, UNSEALED } from '../store.fixture.ts'
import { fileNew, openMessages } from './filed-messages.fixture.ts'
import { IdFilters } from './id-filters.ts'
import { CHAPTER_MESSAGES } from './names.ts'

const STORIES: readonly SampleMessage[] = [
  {},
  { facts: [ATTEMPTED] },
  { facts: [ATTEMPTED, ACCEPTED], content: { tags: ['late'] } },
  { facts: [ATTEMPTED, ACCEPTED, delivered()], mail: { cc: [{ address: 'eva@example.com' as EmailAddress }] } },
  { facts: [ATTEMPTED, DEAD], content: { to: phone('+351911111111') } },
  { facts: [{ kind: 'MessageErased' }] },
]

const open = (path: string) => openSqlite({ path, clock: stopped, ...UNSEALED, indexBodies: false })
type Engine = Awaited<ReturnType<typeof open>>

/** A file with some messages, whose gateway is stopped. */
async function someFile(t: TestContext): Promise<string> {
  const path = join(newFolder(t), 'pombo.db')
  await using engine = await open(path)
  await loggedIndex(engine).put(...STORIES)
  return path
}

/** In parts of two messages. */
async function rebuild({ writer }: Engine): Promise<void> {
  const { rebuild } = remote(writer, 'index')
  let part = await rebuild(0, 2)
  while (part !== undefined) part = await rebuild(part.through, 2)
}

/** All that is derived from messages and stored. Shapes and words may get other numbers. */
function derivedIn(path: string): unknown {
  using db = new DatabaseSync(path, { readOnly: true })
  const shaped = ['messages join shapes using (shape)', 'counts join shapes using (shape)']
  const others = ['message_tags', 'message_words', 'chapters', 'id_filters', '(select count(*) from shapes)']
  return [...shaped, ...others].map((table) =>
    db
      .prepare(`select * from ${table}`)
      .all()
      .map(({ shape: _, ...row }) => JSON.stringify(row))
      .toSorted(),
  )
}

/** Every message is found by what it has. */
async function assertFound(path: string, { index }: Engine): Promise<void> {
  const all = idsOf(await search(index))
  assert.equal(all.length, STORIES.length)
  using db = new DatabaseSync(path, { readOnly: true })
  const { chapters, count } = new IdFilters(db).parts
  const filter = new IdFilter(chapters, count)
  for (const id of all) {
    assert.deepEqual(idsOf(await search(index, { id })), [id])
    assert.ok(filter.mayHave(id))
  }
  const toKey = (to: string): string => openSealed.blind(NORTH, to as EmailAddress)
  assert.equal((await search(index, { toKey: toKey('+351911111111') })).length, 1)
  assert.equal((await search(index, { toKey: toKey('eva@example.com') })).length, 1)
  assert.equal((await search(index, { tag: 'late' })).length, 1)
  assert.equal((await search(index, { text: 'unreachable' })).length, 1)
}

const DAMAGES: Readonly<Record<string, string>> = {
  'columns of messages':
    'update messages set seq = 1, created_at = 5, handoff_ms = 7, silent_since = 9, stalled_since = 9',
  'shapes with other values': `update shapes set status = 'queued', provider = 'nobody'`,
  'missing shapes': 'delete from shapes where shape % 2 = 0',
  'wrong and missing counts': 'update counts set count = count + 3; delete from counts where span = 60000',
  'wrong tags': `delete from message_tags; insert into message_tags values ('north', 'wrong', 5, 1)`,
  'wrong words': `delete from message_words; insert into message_words (words, tenant, n) values ('wrong', 'north', 1)`,
  'missing names': 'insert into chapters (chapter, level, first, last) values (9, 0, 1, 1000)',
  'missing ids': `insert into id_filters (last, bits) values (1000, zeroblob(${2 ** 19}))`,
}

for (const [damage, sql] of Object.entries(DAMAGES)) {
  test(`a rebuild repairs ${damage}`, async (t) => {
    const path = await someFile(t)
    const before = derivedIn(path)
    {
      using db = new DatabaseSync(path)
      db.exec(sql)
    }
    await using engine = await open(path)
    await assert.rejects(async () => {
      await assertFound(path, engine)
      assert.deepEqual(derivedIn(path), before)
    }, assert.AssertionError)
    await rebuild(engine)
    assert.deepEqual(derivedIn(path), before)
    await assertFound(path, engine)
  })
}

test('a start after an interrupted rebuild does not keep the names of all messages in memory', (t) => {
  const db = newTables(t)
  const messages = openMessages(db)
  const ids: MessageId[] = []
  db.exec('begin')
  for (let n = 0; n < 4 * CHAPTER_MESSAGES + 1; n += 1) {
    const { event } = createdEntry()
    ids.push(event.state.id)
    fileNew(messages, event)
  }
  db.exec('commit')
  const chapters = (): unknown => db.prepare('select count(*) as count from chapters').get()?.['count']
  assert.equal(chapters(), 0)
  const reopened = openMessages(db)
  assert.equal(chapters(), 4)
  for (const nth of [0, CHAPTER_MESSAGES, ids.length - 1])
    assert.equal(reopened.find(ids[nth] as MessageId)?.n, nth + 1)
})
