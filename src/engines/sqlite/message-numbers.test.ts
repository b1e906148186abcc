import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { MessageId } from '../../domain/ids.ts'
import { at, NORTH } from '../../ports/index-samples.contract.ts'
import { someMessage, stateAfter } from '../../ports/samples.contract.ts'
import { ListingTables } from './listing-tables.ts'
import { MessageNumbers } from './message-numbers.ts'
import { openSearch } from './search.ts'
import { newTables } from './store.fixture.ts'

/** So many ids are filed at a time. */
const BATCH = 4096
const newId = (): MessageId => randomUUID() as MessageId
const newIds = (count: number): MessageId[] => Array.from({ length: count }, newId)

test('numbers messages in order, and finds them by id', (t) => {
  const numbers = new MessageNumbers(newTables(t))
  const ids = newIds(3)
  assert.deepEqual(
    ids.map((id) => numbers.add(id, '{}')),
    [1, 2, 3],
  )
  assert.deepEqual(
    ids.map((id) => numbers.find(id)),
    [1, 2, 3],
  )
  assert.equal(numbers.find(newId()), undefined)
})

test('finds ids before, during and after filing, and after reopening at any time', (t) => {
  const db = newTables(t)
  const numbers = new MessageNumbers(db)
  const ids = newIds(BATCH + 5)
  for (const id of ids) numbers.add(id, null)
  const assertAllFound = (where: MessageNumbers): void => {
    for (const [index, id] of ids.entries()) assert.equal(where.find(id), index + 1)
  }
  assert.ok(numbers.isFilingDue())
  for (let step = 0; numbers.isFilingDue(); step += 1) {
    numbers.file()
    if (step % 5 === 0) {
      assertAllFound(numbers)
      assertAllFound(new MessageNumbers(db))
    }
  }
  assert.equal(db.prepare('select count(*) as count from message_ids').get()?.['count'], BATCH)
  assertAllFound(numbers)
  const reopened = new MessageNumbers(db)
  assertAllFound(reopened)
  assert.equal(reopened.add(newId(), null), BATCH + 6)
})

test('searches find a message by id before and after the id is filed', (t) => {
  const db = newTables(t)
  const numbers = new MessageNumbers(db)
  const states = newIds(BATCH + 1).map((id) => stateAfter(someMessage({ id }), []))
  const listing = new ListingTables(db, (id) => numbers.find(id) ?? numbers.add(id, '{}'))
  listing.apply(
    states.map((state, nth) => ({ state, position: at(nth + 1) })),
    BATCH + 1,
  )
  while (numbers.isFilingDue()) numbers.file()
  for (const n of [1, BATCH, BATCH + 1]) {
    const id = states[n - 1]?.id ?? newId()
    const found = openSearch(db).search({ tenantId: NORTH, filter: { id }, limit: 9 })
    assert.deepEqual(
      found.map(([, number]) => number),
      [n],
    )
  }
})

test('a rollback forgets new messages and reuses their numbers', (t) => {
  const db = newTables(t)
  const numbers = new MessageNumbers(db)
  const [kept, lost, next] = [newId(), newId(), newId()]
  numbers.add(kept, null)
  db.exec('begin')
  numbers.add(lost, null)
  db.exec('rollback')
  numbers.recall()
  assert.deepEqual([numbers.find(kept), numbers.find(lost), numbers.add(next, null)], [1, undefined, 2])
})

test('files a batch again whose filing was rolled back', (t) => {
  const db = newTables(t)
  const numbers = new MessageNumbers(db)
  const ids = newIds(BATCH)
  for (const id of ids) numbers.add(id, null)
  db.exec('begin')
  while (numbers.isFilingDue()) numbers.file()
  db.exec('rollback')
  numbers.recall()
  assert.ok(numbers.isFilingDue())
  while (numbers.isFilingDue()) numbers.file()
  for (const [index, id] of ids.entries()) assert.equal(numbers.find(id), index + 1)
})
