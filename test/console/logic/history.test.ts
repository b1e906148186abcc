/**
 * The history of a message and the rows of its timeline. Both are imported dynamically, because the server's compiler
 * does not know browser types.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TimelineEvent } from '../../../src/api/messages/message-schemas.ts'

type Entry = Readonly<{
  index: number
  kind: string
  at: number
  provider?: string
  isLate: boolean
  overdueMs?: number
}>
type Attempt = Readonly<{
  cycle: number
  attempt: number
  provider: string
  begin: Entry
  end?: Entry
  ending: string
  overdueMs?: number
}>
type Wait = Readonly<{ kind: string; row?: string; from: Entry; planned?: number; until?: number }>
type Cycle = Readonly<{ cycle: number; first: number; last: number }>
type History = Readonly<{
  entries: readonly Entry[]
  attempts: readonly Attempt[]
  waits: readonly Wait[]
  cycles: readonly Cycle[]
  providers: readonly string[]
}>
type Details = Readonly<{ events: readonly TimelineEvent[]; due_at: string | null }>
type WaitsFile = Readonly<{
  overdueOf: (wait: Wait, now?: number) => number | undefined
  isShown: (wait: Wait, now?: number) => boolean
}>
type HistoryFile = Readonly<{ toHistory: (details: Details) => History; TONES: Readonly<Record<string, string>> }>
type Layout = Readonly<{ rows: readonly string[]; top: number; height: number; y: (row?: string) => number }>
type LayoutFile = Readonly<{
  toLayout: (history: History, axis: unknown) => Layout
  rowOf: (entry: Entry) => string
  ROW_HEIGHT: number
}>

const ROOM = '../../../console/src/pages/message'
const { toHistory, TONES } = (await import(new URL(`${ROOM}/history.ts`, import.meta.url).href)) as HistoryFile
const { overdueOf, isShown } = (await import(new URL(`${ROOM}/waits.ts`, import.meta.url).href)) as WaitsFile
const LAYOUT = new URL(`${ROOM}/timeline-layout.ts`, import.meta.url)
const { toLayout, rowOf, ROW_HEIGHT } = (await import(LAYOUT.href)) as LayoutFile

const START = Date.parse('2026-01-15T12:00:00Z')
const iso = (ms: number): string => new Date(START + ms).toISOString()

type Progress = Readonly<{ cycle?: number; attempt?: number; status?: TimelineEvent['payload']['status'] }>

/** An event so many milliseconds after the first. */
function event(
  kind: string,
  ms: number,
  progress: Progress = {},
  more: Readonly<Record<string, unknown>> = {},
): TimelineEvent {
  const { cycle = 1, attempt = 0, status = 'sending' } = progress
  return { event_type: kind, at: iso(ms), payload: { status, cycle, attempt, ...more } }
}

const call = (ms: number, attempt: number, provider: string, cycle = 1): TimelineEvent =>
  event('HandoffAttempted', ms, { attempt, cycle }, { provider })
const historyOf = (events: readonly TimelineEvent[], due_at: string | null = null): History =>
  toHistory({ events, due_at })

const KINDS = [
  'MessageValidated',
  'HandoffAttempted',
  'HandoffAccepted',
  'HandoffUnknown',
  'RetryScheduled',
  'HandoffFailed',
  'DeadLettered',
  'MessageExpired',
  'ResendRequested',
  'ProviderDelivered',
  'SomethingNew',
]
/** Events in any order, from clocks that disagree. */
const anyEvent = fc
  .record({ kind: fc.constantFrom(...KINDS), ms: fc.nat(100_000), cycle: fc.integer({ min: 1, max: 4 }), n: fc.nat(3) })
  .map(({ kind, ms, cycle, n }) => event(kind, ms, { cycle, attempt: n }, { provider: `p${n}`, due_at: iso(ms + 500) }))
const anyEvents = fc
  .array(anyEvent, { maxLength: 60 })
  .map((events) => [event('MessageCreated', 50_000, { status: 'queued' }), ...events])

test('a message without events has an empty history', () => {
  assert.deepEqual(historyOf([]), { entries: [], attempts: [], waits: [], cycles: [], providers: [] })
})

test('entries are in chronological order, even if clocks disagree', () => {
  const { entries } = historyOf([
    event('MessageCreated', 0),
    call(5, 1, 'one'),
    event('HandoffAccepted', -40, { attempt: 1 }),
  ])
  assert.deepEqual(
    entries.map(({ at }) => at - START),
    [0, 5, 5],
  )
  fc.assert(
    fc.property(anyEvents, (events) => {
      const all = historyOf(events).entries
      assert.deepEqual(
        all.map(({ index, kind }) => [index, kind]),
        events.map(({ event_type }, index) => [index, event_type]),
      )
      for (const { index, at } of all) assert.ok(at >= (all[index - 1]?.at ?? 0))
    }),
  )
})

