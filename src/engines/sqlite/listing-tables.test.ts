import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { keyOf, NORTH, someProjection } from '../../ports/index-samples.contract.ts'
import {
  ATTEMPTED,
  append,
  createdEntry,
  NOON,
  nextEntry,
  someContent,
  someMessage,
} from '../../ports/samples.contract.ts'
import { openReader } from './database.ts'
import { ListingTables } from './listing-tables.ts'
import { MessageNumbers } from './message-numbers.ts'
import { UNCHECKED } from './recipient-check.ts'
import { openSearch } from './search.ts'
import { openSqlite } from './sqlite.ts'
import { newFolder, newTables, UNSEALED } from './store.fixture.ts'

const COUNT = 5_000
const TO = someContent().to
const FOUND = { tenantId: NORTH, filter: { toKey: keyOf(TO) }, limit: COUNT + 1 }

/** Numbered in the order they were accepted, projected in another one. */
function fillOutOfOrder(db: DatabaseSync): void {
  const numbers = new MessageNumbers(db)
  const listing = new ListingTables(db, (id) => numbers.find(id) ?? numbers.add(id, '{}'))
  const projections = Array.from({ length: COUNT }, (_, index) => someProjection({}, index + 1))
  for (const { state } of projections) numbers.add(state.id, '{}')
  const late = projections.splice(100, 500)
  for (const projection of [...projections, ...late]) {
    listing.apply([projection], projection.position)
    if (listing.isFilingDue()) listing.file()
  }
  while (listing.isFilingDue()) listing.file()
}

test('finds messages that are projected late by their recipient, also after reopening', (t) => {
  const db = newTables(t)
  fillOutOfOrder(db)
  assert.equal(openSearch(db).search(FOUND).length, COUNT)
  const numbers = new MessageNumbers(db)
  const reopened = new ListingTables(db, (id) => numbers.find(id) ?? 0)
  while (reopened.isFilingDue()) reopened.file()
  assert.equal(openSearch(db).search(FOUND).length, COUNT)
})

test('finds every message of a burst by its recipient that settles out of order', async (t) => {
  const path = join(newFolder(t), 'pombo.db')
  await using engine = await openSqlite({ path, clock: () => NOON, ...UNSEALED, indexBodies: false })
  const { log, index } = engine
  const created = await Promise.all(Array.from({ length: COUNT }, () => append(log, createdEntry(someMessage()))))
  // Every other one is sent before it is projected, and so comes after all the others.
  const sent = created.filter((_, index) => index % 2 === 0)
  await Promise.all(sent.map((seen) => append(log, nextEntry(seen, ATTEMPTED))))
  const tip = await log.tip()
  await until('the filer to catch up', async () => (await index.position()) >= tip)
  using reader = openReader(path)
  const filed = reader.prepare(`select position from progress where name = 'recipients'`)
  await until('a batch to be filed', () => filed.get() !== undefined)
  const query = { tenantId: NORTH, filter: { toKey: UNSEALED.sealer.blind(NORTH, TO) }, limit: COUNT + 1 }
  assert.equal((await index.search(query)).rows.length, COUNT)
})

test('repairs a file that lost entries under an earlier schema after it is opened', async (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const options = { path, clock: () => NOON, ...UNSEALED, indexBodies: false }
  await (await openSqlite(options))[Symbol.asyncDispose]()
  const older = new DatabaseSync(path)
  older.exec('begin')
  fillOutOfOrder(older)
  older.exec(`
    commit;
    delete from listing_to where n between 101 and 600;
    drop table erasures;
    create table jobs (n integer primary key, lane text, tenant text, lease_token integer, due_at integer);
    pragma user_version = 6;
  `)
  assert.equal(openSearch(older).search(FOUND).length, COUNT - 500)
  older.close()

  await using engine = await openSqlite(options)
  using reader = openReader(path)
  const unchecked = reader.prepare(`select 1 from progress where name = '${UNCHECKED}'`)
  await until('the repair', async () => {
    await engine.log.tip()
    return unchecked.get() === undefined
  })
  assert.equal((await engine.index.search(FOUND)).rows.length, COUNT)
})

test('finds every message by its recipient during the repair', (t) => {
  const db = newTables(t)
  fillOutOfOrder(db)
  db.exec(`
    delete from listing_to where n between 101 and 600;
    insert into progress (name, position) values ('${UNCHECKED}', ${COUNT});
  `)
  const numbers = new MessageNumbers(db)
  const listing = new ListingTables(db, (id) => numbers.find(id) ?? 0)
  const { search } = openSearch(db)
  assert.equal(search(FOUND).length, COUNT)
  for (; listing.isFilingDue(); listing.file()) assert.equal(search(FOUND).length, COUNT)
  assert.equal(search(FOUND).length, COUNT)
})

test('does not check a new file', (t) => {
  const db = newTables(t)
  fillOutOfOrder(db)
  db.exec('delete from listing_to where n = 101')
  const numbers = new MessageNumbers(db)
  assert.equal(new ListingTables(db, (id) => numbers.find(id) ?? 0).isFilingDue(), false)
})
