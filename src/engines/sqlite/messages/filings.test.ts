import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newTables } from '../store.fixture.ts'
import { type Filing, Filings } from './filings.ts'

const NO_MESSAGES = { first: 0, last: -1 }

/** With new messages, and further events of others. */
const filing = (newest: number, through: number, first: number, last: number, ...others: number[]): Filing => ({
  newest,
  at: newest * 1_000,
  through,
  added: { first, last },
  others,
})

/** Everything up to 10 is filed with the second one; the third one has no new messages. */
const FILINGS = [
  filing(8, 5, 1, 4),
  filing(12, 10, 5, 6, 1),
  { ...filing(14, 14, 0, 0, 2, 5), added: NO_MESSAGES },
  filing(20, 20, 7, 9),
] as const

function open(t: TestContext, ...all: readonly Filing[]): Filings {
  const filings = new Filings(newTables(t))
  for (const one of all) filings.add(one)
  return filings
}

test('returns the newest one as it was added', (t) => {
  assert.equal(open(t).last(), undefined)
  assert.deepEqual(open(t, ...FILINGS).last(), FILINGS[3])
  assert.deepEqual(open(t, ...FILINGS.slice(0, 3)).last(), FILINGS[2])
})

test('a log is read from the first filing with events after a position', (t) => {
  const filings = open(t, ...FILINGS)
  assert.deepEqual([...filings.after(0)], FILINGS)
  assert.deepEqual([...filings.after(8)], FILINGS.slice(1))
  assert.deepEqual([...filings.after(13)], FILINGS.slice(2))
  assert.deepEqual([...filings.after(20)], [])
})

test('everything before a time is in the tables up to the position of the last filing before it', (t) => {
  const filings = open(t, ...FILINGS)
  const times = [0, 8_000, 8_001, 12_000, 12_001, 99_000]
  assert.deepEqual(
    times.map((at) => filings.throughBefore(at)),
    [0, 0, 5, 5, 10, 20],
  )
})

test('forgets filings whose messages were all deleted, but never the newest', (t) => {
  const left = (n: number): readonly number[] => {
    const filings = open(t, ...FILINGS)
    filings.removeBefore(n)
    return [...filings.after(0)].map(({ newest }) => newest)
  }
  assert.deepEqual(left(1), [8, 12, 14, 20])
  assert.deepEqual(left(4), [8, 12, 14, 20])
  assert.deepEqual(left(5), [12, 14, 20])
  assert.deepEqual(left(7), [20])
  assert.deepEqual(left(99), [20])
})

test('keeps an old filing while a message that got events with it is left', (t) => {
  const filings = open(t, filing(4, 4, 1, 2), filing(6, 6, 3, 3), { ...filing(7, 7, 0, 0, 1, 3), added: NO_MESSAGES })
  filings.add(filing(9, 9, 4, 4))
  filings.removeBefore(3)
  assert.deepEqual(
    [...filings.after(0)].map(({ newest }) => newest),
    [6, 7, 9],
  )
})
