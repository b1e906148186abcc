import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { MessageId } from '../../../domain/ids.ts'
import { someMessage } from '../../../ports/samples.contract.ts'
import { encodeMessage } from '../../shared/codec.ts'
import { CHAPTER_IDS, IdFilter } from '../log/id-filter.ts'
import { newTables, openSealed } from '../store.fixture.ts'
import { FiledMessages } from './filed-messages.ts'
import { IdFilters } from './id-filters.ts'
import { MessageTable } from './message-table.ts'

const newIds = (count: number): readonly MessageId[] => Array.from({ length: count }, () => randomUUID() as MessageId)

/** Adds ids with the numbers from `first` on. */
function addAll(filters: IdFilters, ids: readonly MessageId[], first: number): void {
  for (const [nth, id] of ids.entries()) filters.add(first + nth, id)
}

/** The rows of messages that are in no chapter are read at the start. */
function insertRows(db: DatabaseSync, ids: readonly MessageId[], first: number): void {
  const table = new MessageTable(db)
  const message = someMessage()
  const { id, createdAt } = message
  const facts = encodeMessage(message)
  const columns = { shape: 1, latencies: NO_LATENCIES, silentSince: null, stalledSince: null }
  for (const [nth, other] of ids.entries()) {
    const row = { n: first + nth, seq: first + nth, facts: facts.replace(id, other), events: '[]', searchable: null }
    table.insert(row, createdAt, columns)
  }
}

const NO_LATENCIES = { handoff: undefined, delivery: undefined }

/** The filter that a start opens. */
function filterOf({ parts }: IdFilters): IdFilter {
  return new IdFilter(parts.chapters, parts.count)
}

const missing = (filters: IdFilters, ids: readonly MessageId[]): number => {
  const filter = filterOf(filters)
  return ids.filter((id) => !filter.mayHave(id)).length
}

test('knows the ids of messages after a start', (t) => {
  const db = newTables(t)
  const ids = newIds(100)
  insertRows(db, ids, 1)
  const filters = new IdFilters(db)
  assert.equal(missing(filters, ids), 0)
  assert.equal(missing(filters, newIds(100)), 100)
  assert.equal(filters.parts.count, 100)
})

test('a full chapter is stored, and a start reads only the messages after it', (t) => {
  const db = newTables(t)
  const filters = new IdFilters(db)
  const [ids, more] = [newIds(CHAPTER_IDS), newIds(1_000)]
  addAll(filters, ids, 1)
  addAll(filters, more, CHAPTER_IDS + 1)
  assert.equal(missing(filters, [...ids, ...more]), 0)
  insertRows(db, more, CHAPTER_IDS + 1)
  const reopened = new IdFilters(db)
  assert.equal(missing(reopened, [...ids, ...more]), 0)
  assert.deepEqual([reopened.parts.chapters.length, reopened.parts.count], [2, 1_000])
})

test('forgets chapters whose messages were all deleted', (t) => {
  const db = newTables(t)
  const filters = new IdFilters(db)
  const ids = newIds(CHAPTER_IDS)
  addAll(filters, ids, 1)
  filters.removeBefore(CHAPTER_IDS)
  assert.equal(missing(filters, ids), 0)
  filters.removeBefore(CHAPTER_IDS + 1)
  assert.equal(filters.parts.chapters.length, 0)
})

test('no id is lost when the transaction that completes a chapter is rolled back', (t) => {
  const db = newTables(t)
  const filters = new IdFilters(db)
  const messages = new FiledMessages(db, openSealed, filters)
  const ids = newIds(CHAPTER_IDS)
  const [before, last] = [ids.slice(0, -1), ids.slice(-1)]
  db.exec('begin')
  insertRows(db, before, 1)
  addAll(filters, before, 1)
  db.exec('commit; begin')
  addAll(filters, last, CHAPTER_IDS)
  db.exec('rollback')
  messages.recall()
  assert.equal(missing(filters, before), 0)
  addAll(filters, last, CHAPTER_IDS)
  assert.equal(missing(filters, ids), 0)
})
