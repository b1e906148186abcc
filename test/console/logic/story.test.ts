/**
 * The story of a message, put together from its events, and the rows it is drawn in. Both are loaded by their address,
 * because their types are those of a browser, which the compiler of the server does not know.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TimelineEvent } from '../../../src/api/http/schemas.ts'

type Happening = Readonly<{
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
  begin: Happening
  end?: Happening
  ending: string
  overdueMs?: number
}>
type Wait = Readonly<{ kind: string; row?: string; from: Happening; planned?: number; until?: number }>
type Cycle = Readonly<{ cycle: number; first: number; last: number }>
type Story = Readonly<{
  happenings: readonly Happening[]
  attempts: readonly Attempt[]
  waits: readonly Wait[]
  cycles: readonly Cycle[]
  providers: readonly string[]
}>
type Told = Readonly<{ events: readonly TimelineEvent[]; due_at: string | null }>
type WaitsFile = Readonly<{
  overdueOf: (wait: Wait, now?: number) => number | undefined
  isTold: (wait: Wait, now?: number) => boolean
}>
type StoryFile = Readonly<{ toStory: (details: Told) => Story; TONES: Readonly<Record<string, string>> }>
type Layout = Readonly<{ rows: readonly string[]; top: number; height: number; y: (row?: string) => number }>
type LayoutFile = Readonly<{
  toLayout: (story: Story, axis: unknown) => Layout
  rowOf: (happening: Happening) => string
  ROW_HEIGHT: number
}>

const ROOM = '../../../console/src/pages/message'
const { toStory, TONES } = (await import(new URL(`${ROOM}/story.ts`, import.meta.url).href)) as StoryFile
const { overdueOf, isTold } = (await import(new URL(`${ROOM}/waits.ts`, import.meta.url).href)) as WaitsFile
const LAYOUT = new URL(`${ROOM}/timeline-layout.ts`, import.meta.url)
const { toLayout, rowOf, ROW_HEIGHT } = (await import(LAYOUT.href)) as LayoutFile

const START = Date.parse('2026-01-15T12:00:00Z')
const iso = (ms: number): string => new Date(START + ms).toISOString()

type Turn = Readonly<{ cycle?: number; attempt?: number; status?: TimelineEvent['payload']['status'] }>

/** An event so many milliseconds after the first. */
function event(kind: string, ms: number, turn: Turn = {}, more: Readonly<Record<string, unknown>> = {}): TimelineEvent {
  const { cycle = 1, attempt = 0, status = 'sending' } = turn
  return { event_type: kind, at: iso(ms), payload: { status, cycle, attempt, ...more } }
}

const call = (ms: number, attempt: number, provider: string, cycle = 1): TimelineEvent =>
  event('HandoffAttempted', ms, { attempt, cycle }, { provider })
const tell = (events: readonly TimelineEvent[], due_at: string | null = null): Story => toStory({ events, due_at })

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
/** Anything after anything, by clocks that do not agree. */
const anyEvent = fc
  .record({ kind: fc.constantFrom(...KINDS), ms: fc.nat(100_000), cycle: fc.integer({ min: 1, max: 4 }), n: fc.nat(3) })
  .map(({ kind, ms, cycle, n }) => event(kind, ms, { cycle, attempt: n }, { provider: `p${n}`, due_at: iso(ms + 500) }))
const anyEvents = fc
  .array(anyEvent, { maxLength: 60 })
  .map((events) => [event('MessageCreated', 50_000, { status: 'queued' }), ...events])

test('a message of which nothing is told yet has an empty story', () => {
  assert.deepEqual(tell([]), { happenings: [], attempts: [], waits: [], cycles: [], providers: [] })
})

