/** The time axis and the scales of charts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countTicks, type Span, ticksOf, toInterval, toMoment } from '../../../console/src/ui/chart/clock.ts'
import { latencyLow, latencyTicks, latencyTop } from '../../../console/src/ui/chart/latency-ticks.ts'
import { lonePlaces, peakOf } from '../../../console/src/ui/chart/lines.ts'

const NOW = Date.parse('2026-01-15T12:34:56Z') / 1000
const [HOUR, DAY] = [3_600, 86_400]

/** Roughly the width of a label of 12 px. */
const measure = (label: string): number => 7 * label.length

const start = fc.integer({ min: Date.parse('2020-01-01') / 1000, max: Date.parse('2040-01-01') / 1000 })
const length = fc.oneof(
  fc.integer({ min: 60, max: HOUR }),
  fc.integer({ min: HOUR, max: 8 * DAY }),
  fc.integer({ min: DAY, max: 366 * DAY }),
)
const zone = fc.constantFrom<Pick<Span, 'zone'>>({}, { zone: 'UTC' })
const span = fc.record({ from: start, length, zone }).map(
  ({ from, length: long, zone: of }): Span => ({
    from,
    to: from + long,
    step: Math.max(1, Math.round(long / 60)),
    ...of,
  }),
)

/** In zones where clocks change, in half hours too. */
function everywhere(check: () => void): void {
  const before = process.env['TZ']
  try {
    for (const name of ['UTC', 'Europe/Lisbon', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe']) {
      process.env['TZ'] = name
      check()
    }
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
}

test('labels of the time axis never repeat, overlap or leave the chart, at any width', () => {
  everywhere(() =>
    fc.assert(
      fc.property(span, fc.integer({ min: 0, max: 2_000 }), (one, width) => {
        const ticks = ticksOf(one, width, measure)
        assert.equal(new Set(ticks.map(({ label }) => label)).size, ticks.length, JSON.stringify(ticks))
        const places = ticks.map(({ at, label }) => {
          const middle = ((at - one.from) / (one.to - one.from)) * width
          return { from: middle - measure(label) / 2, to: middle + measure(label) / 2 }
        })
        for (const [nth, { from, to }] of places.entries()) {
          assert.ok(from > (places[nth - 1]?.to ?? Number.NEGATIVE_INFINITY), `overlap in ${JSON.stringify(ticks)}`)
          assert.ok(from >= -16 && to <= width + 8, `cut off in ${JSON.stringify(ticks)}`)
        }
      }),
      { numRuns: 300 },
    ),
  )
})

test('a chart of the usual width has several labels', () => {
  for (const [long, step] of [
    [600, 10],
    [900, 15],
    [HOUR, 60],
    [6 * HOUR, 600],
    [DAY, 1_800],
    [7 * DAY, 3 * HOUR],
    [31 * DAY, DAY],
  ] as const) {
    const to = Math.ceil(NOW / step) * step
    const ticks = ticksOf({ from: to - long, to, step }, 600, measure)
    assert.ok(ticks.length >= 3 && ticks.length <= 12, `${long} s: ${ticks.map(({ label }) => label)}`)
  }
})

test('ticks stand at full minutes, hours and days of the zone', () => {
  const week = { from: NOW - 7 * DAY, to: NOW, step: 3 * HOUR, zone: 'UTC' } as const
  for (const { at } of ticksOf(week, 900, measure)) assert.equal(at % DAY, 0)
  const hour = { from: NOW - HOUR, to: NOW, step: 60, zone: 'UTC' } as const
  for (const { at } of ticksOf(hour, 600, measure)) assert.equal(at % 300, 0)
})

test('a step is named with the day only if the span has several', () => {
  const noon = Math.floor(NOW / DAY) * DAY + 12 * HOUR
  const hour: Span = { from: noon - HOUR, to: noon, step: 60, zone: 'UTC' }
  const day: Span = { from: noon - DAY, to: noon, step: 1_800, zone: 'UTC' }
  assert.doesNotMatch(toMoment(hour.from, hour), /Jan/)
  assert.match(toMoment(day.from, day), /Jan 14/)
  assert.match(toInterval(day.from, day), /12:00.*12:30/)
  assert.match(toInterval(noon, { ...day, step: DAY }), /Jan 15/)
})

test('labels of counts never repeat and reach to the top, at any height', () => {
  const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 2_000_000_000 }), fc.integer({ min: 30, max: 600 }), (top, height) => {
      const ticks = countTicks(top, height)
      assert.equal(ticks[0], 0)
      assert.ok(ticks.every((tick) => Number.isInteger(tick) && tick <= top))
      assert.ok(ticks.length - 1 <= Math.max(1, Math.floor(height / 34)), `${ticks}`)
      const labels = ticks.map((tick) => short.format(tick))
      assert.equal(new Set(labels).size, labels.length, `${labels}`)
    }),
  )
  assert.deepEqual(countTicks(4.32, 172), [0, 1, 2, 3, 4])
})

test('the peak is the first highest value, undefined without values', () => {
  assert.equal(peakOf([null, 3, null, 7, 7]), 3)
  assert.equal(peakOf([null, 0, 0]), 1)
  assert.equal(peakOf([null, null]), undefined)
  assert.equal(peakOf([]), undefined)
})

test('finds values without neighbours, also at the ends', () => {
  assert.deepEqual(lonePlaces([5, null, 0, null, 1, 2, null, 3]), [0, 2, 7])
  assert.deepEqual(lonePlaces([7]), [0])
  assert.deepEqual(lonePlaces([null, null]), [])
  assert.deepEqual(lonePlaces([]), [])
})

test('latency ticks enclose the latencies', () => {
  assert.deepEqual(latencyTicks(latencyTop(400)), [1, 10, 100, 1_000])
  assert.deepEqual(latencyTicks(latencyTop(400), latencyLow(40)), [10, 100, 1_000])
  assert.equal(latencyTop(9_000), 60_000)
  fc.assert(
    fc.property(fc.nat(10 * DAY * 1_000), (longest) => {
      const top = latencyTop(longest)
      assert.ok(top > longest)
      assert.equal(latencyTicks(top).at(-1), top)
      assert.ok(latencyLow(longest) <= Math.max(1, longest))
    }),
  )
})