test('cycles are contiguous and contain every entry once', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const { cycles } = historyOf(events)
      assert.equal(cycles[0]?.first, 0)
      assert.equal(cycles.at(-1)?.last, events.length - 1)
      for (const [nth, { cycle, first, last }] of cycles.entries()) {
        assert.ok(first <= last)
        const before = cycles[nth - 1]
        if (before !== undefined) assert.ok(first === before.last + 1 && cycle > before.cycle)
      }
    }),
  )
})

test('a report on a finished cycle is late and belongs to the current band', () => {
  const again = event('ResendRequested', 20, { cycle: 2, attempt: 1 })
  const late = event('ProviderBounced', 30, { cycle: 1, attempt: 1 })
  const { entries, cycles } = historyOf([event('MessageCreated', 0), call(1, 1, 'one'), again, late])
  assert.deepEqual(
    entries.map(({ isLate }) => isLate),
    [false, false, false, true],
  )
  assert.deepEqual(cycles, [
    { cycle: 1, first: 0, last: 1 },
    { cycle: 2, first: 2, last: 3 },
  ])
  assert.equal(entries[3]?.provider, 'one')
})

test('each attempt ends with its first outcome and is open before', () => {
  const events = [
    event('MessageCreated', 0),
    call(10, 1, 'one'),
    event('RetryScheduled', 20, { attempt: 1 }, { due_at: iso(2020), code: 'BUSY' }),
    call(2020, 2, 'one'),
    event('RetryScheduled', 2030, { attempt: 2 }, { due_at: iso(2030), exclude: 'one' }),
    call(2031, 3, 'two'),
    event('HandoffUnknown', 3031, { attempt: 3 }, { reconcile_at: iso(8031) }),
    call(8031, 4, 'two'),
    event('HandoffAccepted', 8100, { attempt: 3 }, { by: 'receipt' }),
  ]
  const { attempts, providers } = historyOf(events)
  assert.deepEqual(
    attempts.map(({ attempt, provider, ending, end }) => [attempt, provider, ending, end?.index]),
    [
      [1, 'one', 'retry', 2],
      [2, 'one', 'excluded', 4],
      [3, 'two', 'unknown', 6],
      [4, 'two', 'open', undefined],
    ],
  )
  assert.deepEqual(providers, ['one', 'two'])
})

test('distinguishes attempts of the same number in two cycles', () => {
  const accepted = event('HandoffAccepted', 30, { cycle: 2, attempt: 1 })
  const events = [event('MessageCreated', 0), call(1, 1, 'one'), call(20, 1, 'two', 2), accepted]
  const endings = (all: readonly TimelineEvent[]): unknown =>
    historyOf(all).attempts.map(({ cycle, provider, ending }) => [cycle, provider, ending])
  assert.deepEqual(endings(events), [
    [1, 'one', 'open'],
    [2, 'two', 'accepted'],
  ])
  const late = [...events, event('HandoffFailed', 40, { attempt: 1 })]
  assert.deepEqual(endings(late), [
    [1, 'one', 'failed'],
    [2, 'two', 'accepted'],
  ])
  assert.equal(historyOf(late).entries.at(-1)?.provider, 'one')
})

test('every ending has a tone and is not before its beginning', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const { attempts, entries } = historyOf(events)
      assert.equal(attempts.length, entries.filter(({ kind }) => kind === 'HandoffAttempted').length)
      for (const { ending, begin, end } of attempts) {
        assert.ok(TONES[ending] !== undefined)
        assert.equal(end === undefined, ending === 'open')
        assert.ok(end === undefined || (end.index > begin.index && end.at >= begin.at))
      }
    }),
  )
})

test('a pause lasts until the next attempt, or as planned while there is none', () => {
  const retry = event('RetryScheduled', 20, { attempt: 1 }, { due_at: iso(2020) })
  const begin = [event('MessageCreated', 0), call(10, 1, 'one'), retry]
  assert.equal(historyOf(begin).waits[0]?.until, START + 2020)
  assert.equal(historyOf([...begin, call(2100, 2, 'one')]).waits[0]?.until, START + 2100)
  assert.equal(historyOf([...begin, event('ProviderAccepted', 50, { attempt: 1 })]).waits[0]?.until, START + 2020)
})

