/** The tests every timeline must pass: it stores each event once, and returns it to its tenant only. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Fact, MessageEvent } from '../domain/message/events.ts'
import type { Message } from '../domain/message/message.ts'
import { instant } from '../lib/time.ts'
import { EMPTY, type Position, type Recorded } from './event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  delivered,
  NOON,
  nextEntry,
  retryAt,
  someMessage,
  tenant,
  withHashedId,
} from './samples.contract.ts'
import type { Timeline } from './timeline.ts'

const NORTH = tenant('north')

export type OpenTimeline = () => Promise<Readonly<{ timeline: Timeline }> & AsyncDisposable>

export function timelineContract(engine: string, open: OpenTimeline): void {
  describe(`timeline on ${engine}`, { timeout: 120_000 }, () => {
    test('an unknown message has no events', async () => {
      await using opened = await open()
      const { timeline } = opened
      await timeline.keep([])
      assert.deepEqual(await timeline.read(NORTH, someMessage().id), [])
    })

    test('returns the events of a message as given, oldest first, in whatever order a call has them', async () => {
      await using opened = await open()
      const { timeline } = opened
      const message = someMessage({ expiresAt: instant(NOON + 1) })
      const events = story(message, ATTEMPTED, retryAt(NOON), ATTEMPTED, ACCEPTED, delivered('r "1" \0 é 👍'))
      const others = story(someMessage(), ATTEMPTED)
      const [first, second, ...rest] = recorded(events)
      assert.ok(first !== undefined && second !== undefined)
      await timeline.keep([second, first])
      await timeline.keep([...rest.toReversed(), ...recorded(others, 90)])
      assert.deepEqual(await timeline.read(NORTH, message.id), events)
    })

    test('a call that repeats events and has newer ones adds the newer ones', async () => {
      await using opened = await open()
      const { timeline } = opened
      const message = someMessage()
      const events = recorded(story(message, ATTEMPTED, ACCEPTED, delivered()))
      for (const end of [2, 3, 1, 4, 4, 2]) await timeline.keep(events.slice(0, end))
      await timeline.keep(events.slice(1, 3))
      assert.deepEqual(
        await timeline.read(NORTH, message.id),
        events.map(({ event }) => event),
      )
    })

    test('has the same events in pages as in one piece', async () => {
      await using opened = await open()
      const { timeline } = opened
      const message = someMessage()
      const events = story(message, ATTEMPTED, retryAt(NOON), ATTEMPTED, ACCEPTED, delivered('r "1" \0 é 👍'))
      const placed = recorded(events)
      for (const end of [2, 3, 6]) await timeline.keep(placed.slice(0, end))
      const total = events.length
      for (const limit of [1, 2, 100]) {
        for (const before of [undefined, 0, 1, 3, total, total + 1]) {
          const end = Math.min(before ?? total, total)
          const first = Math.max(0, end - limit)
          const query = before === undefined ? { limit } : { limit, before }
          const page = await timeline.page(NORTH, message.id, query)
          assert.deepEqual(page, { events: events.slice(first, end), first, total, state: events.at(-1)?.state })
        }
      }
      assert.equal(await timeline.page(tenant('south'), message.id, { limit: 9 }), undefined)
      assert.equal(await timeline.page(NORTH, someMessage().id, { limit: 9 }), undefined)
    })

    test('recording an event again keeps it as it is', async () => {
      await using opened = await open()
      const { timeline } = opened
      const message = someMessage()
      const events = recorded(story(message, ATTEMPTED, ACCEPTED))
      await timeline.keep(events)
      await timeline.keep(events.map(changed))
      await timeline.keep([...events, ...events].map(changed))
      assert.deepEqual(
        await timeline.read(NORTH, message.id),
        events.map(({ event }) => event),
      )
    })

    test('keeps events with hashed ids, as earlier releases recorded them, once', async () => {
      await using opened = await open()
      const { timeline } = opened
      const message = someMessage()
      const events = story(message, ATTEMPTED, delivered()).map(withHashedId)
      await timeline.keep(recorded(events))
      await timeline.keep(recorded(events))
      assert.deepEqual(await timeline.read(NORTH, message.id), events)
    })

    test('concurrent writers of the same events leave each event once', async () => {
      await using opened = await open()
      const { timeline } = opened
      const messages = Array.from({ length: 150 }, () => someMessage())
      const events = messages.flatMap((message, nth) => recorded(story(message, ATTEMPTED, ACCEPTED), nth * 10))
      // Whole messages: a writer lacks an event of one only if it was kept before.
      const orders = [events, events.toReversed(), events.slice(6), events.toReversed().slice(9), events]
      // Connect beforehand, so that the writers really run concurrently.
      await Promise.all(orders.map(() => timeline.read(NORTH, someMessage().id)))
      await Promise.all(orders.map((order) => timeline.keep(order)))
      for (const { id } of messages) assert.equal((await timeline.read(NORTH, id)).length, 3)
    })

    test('does not return messages of another tenant', async () => {
      await using opened = await open()
      const { timeline } = opened
      const [mine, other] = [someMessage(), someMessage({ tenantId: tenant('south') })]
      await timeline.keep([...recorded(story(mine)), ...recorded(story(other), 5)])
      assert.deepEqual(await timeline.read(NORTH, other.id), [])
      assert.deepEqual(await timeline.read(tenant('south'), mine.id), [])
      assert.equal((await timeline.read(tenant('south'), other.id)).length, 1)
    })
  })
}

/** The events of a message with these facts, its creation first. */
function story(message: Message, ...facts: readonly Fact[]): readonly MessageEvent[] {
  const events = [createdEntry(message).event]
  for (const fact of facts) {
    const event = events.at(-1)
    if (event !== undefined) events.push(nextEntry({ revision: EMPTY, event }, fact).event)
  }
  return events
}

const recorded = (events: readonly MessageEvent[], after = 0): readonly Recorded[] =>
  events.map((event, nth) => ({ revision: EMPTY, position: (after + nth + 1) as Position, event }))

const changed = ({ event, ...rest }: Recorded): Recorded => ({ ...rest, event: { ...event, at: instant(1) } })
