/**
 * The figures of the overview: time windows, steps and counts. Files with browser types are imported dynamically,
 * because the server's compiler does not know them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Span, toMoment, toTick } from '../../../console/src/pages/overview/clock.ts'
import { latencyTicks, latencyTop } from '../../../console/src/pages/overview/latency-ticks.ts'
import { RANGES, refreshMsOf, toRange, windowBefore, windowOf } from '../../../console/src/pages/overview/range.ts'
import { STATUSES } from '../../../src/domain/message/states.ts'

type Statuses = Readonly<Record<string, number>>
type Tally = Readonly<
  Record<'messages' | 'finished' | 'delivered' | 'sent' | 'inProgress' | 'expired' | 'failed', number>
>
type Bucket = Readonly<{
  start: string
  channel: 'sms' | 'email'
  provider: string | null
  statuses: Statuses
  accept_to_handoff: Readonly<{ p50: number }> | null
}>
type Stats = Readonly<{ from: string; to: string; bucket: number; buckets: readonly Bucket[] }>
type Pair = Readonly<{ name: string; buckets: readonly Bucket[] }>
type SeriesFile = Readonly<{
  stepsOf: (stats: Stats) => readonly number[]
  addUp: (buckets: readonly Bucket[]) => Tally
  talliesOf: (stats: Stats) => readonly Tally[]
  stagesSeen: (tally: Tally) => readonly string[]
  pairsOf: (stats: Stats, most: number) => readonly Pair[]
  latenciesOf: (stats: Stats, pair: Pair, leg: 'accept_to_handoff') => readonly Bucket['accept_to_handoff'][]
  peakOf: (values: readonly (number | null)[]) => number | undefined
  lonePlaces: (values: readonly (number | null)[]) => readonly number[]
}>
type TallyFile = Readonly<{
  STAGES: readonly (keyof Tally)[]
  tally: (statuses: Statuses) => Tally
  successOf: (tally: Tally) => number | undefined
}>

const ROOM = '../../../console/src/pages'
const series = (await import(new URL(`${ROOM}/overview/series.ts`, import.meta.url).href)) as SeriesFile
const { STAGES, tally, successOf } = (await import(
  new URL(`${ROOM}/providers/tally.ts`, import.meta.url).href
)) as TallyFile
const { stepsOf, addUp, talliesOf, stagesSeen, pairsOf, latenciesOf, peakOf, lonePlaces } = series

/** A week without daylight saving changes anywhere. */
const NOW = Date.parse('2026-01-15T12:34:56.789Z')
const now = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2040-01-01') })
const anyRange = fc.constantFrom(...RANGES)

test('any URL parameter yields a range', () => {
  for (const range of RANGES) assert.equal(toRange(range), range)
  for (const odd of [undefined, '', '2h', '1H', 'constructor']) assert.equal(toRange(odd), '1h')
})

test('a window consists of whole steps and includes the present', () => {
  fc.assert(
    fc.property(anyRange, now, (range, ms) => {
      const { from, to, bucket } = windowOf(range, ms)
      const [start, end] = [Date.parse(from), Date.parse(to)]
      assert.equal(end % (bucket * 1000), 0)
      assert.equal((end - start) % (bucket * 1000), 0)
      assert.ok(end >= ms && end - ms < bucket * 1000)
    }),
  )
})

test('the previous window ends at the same offset as now', () => {
  fc.assert(
    fc.property(anyRange, now, (range, ms) => {
      const [here, before] = [windowOf(range, ms), windowBefore(range, ms)]
      const length = Date.parse(here.to) - Date.parse(here.from)
      assert.equal(Date.parse(here.from) - Date.parse(before.from), length)
      // Seconds with a fraction cost at most a millisecond of precision.
      assert.ok(Math.abs(ms - length - Date.parse(before.to)) <= 1)
      assert.equal(before.bucket * 1000, length)
    }),
  )
})

test('longer ranges refresh less often', () => {
  const paces = RANGES.map(refreshMsOf)
  assert.deepEqual(
    paces,
    paces.toSorted((one, other) => one - other),
  )
})

const statsOf = (buckets: readonly Bucket[] = []): Stats => ({ ...windowOf('15m', NOW), buckets })
const startOf = (stats: Stats, place: number): string => new Date((stepsOf(stats)[place] ?? 0) * 1000).toISOString()

test('there is one step per bucket of the window', () => {
  for (const range of RANGES) {
    const { from, to, bucket } = windowOf(range, NOW)
    const steps = stepsOf({ from, to, bucket, buckets: [] })
    assert.equal(steps[0], Date.parse(from) / 1000)
    assert.equal((steps.at(-1) ?? 0) + bucket, Date.parse(to) / 1000)
  }
  const { from } = statsOf()
  assert.deepEqual(stepsOf({ from, to: from, bucket: 15, buckets: [] }), [])
})