test('a message that is due at once waits only if it is overdue', () => {
  const created = event('MessageCreated', 0, { status: 'queued' })
  assert.deepEqual(historyOf([created, call(300, 1, 'one')]).waits, [])
  const [late] = historyOf([created, call(30_000, 1, 'one')]).waits
  assert.deepEqual([late?.planned, late?.until], [START, START + 30_000])
  const [lasting] = historyOf([created], iso(0)).waits
  assert.ok(lasting !== undefined)
  assert.deepEqual([isShown(lasting, START + 500), isShown(lasting, START + 9_000)], [false, true])
})

test('an overdue wait is marked on its event, its attempt, and while it lasts', () => {
  const retry = event('RetryScheduled', 20, { attempt: 1 }, { due_at: iso(2020) })
  const begin = [event('MessageCreated', 0), call(10, 1, 'one'), retry]
  const { entries, attempts } = historyOf([...begin, call(32_020, 2, 'one')])
  assert.deepEqual(
    entries.map(({ overdueMs }) => overdueMs),
    [undefined, undefined, undefined, 30_000],
  )
  assert.equal(attempts[1]?.overdueMs, 30_000)
  assert.equal(historyOf([...begin, call(2_900, 2, 'one')]).attempts[1]?.overdueMs, undefined)
  const checked = event('MessageValidated', 32_020, { attempt: 1 })
  assert.equal(historyOf([...begin, checked, call(32_020, 2, 'one')]).attempts[1]?.overdueMs, 30_000)
  const [lasting] = historyOf(begin).waits
  assert.ok(lasting !== undefined)
  assert.deepEqual(
    [1_000, 3_000, 9_020].map((ms) => overdueOf(lasting, START + ms)),
    [undefined, undefined, 7_000],
  )
})

test('a failed validation ends the wait', () => {
  const retry = event('RetryScheduled', 20, { attempt: 1 }, { due_at: iso(2020) })
  const stopped = event('ValidationFailed', 2_100, { attempt: 1 })
  const begin = [event('MessageCreated', 0), call(10, 1, 'one'), retry]
  assert.equal(historyOf([...begin, stopped]).waits[0]?.until, START + 2_100)
})

test('an unknown outcome is open until it is resolved, and in the row of its provider', () => {
  const unknown = event('HandoffUnknown', 1000, { attempt: 1 }, { reconcile_at: iso(6000) })
  const begin = [event('MessageCreated', 0), call(1, 1, 'one'), unknown]
  const [open] = historyOf(begin).waits
  assert.deepEqual([open?.kind, open?.row, open?.until], ['unknown', 'one', undefined])
  const resolved = event('HandoffAccepted', 4000, { attempt: 1 }, { by: 'receipt' })
  assert.equal(historyOf([...begin, resolved]).waits[0]?.until, START + 4000)
})

test('no wait ends before it begins', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      for (const { from, until } of historyOf(events, iso(0)).waits) assert.ok(until === undefined || until >= from.at)
    }),
  )
})

test('a message with a thousand events keeps its attempts apart', () => {
  const events = Array.from({ length: 500 }, (_, n) => [
    call(10 * n, n + 1, `p${n % 3}`),
    event('RetryScheduled', 10 * n + 1, { attempt: n + 1 }, { due_at: iso(10 * n + 10) }),
  ]).flat()
  const { attempts, waits, providers } = historyOf([event('MessageCreated', 0), ...events])
  assert.equal(attempts.length, 500)
  assert.ok(attempts.every(({ end, attempt }) => end?.index === 2 * attempt))
  assert.equal(waits.length, 500)
  assert.deepEqual(providers, ['p0', 'p1', 'p2'])
})

test('every provider has a row below that of the gateway', () => {
  const history = historyOf([
    event('MessageCreated', 0),
    call(1, 1, 'one'),
    call(2, 2, 'two'),
    event('MessageExpired', 3, { attempt: 2 }),
  ])
  const { rows, y, height, top } = toLayout(history, undefined)
  assert.deepEqual(rows, ['', 'one', 'two'])
  assert.deepEqual([y('one') - y(), y('two') - y('one'), y('nobody')], [ROW_HEIGHT, ROW_HEIGHT, y('')])
  assert.ok(y() - ROW_HEIGHT / 2 >= top && y('two') + ROW_HEIGHT / 2 <= height)
  assert.deepEqual(history.entries.map(rowOf), ['', 'one', 'two', ''])
})

test('several cycles leave room for their names above the rows', () => {
  const one = historyOf([event('MessageCreated', 0)])
  const two = historyOf([event('MessageCreated', 0), event('ResendRequested', 1, { cycle: 2 })])
  assert.ok(toLayout(two, undefined).top > toLayout(one, undefined).top)
})