test('no happening is before the one before it, though the clocks of two processes disagree', () => {
  const { happenings } = tell([
    event('MessageCreated', 0),
    call(5, 1, 'one'),
    event('HandoffAccepted', -40, { attempt: 1 }),
  ])
  assert.deepEqual(
    happenings.map(({ at }) => at - START),
    [0, 5, 5],
  )
  fc.assert(
    fc.property(anyEvents, (events) => {
      const all = tell(events).happenings
      assert.deepEqual(
        all.map(({ index, kind }) => [index, kind]),
        events.map(({ event_type }, index) => [index, event_type]),
      )
      for (const { index, at } of all) assert.ok(at >= (all[index - 1]?.at ?? 0))
    }),
  )
})

test('bands of cycles follow each other without a hole, and hold every happening once', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const { cycles } = tell(events)
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

test('a report on a cycle that is over is late, and stays in the band that it came in', () => {
  const again = event('ResendRequested', 20, { cycle: 2, attempt: 1 })
  const late = event('ProviderBounced', 30, { cycle: 1, attempt: 1 })
  const { happenings, cycles } = tell([event('MessageCreated', 0), call(1, 1, 'one'), again, late])
  assert.deepEqual(
    happenings.map(({ isLate }) => isLate),
    [false, false, false, true],
  )
  assert.deepEqual(cycles, [
    { cycle: 1, first: 0, last: 1 },
    { cycle: 2, first: 2, last: 3 },
  ])
  assert.equal(happenings[3]?.provider, 'one')
})

test('each attempt ends as the first outcome of its own says, and is open until there is one', () => {
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
  const { attempts, providers } = tell(events)
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

test('attempts of one number in two cycles are told apart, whichever is heard of first', () => {
  const accepted = event('HandoffAccepted', 30, { cycle: 2, attempt: 1 })
  const events = [event('MessageCreated', 0), call(1, 1, 'one'), call(20, 1, 'two', 2), accepted]
  const endings = (all: readonly TimelineEvent[]): unknown =>
    tell(all).attempts.map(({ cycle, provider, ending }) => [cycle, provider, ending])
  assert.deepEqual(endings(events), [
    [1, 'one', 'open'],
    [2, 'two', 'accepted'],
  ])
  const late = [...events, event('HandoffFailed', 40, { attempt: 1 })]
  assert.deepEqual(endings(late), [
    [1, 'one', 'failed'],
    [2, 'two', 'accepted'],
  ])
  assert.equal(tell(late).happenings.at(-1)?.provider, 'one')
})

test('every ending of any story has a tone, and ends no earlier than its attempt began', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const { attempts, happenings } = tell(events)
      assert.equal(attempts.length, happenings.filter(({ kind }) => kind === 'HandoffAttempted').length)
      for (const { ending, begin, end } of attempts) {
        assert.ok(TONES[ending] !== undefined)
        assert.equal(end === undefined, ending === 'open')
        assert.ok(end === undefined || (end.index > begin.index && end.at >= begin.at))
      }
    }),
  )
})

test('a pause lasts until the next attempt, or as long as it is planned while there is none', () => {
  const retry = event('RetryScheduled', 20, { attempt: 1 }, { due_at: iso(2020) })
  const begin = [event('MessageCreated', 0), call(10, 1, 'one'), retry]
  assert.equal(tell(begin).waits[0]?.until, START + 2020)
  assert.equal(tell([...begin, call(2100, 2, 'one')]).waits[0]?.until, START + 2100)
  assert.equal(tell([...begin, event('ProviderAccepted', 50, { attempt: 1 })]).waits[0]?.until, START + 2020)
})

test('what may go at once waits only where it does not', () => {
  const created = event('MessageCreated', 0, { status: 'queued' })
  assert.deepEqual(tell([created, call(300, 1, 'one')]).waits, [])
  const [late] = tell([created, call(30_000, 1, 'one')]).waits
  assert.deepEqual([late?.planned, late?.until], [START, START + 30_000])
  const [lasting] = tell([created], iso(0)).waits
  assert.ok(lasting !== undefined)
  assert.deepEqual([isTold(lasting, START + 500), isTold(lasting, START + 9_000)], [false, true])
})

