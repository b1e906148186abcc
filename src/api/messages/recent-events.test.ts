import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Followed, Position } from '../../ports/event-log.ts'
import { RecentEvents } from './recent-events.ts'

const at = (position: number): Position => position as Position
/** Only the position of an event matters here. */
const eventAt = (position: number): Followed => ({ position: at(position) }) as Followed
const from = (first: number, last: number): Followed[] =>
  Array.from({ length: last - first + 1 }, (_, index) => eventAt(first + index))
const positions = (events: readonly Followed[] | undefined): readonly number[] | undefined =>
  events?.map(({ position }) => position)

test('nothing is known before it has begun', () => {
  const recent = new RecentEvents()
  assert.equal(recent.hasBegun, false)
  assert.equal(recent.between(at(0), at(10)), undefined)
  recent.begin(at(0))
  assert.equal(recent.hasBegun, true)
  assert.deepEqual(recent.between(at(0), at(0)), [])
})

test('gives the events after a position, up to another and in order', () => {
  const recent = new RecentEvents()
  recent.begin(at(10))
  recent.add([eventAt(11), eventAt(14)])
  recent.add([eventAt(15), eventAt(20)])
  assert.deepEqual(positions(recent.between(at(10), at(20))), [11, 14, 15, 20])
  assert.deepEqual(positions(recent.between(at(11), at(15))), [14, 15])
  assert.deepEqual(positions(recent.between(at(12), at(19))), [14, 15])
  assert.deepEqual(positions(recent.between(at(20), at(20))), [])
})

test('events from before it began are not here', () => {
  const recent = new RecentEvents()
  recent.begin(at(10))
  recent.add([eventAt(11)])
  assert.equal(recent.between(at(9), at(11)), undefined)
})

test('forgets the oldest once it has twice as many as it keeps', () => {
  const recent = new RecentEvents(3)
  recent.begin(at(0))
  recent.add(from(1, 5))
  assert.deepEqual(positions(recent.between(at(0), at(5))), [1, 2, 3, 4, 5])
  recent.add([eventAt(6)])
  assert.equal(recent.between(at(2), at(6)), undefined)
  assert.deepEqual(positions(recent.between(at(3), at(6))), [4, 5, 6])
})

test('a page larger than all it keeps leaves the newest', () => {
  const recent = new RecentEvents(3)
  recent.begin(at(0))
  recent.add(from(1, 100))
  assert.equal(recent.between(at(96), at(100)), undefined)
  assert.deepEqual(positions(recent.between(at(97), at(100))), [98, 99, 100])
})

test('keeps 1,024 events, and fewer than twice as many', () => {
  const recent = new RecentEvents()
  recent.begin(at(0))
  for (const position of positions(from(1, 2_047)) ?? []) recent.add([eventAt(position)])
  assert.equal(recent.between(at(0), at(2_047))?.length, 2_047)
  recent.add([eventAt(2_048)])
  assert.equal(recent.between(at(1_023), at(2_048)), undefined)
  assert.equal(recent.between(at(1_024), at(2_048))?.length, 1_024)
})

test('an answer is exactly the events of the log in between, and only undefined if the oldest are gone', () => {
  const pages = fc.array(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 9 }), { maxLength: 12 })
  const span = fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 }))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.nat({ max: 9 }), pages, span, (most, begin, steps, [after, by]) => {
      const recent = new RecentEvents(most)
      recent.begin(at(begin))
      const log: number[] = []
      for (const page of steps) {
        for (const step of page) log.push((log.at(-1) ?? begin) + step)
        recent.add(log.slice(log.length - page.length).map(eventAt))
      }
      const found = positions(recent.between(at(after), at(after + by)))
      if (found === undefined) assert.ok(after < begin || after < (log.at(-most) ?? begin))
      else assert.deepEqual([after >= begin, found], [true, log.filter((one) => one > after && one <= after + by)])
    }),
  )
})
