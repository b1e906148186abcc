/** The tests every feed of events must pass: what is live and what is past together are everything, in order. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TenantId } from '../domain/ids.ts'
import type { Clock } from '../lib/clock.ts'
import type { Engines } from './engines.ts'
import type { EventFeed } from './event-feed.ts'
import { type Changes, type EventLog, type Followed, type Position, START } from './event-log.ts'
import {
  ATTEMPTED,
  append,
  createdEntry,
  delivered,
  nextEntry,
  someMessage,
  stopped,
  tenant,
} from './samples.contract.ts'

export type OpenFeed = (clock: Clock) => Promise<Pick<Engines, 'log' | 'feed'> & AsyncDisposable>

const [NORTH, SOUTH] = [tenant('north'), tenant('south')]

export function eventFeedContract(engine: string, open: OpenFeed): void {
  describe(`feed of events on ${engine}`, { timeout: 120_000 }, () => {
    test('live events come after an empty page that says where they start', async () => {
      await using opened = await open(stopped)
      const { log, feed } = opened
      await write(log, NORTH)
      const stop = new AbortController()
      const pages = feed.live(stop.signal)[Symbol.asyncIterator]()
      const first = await next(pages)
      assert.deepEqual([first.events, first.through], [[], await log.tip()])
      const written = [...(await write(log, NORTH)), ...(await write(log, SOUTH))]
      const found = await gather(pages, written.length)
      assert.deepEqual(found.map(idOf), written)
      assert.deepEqual(found.map(placeOf), found.map(placeOf).toSorted(ascending))
      assert.ok(found.every(({ messageId, event }) => messageId === event.state.id))
      stop.abort()
      assert.equal((await pages.next()).done, true)
    })

    test('an event that was appended before another is live too', async () => {
      await using opened = await open(stopped)
      const { log, feed } = opened
      const stop = new AbortController()
      const pages = feed.live(stop.signal)[Symbol.asyncIterator]()
      await next(pages)
      const created = await append(log, createdEntry(someMessage({ tenantId: NORTH })))
      const before = nextEntry(created, ATTEMPTED)
      const after = nextEntry({ revision: created.revision, event: before.event }, delivered())
      await append(log, { ...after, seen: created.revision, before: before.event })
      const found = await gather(pages, 3)
      assert.deepEqual(found.map(idOf), [created.event.id, before.event.id, after.event.id])
      stop.abort()
    })

    test('the past has the events of one tenant after a position, and reaches the end', async () => {
      await using opened = await open(stopped)
      const { log, feed } = opened
      assert.deepEqual(await past(feed, START, NORTH), { events: [], through: START })
      const written: string[] = []
      for (let nth = 0; nth < 20; nth += 1) {
        written.push(...(await write(log, NORTH)))
        await write(log, SOUTH)
      }
      const { events, through } = await past(feed, START, NORTH)
      assert.deepEqual(events.map(idOf), written)
      assert.ok(through >= (await log.tip()))
      for (const at of [0, 7, 31, written.length - 1]) {
        const from = events[at]?.position ?? START
        assert.deepEqual((await past(feed, from, NORTH)).events.map(idOf), written.slice(at + 1))
      }
      assert.deepEqual((await past(feed, START, tenant('west'))).events, [])
    })

    test('past and present meet: nothing is missing between them', async () => {
      await using opened = await open(stopped)
      const { log, feed } = opened
      const written = await write(log, NORTH)
      const stop = new AbortController()
      const pages = feed.live(stop.signal)[Symbol.asyncIterator]()
      const { through } = await next(pages)
      const earlier = await past(feed, START, NORTH)
      written.push(...(await write(log, NORTH)))
      const later = await gather(pages, written.length - earlier.events.length)
      assert.ok(earlier.through >= through)
      assert.deepEqual([...earlier.events, ...later].map(idOf), written)
      stop.abort()
    })

    test('reading the past ends when the reader leaves', async () => {
      await using opened = await open(stopped)
      const { log, feed } = opened
      await write(log, NORTH)
      const leaving = new AbortController()
      leaving.abort()
      assert.deepEqual((await past(feed, START, NORTH, leaving.signal)).events, [])
    })
  })
}

/** The ids of the events of one message. */
async function write(log: EventLog, tenantId: TenantId): Promise<string[]> {
  const created = await append(log, createdEntry(someMessage({ tenantId })))
  const attempted = await append(log, nextEntry(created, ATTEMPTED))
  return [created, attempted].map(({ event }) => event.id)
}

type Pages = AsyncIterator<Changes>

async function next(pages: Pages): Promise<Changes> {
  const page = await pages.next()
  if (page.done === true) assert.fail('the feed ended')
  return page.value
}

async function gather(pages: Pages, count: number): Promise<readonly Followed[]> {
  const found: Followed[] = []
  while (found.length < count) found.push(...(await next(pages)).events)
  return found
}

async function past(feed: EventFeed, from: Position, tenantId: TenantId, signal = new AbortController().signal) {
  const events: Followed[] = []
  let through = from
  for await (const page of feed.since(from, tenantId, signal)) {
    events.push(...page.events)
    through = page.through
  }
  return { events, through }
}

const idOf = ({ event }: Followed): string => event.id
const placeOf = ({ position }: Followed): number => position
const ascending = (one: number, other: number): number => one - other
