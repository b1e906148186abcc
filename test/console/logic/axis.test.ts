/**
 * The time axis of a message. It is imported dynamically, because the server's compiler does not know browser types.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'

type Gap = Readonly<{ x: number; width: number; ms: number }>
type Axis = Readonly<{
  width: number
  gaps: readonly Gap[]
  ofEvent: (index: number) => number
  ofTime: (at: number) => number
}>
type Stop = Readonly<{ index: number; at: number }>
type AxisFile = Readonly<{ toAxis: (stops: readonly Stop[], times: readonly number[], room: number) => Axis }>

const FILE = new URL('../../../console/src/pages/message/axis.ts', import.meta.url)
const { toAxis } = (await import(FILE.href)) as AxisFile

const START = Date.parse('2026-01-15T12:00:00Z')
const DAY_MS = 86_400_000
const MARGIN = 20
const LEAST_GAP = 46

/** Events in chronological order. */
const toStops = (gaps: readonly number[]): readonly Stop[] => {
  let at = START
  return gaps.map((gap, index) => {
    at += gap
    return { index, at }
  })
}

const gap = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1000, max: 7 * DAY_MS }))
const stops = fc.array(gap, { maxLength: 40 }).map(toStops)
const times = fc.array(fc.integer({ min: START - DAY_MS, max: START + 30 * DAY_MS }), { maxLength: 5 })
const room = fc.integer({ min: 0, max: 4000 })

const isClose = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6 * Math.max(1, Math.abs(other))

test('events keep their order and a minimum distance', () => {
  fc.assert(
    fc.property(stops, times, room, (all, others, width) => {
      const axis = toAxis(all, others, width)
      for (const { index } of all.slice(1)) {
        assert.ok(axis.ofEvent(index) - axis.ofEvent(index - 1) >= LEAST_GAP - 1e-6)
      }
    }),
  )
})

test('everything is inside the picture, which is never narrower than its container', () => {
  fc.assert(
    fc.property(stops, times, room, (all, others, width) => {
      const axis = toAxis(all, others, width)
      assert.ok(axis.width >= width)
      for (const x of [...all.map(({ index }) => axis.ofEvent(index)), ...others.map(axis.ofTime)]) {
        assert.ok(x >= MARGIN && x <= axis.width - MARGIN + 1, `${x} of ${axis.width}`)
      }
    }),
  )
})

test('a picture that fits fills the width from margin to margin', () => {
  const axis = toAxis(toStops([0, 10, 2000, 300]), [], 900)
  assert.equal(axis.width, 900)
  assert.ok(isClose(axis.ofEvent(3), 900 - MARGIN))
})

test('a narrow container widens the picture instead of shrinking hours', () => {
  const axis = toAxis(toStops([0, 5, 6 * 3_600_000]), [], 100)
  const [short, long] = axis.gaps
  assert.ok(axis.width > 100)
  assert.ok((long?.width ?? 0) > (short?.width ?? 0) + 40)
})

test('gaps are contiguous and add up to the total duration', () => {
  fc.assert(
    fc.property(stops, times, room, (all, others, width) => {
      const { gaps } = toAxis(all, others, width)
      const known = [...all.map(({ at }) => at), ...others]
      const whole = known.length === 0 ? 0 : Math.max(...known) - Math.min(...known)
      assert.equal(
        gaps.reduce((sum, { ms }) => sum + ms, 0),
        whole,
      )
      for (const [nth, { x }] of gaps.entries()) {
        const before = gaps[nth - 1]
        assert.ok(isClose(x, before === undefined ? MARGIN : before.x + before.width))
      }
    }),
  )
})

test('a longer gap is never drawn narrower than a shorter one', () => {
  fc.assert(
    fc.property(stops, room, (all, width) => {
      const byLength = toAxis(all, [], width).gaps.toSorted((one, other) => one.ms - other.ms)
      for (const [nth, { width: wide }] of byLength.entries()) assert.ok(wide >= (byLength[nth - 1]?.width ?? 0))
    }),
  )
})

test('a later time is never further left', () => {
  const two = fc.tuple(fc.integer({ min: -DAY_MS, max: 300 * DAY_MS }), fc.nat({ max: 300 * DAY_MS }))
  fc.assert(
    fc.property(stops, times, room, two, (all, others, width, [from, later]) => {
      const { ofTime } = toAxis(all, others, width)
      assert.ok(ofTime(START + from) <= ofTime(START + from + later) + 1e-6)
    }),
  )
})

test('the position of an event time is that of the first event in its millisecond', () => {
  fc.assert(
    fc.property(stops, times, room, (all, others, width) => {
      const axis = toAxis(all, others, width)
      for (const { at } of all) {
        const first = all.find((one) => one.at === at)
        assert.ok(isClose(axis.ofTime(at), axis.ofEvent(first?.index ?? 0)))
      }
    }),
  )
})

test('a time halfway between two events is drawn halfway between them', () => {
  const axis = toAxis(toStops([0, 4000]), [], 500)
  assert.ok(isClose(axis.ofTime(START + 2000), (axis.ofEvent(0) + axis.ofEvent(1)) / 2))
})

test('draws no events, one event, and hundreds in one millisecond', () => {
  const none = toAxis([], [], 300)
  assert.deepEqual([none.width, none.gaps, none.ofEvent(0), none.ofTime(START)], [300, [], MARGIN, MARGIN])

  const one = toAxis(toStops([0]), [], 300)
  assert.deepEqual([one.gaps, one.ofEvent(0), one.ofTime(START + DAY_MS)], [[], MARGIN, MARGIN])

  const many = toAxis(toStops(Array.from({ length: 500 }, () => 0)), [], 300)
  assert.equal(new Set(Array.from({ length: 500 }, (_, index) => many.ofEvent(index))).size, 500)
  assert.equal(many.width, 2 * MARGIN + 499 * LEAST_GAP)
})