test('every step of a range has its own label', () => {
  for (const range of RANGES) {
    const { from, to, bucket } = windowOf(range, NOW)
    const span: Span = { from: Date.parse(from) / 1000, to: Date.parse(to) / 1000, step: bucket }
    const moments = stepsOf({ from, to, bucket, buckets: [] }).map((at) => toMoment(at, span))
    assert.equal(new Set(moments).size, moments.length, `${range}: ${moments}`)
  }
})

test('ticks show days for a week and hours for a day', () => {
  const at = NOW / 1000
  const [week, day]: readonly Span[] = [
    { from: at - 7 * 86_400, to: at, step: 10_800 },
    { from: at - 86_400, to: at, step: 1800 },
  ]
  assert.ok(week !== undefined && day !== undefined)
  assert.equal(toTick(at, week), toTick(at - 60, week))
  assert.notEqual(toTick(at, week), toTick(at - 86_400, week))
  assert.notEqual(toTick(at, day), toTick(at - 60, day))
})

test('every status counts in exactly one stage', () => {
  for (const status of STATUSES) {
    const counted = tally({ [status]: 3 })
    assert.equal(counted.messages, 3, status)
    assert.equal(stagesSeen(counted).length, 1, status)
  }
  const all = fc.dictionary(fc.constantFrom(...STATUSES), fc.nat(1000))
  fc.assert(
    fc.property(all, (statuses) => {
      const counted = tally(statuses)
      const sum = STAGES.reduce((total, stage) => total + counted[stage], 0)
      assert.equal(sum, counted.messages)
      assert.equal(
        Object.values(statuses).reduce((total, count) => total + count, 0),
        sum,
      )
    }),
  )
})

test('the delivery rate is the share of finished messages, undefined without any', () => {
  assert.equal(successOf(tally({})), undefined)
  assert.equal(successOf(tally({ queued: 5, sent: 9 })), undefined)
  assert.equal(successOf(tally({ delivered: 6, failed: 1, expired: 1, sent: 100 })), 0.75)
  assert.equal(successOf(tally({ failed: 2 })), 0)
})

const bucket = (place: number, more: Partial<Bucket> = {}): Bucket => ({
  start: startOf(statsOf(), place),
  channel: 'sms',
  provider: 'one',
  statuses: { delivered: 1 },
  accept_to_handoff: null,
  ...more,
})

test('a step adds up all channels and providers', () => {
  const stats = statsOf([bucket(0), bucket(0, { channel: 'email', statuses: { delivered: 2, failed: 1 } }), bucket(59)])
  const counted = talliesOf(stats).map(({ messages }) => messages)
  assert.equal(counted.length, 60)
  assert.deepEqual([counted[0], counted[59], counted.slice(1, 59).every((count) => count === 0)], [4, 1, true])
  assert.equal(addUp(stats.buckets).failed, 1)
  assert.deepEqual(stagesSeen(addUp([])), [])
})

test('pairs are sorted by volume, limited, and have a provider', () => {
  const stats = statsOf([
    bucket(0, { provider: null, statuses: { queued: 99 } }),
    bucket(0, { provider: 'quiet' }),
    bucket(0, { provider: 'busy' }),
    bucket(1, { provider: 'busy' }),
    bucket(1, { provider: 'busy', channel: 'email', statuses: { sent: 7 } }),
  ])
  const names = pairsOf(stats, 9).map(({ name }) => name)
  assert.equal(names.length, 3)
  assert.match(names[0] ?? '', /email.*busy/i)
  assert.match(names[2] ?? '', /quiet/)
  assert.deepEqual(
    pairsOf(stats, 2).map(({ name }) => name),
    names.slice(0, 2),
  )
})

test('a step without a measurement is null, not zero', () => {
  const stats = statsOf([bucket(2, { accept_to_handoff: { p50: 8 } }), bucket(3)])
  const [pair] = pairsOf(stats, 1)
  assert.ok(pair !== undefined)
  const measured = latenciesOf(stats, pair, 'accept_to_handoff')
  assert.equal(measured.length, 60)
  assert.deepEqual([measured[1], measured[2], measured[3]], [null, { p50: 8 }, null])
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

test('latency ticks end above the longest latency', () => {
  assert.deepEqual(latencyTicks(latencyTop(400)), [1, 10, 100, 1_000])
  assert.equal(latencyTop(9_000), 60_000)
  fc.assert(
    fc.property(fc.nat(10 * 86_400_000), (longest) => {
      const top = latencyTop(longest)
      assert.ok(top > longest)
      assert.equal(latencyTicks(top).at(-1), top)
    }),
  )
})
