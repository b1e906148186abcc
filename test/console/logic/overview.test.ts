/**
 * The figures of the overview: time windows, steps and counts. Files with browser types are imported dynamically,
 * because the server's compiler does not know them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  autoRange,
  CHOICES,
  RANGES,
  refreshMsOf,
  toChoice,
  windowBefore,
  windowOf,
} from '../../../console/src/pages/overview/range.ts'
import { type Span, toMoment } from '../../../console/src/ui/chart/clock.ts'
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
  talliesBefore: (before: Stats, now: Stats) => readonly (Tally | null)[]
  pairsOf: (stats: Stats) => readonly Pair[]
  latenciesOf: (stats: Stats, pair: Pair, leg: 'accept_to_handoff') => readonly Bucket['accept_to_handoff'][]
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
const { stepsOf, addUp, talliesOf, stagesSeen, pairsOf, latenciesOf, talliesBefore } = series

/** A week without daylight saving changes anywhere. */
const NOW = Date.parse('2026-01-15T12:34:56.789Z')
const now = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2040-01-01') })
const anyRange = fc.constantFrom(...RANGES)

test('any URL parameter yields a choice', () => {
  for (const choice of CHOICES) assert.equal(toChoice(choice), choice)
  for (const odd of [undefined, '', '2h', '1H', 'constructor']) assert.equal(toChoice(odd), 'auto')
})

const MINUTE_MS = 60_000
const autoAfter = (minutes: number, newestMinutes = 0): string =>
  autoRange({ oldestMs: NOW - minutes * MINUTE_MS, newestMs: NOW - newestMinutes * MINUTE_MS }, NOW)

test('a young gateway is shown since its first message, an old one for a day', () => {
  for (const [minutes, range] of [
    [0, '10m'],
    [9.5, '10m'],
    [12, '15m'],
    [45, '1h'],
    [5 * 60, '6h'],
    [23 * 60, '24h'],
    [3 * 24 * 60, '24h'],
  ] as const)
    assert.equal(autoAfter(minutes), range, `${minutes} min`)
})

test('a gateway without messages in the last day is shown for a week', () => {
  assert.equal(autoAfter(5 * 24 * 60, 2 * 24 * 60), '7d')
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
      assert.equal(before.bucket, here.bucket)
      assert.equal(Date.parse(before.from) % (here.bucket * 1000), 0)
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

test('the period before is compared step by step, as far as it goes', () => {
  const before: Stats = { ...windowBefore('15m', NOW), buckets: [] }
  const startBefore = (place: number): string => new Date(Date.parse(before.from) + place * 15_000).toISOString()
  const buckets = [bucket(0, { start: startBefore(0) }), bucket(0, { start: startBefore(58), statuses: { failed: 2 } })]
  const tallies = talliesBefore({ ...before, buckets }, statsOf())
  assert.equal(tallies.length, 60)
  assert.deepEqual([tallies[0]?.delivered, tallies[1]?.messages, tallies[58]?.failed], [1, 0, 2])
  const early: Stats = { ...before, to: startBefore(30), buckets }
  assert.deepEqual(
    talliesBefore(early, statsOf()).slice(30),
    Array.from({ length: 30 }, () => null),
  )
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

test('pairs are sorted by volume and have a provider', () => {
  const stats = statsOf([
    bucket(0, { provider: null, statuses: { queued: 99 } }),
    bucket(0, { provider: 'quiet' }),
    bucket(0, { provider: 'busy' }),
    bucket(1, { provider: 'busy' }),
    bucket(1, { provider: 'busy', channel: 'email', statuses: { sent: 7 } }),
  ])
  const names = pairsOf(stats).map(({ name }) => name)
  assert.equal(names.length, 3)
  assert.match(names[0] ?? '', /email.*busy/i)
  assert.match(names[2] ?? '', /quiet/)
})

test('a step without a measurement is null, not zero', () => {
  const stats = statsOf([bucket(2, { accept_to_handoff: { p50: 8 } }), bucket(3)])
  const [pair] = pairsOf(stats)
  assert.ok(pair !== undefined)
  const measured = latenciesOf(stats, pair, 'accept_to_handoff')
  assert.equal(measured.length, 60)
  assert.deepEqual([measured[1], measured[2], measured[3]], [null, { p50: 8 }, null])
})

type ChangeFile = Readonly<{
  changeOf: (now?: number, before?: number, good?: 'more' | 'less') => unknown
  pointsOf: (now?: number, before?: number) => unknown
}>
const { changeOf, pointsOf } = (await import(new URL(`${ROOM}/overview/change.ts`, import.meta.url).href)) as ChangeFile

test('a change is a number, a percentage or a factor, and says whether it is good', () => {
  assert.equal(changeOf(undefined, 3), undefined)
  assert.equal(changeOf(3, 3), 'none')
  assert.equal(changeOf(3, 0), 'new')
  assert.deepEqual(changeOf(7, 5), { words: '2', more: true, good: undefined })
  assert.deepEqual(changeOf(75, 100, 'less'), { words: '25%', more: false, good: true })
  assert.deepEqual(changeOf(1_200, 100, 'less'), { words: '12 times', more: true, good: false })
})

test('a share changes by points', () => {
  assert.deepEqual(pointsOf(0.96, 0.98), { words: '2 points', more: false, good: false })
  assert.equal(pointsOf(0.98, 0.98), 'none')
  assert.equal(pointsOf(0.98, undefined), 'new')
  assert.equal(pointsOf(undefined, 0.98), undefined)
})
