/** The periods and the series of usage. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysOf, periodOf, toPeriodChoice } from '../../../console/src/pages/usage/period.ts'

const NOW = Date.parse('2026-03-01T00:30:00Z')

type Item = Readonly<{
  day: string
  channel?: string
  country?: string | null
  messages: number
  sent_messages: number
}>
type Line = Readonly<{ name: string; values: readonly number[] }>
type Measure = Readonly<{ by: string; metric: string }>
type SeriesFile = Readonly<{
  seriesOf: (items: readonly Item[], days: readonly number[], measure: Measure) => readonly Line[]
}>
type MeasureFile = Readonly<{ measureOf: (by: string, metric: string) => Measure }>

const ROOM = '../../../console/src/pages/usage'
const { seriesOf } = (await import(new URL(`${ROOM}/series.ts`, import.meta.url).href)) as SeriesFile
const { measureOf } = (await import(new URL(`${ROOM}/measure.ts`, import.meta.url).href)) as MeasureFile

test('months are those of UTC', () => {
  assert.deepEqual(periodOf('month', {}, NOW), { from: '2026-03-01', to: '2026-03-01' })
  assert.deepEqual(periodOf('last-month', {}, NOW), { from: '2026-02-01', to: '2026-02-28' })
  assert.deepEqual(periodOf('last-month', {}, Date.parse('2026-01-31T12:00:00Z')), {
    from: '2025-12-01',
    to: '2025-12-31',
  })
})

test('a custom period is taken from the URL, unless it makes no sense', () => {
  const custom = { from: '2025-12-30', to: '2026-01-02' }
  assert.deepEqual(periodOf('custom', custom, NOW), custom)
  const month = periodOf('month', {}, NOW)
  for (const odd of [
    {},
    { from: '2026-02-02' },
    { from: '2026-02-30', to: '2026-03-01' },
    { from: '2026-02-02', to: '2026-02-01' },
  ])
    assert.deepEqual(periodOf('custom', odd, NOW), month)
  assert.deepEqual(periodOf('custom', { from: '2025-01-01', to: '2026-01-02' }, NOW), month)
  assert.equal(toPeriodChoice('constructor'), 'month')
})

test('every day of a period has a place, in which its usage is', () => {
  const days = daysOf({ from: '2026-02-27', to: '2026-03-01' })
  assert.deepEqual(
    days.map((at) => new Date(at * 1000).toISOString().slice(0, 10)),
    ['2026-02-27', '2026-02-28', '2026-03-01'],
  )
  const item = (day: string, channel: string, messages: number): Item => ({ day, channel, messages, sent_messages: 0 })
  const items = [item('2026-02-28', 'email', 3), item('2026-02-27', 'sms', 5), item('2026-03-01', 'sms', 1)]
  assert.deepEqual(
    seriesOf(items, days, { by: 'channel', metric: 'messages' }).map(({ name, values }) => [name, values]),
    [
      ['SMS', [5, 0, 1]],
      ['Email', [0, 3, 0]],
    ],
  )
})

test('small groups are one series, and nothing is lost', () => {
  const countries = ['PT', 'BR', 'ES', 'FR', 'DE', 'IT', 'US', null]
  const items = countries.map(
    (country, nth): Item => ({ day: '2026-03-01', country, messages: nth + 1, sent_messages: 0 }),
  )
  const lines = seriesOf(items, daysOf({ from: '2026-03-01', to: '2026-03-01' }), { by: 'country', metric: 'messages' })
  assert.equal(lines.length, 6)
  assert.deepEqual(
    lines.map(({ values }) => values[0]),
    [8, 7, 6, 5, 4, 6],
  )
})

test('by provider only what was sent can be counted', () => {
  assert.equal(measureOf('provider', 'segments').metric, 'sent_segments')
  assert.equal(measureOf('country', 'segments').metric, 'segments')
})