test('a wait that a breaker made longer is told as such: by what came late, by its attempt, and while it lasts', () => {
  const retry = event('RetryScheduled', 20, { attempt: 1 }, { due_at: iso(2020) })
  const begin = [event('MessageCreated', 0), call(10, 1, 'one'), retry]
  const { happenings, attempts } = tell([...begin, call(32_020, 2, 'one')])
  assert.deepEqual(
    happenings.map(({ overdueMs }) => overdueMs),
    [undefined, undefined, undefined, 30_000],
  )
  assert.equal(attempts[1]?.overdueMs, 30_000)
  assert.equal(tell([...begin, call(2_900, 2, 'one')]).attempts[1]?.overdueMs, undefined)
  const checked = event('MessageValidated', 32_020, { attempt: 1 })
  assert.equal(tell([...begin, checked, call(32_020, 2, 'one')]).attempts[1]?.overdueMs, 30_000)
  const [lasting] = tell(begin).waits
  assert.ok(lasting !== undefined)
  assert.deepEqual(
    [1_000, 3_000, 9_020].map((ms) => overdueOf(lasting, START + ms)),
    [undefined, undefined, 7_000],
  )
})

test('a check that stops a message ends its wait', () => {
  const retry = event('RetryScheduled', 20, { attempt: 1 }, { due_at: iso(2020) })
  const stopped = event('ValidationFailed', 2_100, { attempt: 1 })
  const begin = [event('MessageCreated', 0), call(10, 1, 'one'), retry]
  assert.equal(tell([...begin, stopped]).waits[0]?.until, START + 2_100)
})

test('a doubt has no end until somebody settles it, and is drawn in the row of its provider', () => {
  const unknown = event('HandoffUnknown', 1000, { attempt: 1 }, { reconcile_at: iso(6000) })
  const begin = [event('MessageCreated', 0), call(1, 1, 'one'), unknown]
  const [open] = tell(begin).waits
  assert.deepEqual([open?.kind, open?.row, open?.until], ['unknown', 'one', undefined])
  const settled = event('HandoffAccepted', 4000, { attempt: 1 }, { by: 'receipt' })
  assert.equal(tell([...begin, settled]).waits[0]?.until, START + 4000)
})

test('no wait ends before it begins, whatever was planned', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      for (const { from, until } of tell(events, iso(0)).waits) assert.ok(until === undefined || until >= from.at)
    }),
  )
})

test('a message with a thousand events keeps every attempt apart', () => {
  const events = Array.from({ length: 500 }, (_, n) => [
    call(10 * n, n + 1, `p${n % 3}`),
    event('RetryScheduled', 10 * n + 1, { attempt: n + 1 }, { due_at: iso(10 * n + 10) }),
  ]).flat()
  const { attempts, waits, providers } = tell([event('MessageCreated', 0), ...events])
  assert.equal(attempts.length, 500)
  assert.ok(attempts.every(({ end, attempt }) => end?.index === 2 * attempt))
  assert.equal(waits.length, 500)
  assert.deepEqual(providers, ['p0', 'p1', 'p2'])
})

test('every provider has a row of its own below ours, and what we do ourselves is in ours', () => {
  const story = tell([
    event('MessageCreated', 0),
    call(1, 1, 'one'),
    call(2, 2, 'two'),
    event('MessageExpired', 3, { attempt: 2 }),
  ])
  const { rows, y, height, top } = toLayout(story, undefined)
  assert.deepEqual(rows, ['', 'one', 'two'])
  assert.deepEqual([y('one') - y(), y('two') - y('one'), y('nobody')], [ROW_HEIGHT, ROW_HEIGHT, y('')])
  assert.ok(y() - ROW_HEIGHT / 2 >= top && y('two') + ROW_HEIGHT / 2 <= height)
  assert.deepEqual(story.happenings.map(rowOf), ['', 'one', 'two', ''])
})

test('there is room above the rows for the names of cycles where there are several', () => {
  const one = tell([event('MessageCreated', 0)])
  const two = tell([event('MessageCreated', 0), event('ResendRequested', 1, { cycle: 2 })])
  assert.ok(toLayout(two, undefined).top > toLayout(one, undefined).top)
})
