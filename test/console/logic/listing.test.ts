/**
 * The message list while it updates: fetched rows and live events may overtake each other. It is imported dynamically,
 * because the server's compiler does not know browser types.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MessageRow } from '../../../src/api/messages/message-schemas.ts'

type Listing = Readonly<{ items: readonly MessageRow[]; next: string | null }>
type LiveEvent = Readonly<{
  name: string
  data: Readonly<{
    messageId: string
    at?: string
    newStatus?: string
    reason?: string
    attempt?: number
    failureReason?: string
  }>
}>
type ListingFile = Readonly<{
  withEvents: (listing: Listing, events: readonly LiveEvent[]) => Listing
  withFetched: (listing: Listing, fetched: readonly MessageRow[]) => Listing
  withTop: (listing: Listing, top: Listing) => Listing
  withMore: (listing: Listing, cursor: string, more: Listing) => Listing
  countNew: (listing: Listing | undefined, top: Listing) => number
}>

const FILE = new URL('../../../console/src/pages/messages/listing.ts', import.meta.url)
const { withEvents, withFetched, withTop, withMore, countNew } = (await import(FILE.href)) as ListingFile

const at = (second: number): string => new Date(Date.UTC(2026, 0, 15, 12, 0, second)).toISOString()

const row = (id: string, created: number, more: Partial<MessageRow> = {}): MessageRow => ({
  id: id,
  status: 'queued',
  handoff_state: 'queued',
  provider_state: 'unknown',
  to: '+*******1234',
  provider: null,
  provider_message_id: null,
  error_code: null,
  error_detail: null,
  attempts: 0,
  cycle: 1,
  segments: 1,
  encoding: 'gsm7',
  channel: 'sms',
  type: 'sms',
  lane: 'transactional',
  tags: ['a', 'b'],
  subject: null,
  template: null,
  batch_id: null,
  country: null,
  calling_code: null,
  unknown: false,
  dead_letter: false,
  erased: false,
  created_at: at(created),
  updated_at: at(created),
  ...more,
})
const copy = (one: MessageRow): MessageRow => ({ ...one, tags: [...one.tags] })

const NEWEST = row('c', 30)
const MIDDLE = row('b', 20)
const OLDEST = row('a', 10)
const LISTING: Listing = { items: [NEWEST, MIDDLE, OLDEST], next: 'more' }

const status = (messageId: string, newStatus: string, second: number): LiveEvent => ({
  name: 'message.status.v1',
  data: { messageId, newStatus, at: at(second) },
})

test('an event changes only the row of its message', () => {
  const { items, next } = withEvents(LISTING, [status('b', 'sent', 40)])
  assert.deepEqual(items[1], { ...MIDDLE, status: 'sent', updated_at: at(40) })
  assert.ok(items[0] === NEWEST && items[2] === OLDEST && next === 'more')
})

test('events of one frame apply in order, even in the same millisecond', () => {
  const retry = { name: 'message.retry.v1', data: { messageId: 'c', at: at(40), attempt: 2, reason: 'BUSY' } }
  const dead = { name: 'message.deadletter.v1', data: { messageId: 'c', at: at(40), failureReason: 'DOWN' } }
  const [first] = withEvents(LISTING, [status('c', 'sending', 40), retry, dead]).items
  assert.deepEqual(first, {
    ...NEWEST,
    updated_at: at(40),
    status: 'sending',
    attempts: 2,
    error_code: 'DOWN',
    dead_letter: true,
  })
})

test('ignores events that are old, of other messages, without a time, or of another kind', () => {
  const events: readonly LiveEvent[] = [
    status('b', 'sent', 19),
    status('elsewhere', 'sent', 50),
    { name: 'message.status.v1', data: { messageId: 'b', newStatus: 'sent' } },
    { name: 'message.somethingnew.v1', data: { messageId: 'b', at: at(50) } },
  ]
  assert.equal(withEvents(LISTING, events), LISTING)
  assert.equal(withEvents(LISTING, []), LISTING)
})

test('a repeated event changes nothing', () => {
  const once = withEvents(LISTING, [status('b', 'sent', 40)])
  assert.equal(withEvents(once, [status('b', 'sent', 40)]), once)
})

test('fetched rows replace older ones, but not newer ones, and add none', () => {
  const updated = withEvents(LISTING, [status('b', 'delivered', 50)])
  const fetched = [
    row('b', 20, { updated_at: at(45), status: 'sent' }),
    row('a', 10, { updated_at: at(45) }),
    row('z', 60),
  ]
  const { items } = withFetched(updated, fetched)
  assert.deepEqual(
    items.map(({ id, updated_at }) => [id, updated_at]),
    [
      ['c', at(30)],
      ['b', at(50)],
      ['a', at(45)],
    ],
  )
})

test('unchanged rows keep the listing identical', () => {
  assert.equal(withFetched(LISTING, LISTING.items.map(copy)), LISTING)
  assert.equal(withTop(LISTING, { items: LISTING.items.map(copy), next: 'more' }), LISTING)
})

test('a change of any field makes a new row', () => {
  const changes: readonly Partial<MessageRow>[] = [
    { status: 'sent' },
    { tags: ['a'] },
    { tags: ['b', 'a'] },
    { error_code: 'BUSY' },
    { to: null, erased: true },
  ]
  for (const change of changes) {
    const { items } = withFetched(LISTING, [{ ...copy(MIDDLE), ...change }])
    assert.deepEqual(items[1], { ...MIDDLE, ...change })
  }
})

test('a new first page replaces everything, but keeps newer rows', () => {
  const updated = withEvents(LISTING, [status('c', 'delivered', 50)])
  const fresh = row('d', 40)
  const next = withTop(updated, { items: [fresh, copy(NEWEST), copy(MIDDLE)], next: 'b' })
  assert.deepEqual(
    next.items.map(({ id, status: word }) => [id, word]),
    [
      ['d', 'queued'],
      ['c', 'delivered'],
      ['b', 'queued'],
    ],
  )
  assert.ok(next.items[2] === MIDDLE && next.next === 'b')
})

test('a new cursor makes a new listing', () => {
  assert.equal(withTop(LISTING, { items: LISTING.items, next: null }).next, null)
  assert.deepEqual(withTop(LISTING, { items: [], next: null }), { items: [], next: null })
})

test('appends a page only if its cursor still matches', () => {
  const more: Listing = { items: [row('0', 5)], next: null }
  assert.deepEqual(withMore(LISTING, 'more', more), { items: [...LISTING.items, ...more.items], next: null })
  assert.equal(withMore(LISTING, 'of an older top', more), LISTING)
})

test('counts rows of the first page that are newer than the listing', () => {
  const top: Listing = { items: [row('e', 50), row('d', 30), NEWEST, row('older', 25)], next: null }
  assert.equal(countNew(LISTING, top), 2)
  assert.equal(countNew(undefined, top), 0)
  assert.equal(countNew({ items: [], next: null }, top), 4)
  assert.equal(countNew(LISTING, LISTING), 0)
})

test('in any order of events and fetches, no row goes back in time, appears or disappears', () => {
  const seconds = fc.integer({ min: 0, max: 60 })
  const id = fc.constantFrom('a', 'b', 'c', 'd')
  const step = fc.oneof(fc.tuple(fc.constant('event'), id, seconds), fc.tuple(fc.constant('fetched'), id, seconds))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      steps.reduce<Listing>((listing, [kind, who, second]) => {
        const next =
          kind === 'event'
            ? withEvents(listing, [status(who, 'sent', second)])
            : withFetched(listing, [row(who, 10, { updated_at: at(second) })])
        assert.deepEqual(
          next.items.map(({ id }) => id),
          ['c', 'b', 'a'],
        )
        for (const [nth, { updated_at }] of next.items.entries()) {
          assert.ok(updated_at >= (listing.items[nth]?.updated_at ?? ''))
        }
        return next
      }, LISTING)
    }),
  )
})
