/** Searches for what many messages have in common, and only a few of a shape or with another tag. */
import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Lane } from '../../../domain/message/message.ts'
import { type Instant, later, millis } from '../../../lib/time.ts'
import { NORTH, someProjection } from '../../../ports/index-samples.contract.ts'
import type { Filter } from '../../../ports/message-index.ts'
import { createdEntry, NOON, someMessage } from '../../../ports/samples.contract.ts'
import { messageSearch } from '../search.ts'
import { newTables } from '../store.fixture.ts'
import { fileNew, openMessages } from './filed-messages.fixture.ts'

type Sample = Readonly<{ createdAt: Instant; lane: Lane; tags: readonly string[] }>

const MANY = 1_500
const PAGE = 7
/** So many of the lane are not read one by one. */
const SOME_OTHERS = 6_000

/** Two messages a millisecond, so that what is rare has the time of what is not. */
const SAMPLES: readonly Sample[] = [
  ...Array.from({ length: MANY }, (_, n): Sample => {
    const isRare = n % 200 === 3
    const isBulk = n % 100 === 2 || n % 400 === 3
    return {
      createdAt: later(NOON, millis(Math.floor(n / 2))),
      lane: isBulk ? 'bulk' : 'transactional',
      tags: isRare ? ['campaign', 'rare'] : n % 100 === 0 ? [] : ['campaign'],
    }
  }),
  { createdAt: NOON, lane: 'otp', tags: [] },
]

const RARE: readonly Filter[] = [
  { text: 'campaign', lane: 'bulk' },
  { text: 'campaign', lane: 'bulk', tag: 'rare' },
  { text: 'campaign', tag: 'rare' },
  { text: 'campaign', tag: 'nothing' },
  { text: 'campaign', lane: 'otp' },
  { tag: 'campaign', lane: 'bulk' },
  { tag: ['campaign', 'rare'], lane: 'bulk' },
  { tag: ['campaign', 'rare'] },
]

const has = ({ lane, tags }: Sample, filter: Filter): boolean =>
  [filter.tag ?? []].flat().every((tag) => tags.includes(tag)) &&
  (filter.text === undefined || tags.includes(filter.text)) &&
  (filter.lane ?? lane) === lane

/** And so many others of the lane bulk. */
function newSamples(t: TestContext, others: number): DatabaseSync {
  const db = newTables(t)
  const messages = openMessages(db)
  const { searchable } = someProjection({}, 1)
  db.exec('begin')
  for (const { createdAt, lane, tags } of SAMPLES)
    fileNew(messages, createdEntry(someMessage({ createdAt, lane })).event, { ...searchable, tags })
  db.exec('commit')
  const { next } = db.prepare('select max(n) + 1 as next from messages').get() ?? {}
  const insert = db.prepare(`
    insert into messages (n, seq, shape, created_at, facts, events, checksum)
    with recursive other (nth) as (select 1 union all select nth + 1 from other where nth < :others)
    select :next + nth, 1, (select shape from shapes where lane = 'bulk'), :at, '', '', 0 from other where :others > 0
  `)
  insert.run({ others, next: Number(next), at: NOON })
  return db
}

/** The times of all messages that match, read page by page. */
function timesOf(db: DatabaseSync, filter: Filter): readonly Instant[] {
  const { search } = messageSearch(db).reads
  const found: Instant[] = []
  let cursor: string | undefined
  do {
    const page = search(
      { tenantId: NORTH, filter, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
      undefined,
    )
    found.push(...page.rows.map(({ state }) => state.createdAt))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}

function assertAllFound(db: DatabaseSync): void {
  for (const filter of RARE) {
    const times = SAMPLES.filter((sample) => has(sample, filter)).map(({ createdAt }) => createdAt)
    const expected = times.toSorted((one, other) => other - one)
    assert.deepEqual(timesOf(db, filter), expected, JSON.stringify(filter))
    const total = messageSearch(db).reads.total({ tenantId: NORTH, filter }, undefined)
    assert.deepEqual(total, { value: expected.length, relation: 'eq' }, JSON.stringify(filter))
  }
}

for (const others of [0, SOME_OTHERS, 100_000]) {
  test(`finds the few of a rare shape or with a rare tag, and none of ${others} others of the same time`, (t) => {
    assertAllFound(newSamples(t, others))
  })
}

for (const filter of RARE) {
  test(`${JSON.stringify(filter)} asks indexes before it reads the row of a message`, (t) => {
    const db = newSamples(t, SOME_OTHERS)
    const tags = [filter.tag ?? []].flat().map(() => 'message_tags')
    const asked = filter.lane === undefined ? tags : [...tags, 'messages_shape']
    assert.deepEqual(askedBeforeRows(db, filter).toSorted(), asked)
  })
}

type Step = Readonly<{ opcode: string; p1: number; p2: number }>

/** The indexes of shapes and tags in which the search looks before it reads a row of `messages`. */
function askedBeforeRows(db: DatabaseSync, filter: Filter): readonly string[] {
  const stored = db.prepare('select rootpage, name from sqlite_schema').all()
  const names = new Map(stored.map(({ rootpage, name }) => [Number(rootpage), String(name)]))
  const steps = db.prepare(`explain ${searchOf(db, filter)}`).all() as unknown as readonly Step[]
  const opened = new Map(steps.filter(({ opcode }) => opcode === 'OpenRead').map(({ p1, p2 }) => [p1, names.get(p2)]))
  const cursors = steps.filter(({ opcode }) => opcode.startsWith('Seek')).map(({ p1 }) => p1)
  const row = cursors.findIndex((cursor) => opened.get(cursor) === 'messages')
  assert.ok(row >= 0, 'no row is read')
  const before = [...new Set(cursors.slice(0, row))].map((cursor) => opened.get(cursor) ?? '')
  return before.filter((name) => ['message_tags', 'messages_shape'].includes(name))
}

/** The statement that reads the page. */
function searchOf(db: DatabaseSync, filter: Filter): string {
  const prepared: string[] = []
  const recording = new Proxy(db, {
    get: (target, name) =>
      name === 'prepare'
        ? (sql: string) => {
            prepared.push(sql)
            return target.prepare(sql)
          }
        : Reflect.get(target, name),
  })
  messageSearch(recording).reads.search({ tenantId: NORTH, filter, limit: PAGE }, undefined)
  return prepared.at(-1) ?? ''
}
