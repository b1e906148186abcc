/** The tests of reading a timeline in pages, which must show what reading it as a whole shows. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { instant } from '../lib/time.ts'
import type { EventLog, EventsQuery } from './event-log.ts'
import {
  ATTEMPTED,
  append,
  createdEntry,
  NOON,
  nextEntry,
  type Open,
  type Seen,
  someMessage,
  stopped,
} from './samples.contract.ts'

export function eventLogPagesContract(engine: string, open: Open<'log'>): void {
  describe(`pages of a timeline on ${engine}`, { timeout: 120_000 }, () => {
    test('an unknown message has none', async () => {
      await using opened = await open(stopped)
      assert.equal(await opened.log.page(someMessage().id, { limit: 10 }), undefined)
    })

    for (const [length, detail] of [
      ['short', 'busy'],
      ['long', 'busy é 👍 \0 '.repeat(500)],
    ] as const) {
      test(`a ${length} timeline has the same events in pages as in one piece`, async () => {
        await using opened = await open(stopped)
        const { log } = opened
        const events = await writeStory(log, 10, detail)
        const { id } = events[0]?.state ?? assert.fail('a message has events')
        const total = events.length
        for (const limit of [1, 3, total, 200]) {
          for (const before of [undefined, 0, 1, 4, total - 1, total, total + 9]) {
            const query: EventsQuery = before === undefined ? { limit } : { limit, before }
            const end = Math.min(before ?? total, total)
            const first = Math.max(0, end - limit)
            const page = await log.page(id, query)
            assert.deepEqual(page, { events: events.slice(first, end), first, total, state: events.at(-1)?.state })
          }
        }
      })
    }

    test('every event can be reached by following the pages', async () => {
      await using opened = await open(stopped)
      const { log } = opened
      const events = await writeStory(log, 12, 'busy')
      const { id } = events[0]?.state ?? assert.fail('a message has events')
      const found = []
      for (let before = Number.MAX_SAFE_INTEGER; before > 0; ) {
        const page = await log.page(id, { limit: 5, before })
        found.unshift(...(page?.events ?? []))
        before = page?.first ?? 0
      }
      assert.deepEqual(found, events)
    })
  })
}

/** A message that is retried so often; returns its events. */
async function writeStory(log: EventLog, retries: number, detail: string) {
  let seen: Seen = await append(log, createdEntry(someMessage()))
  const all = [seen]
  for (let nth = 0; nth < retries; nth += 1) {
    const retry = {
      kind: 'RetryScheduled',
      dueAt: instant(NOON + nth),
      code: 'BUSY',
      detail: `${nth} ${detail}`,
    } as const
    for (const fact of [ATTEMPTED, retry]) {
      const entry = nextEntry(seen, fact)
      // Every attempt has its own number, as in a flow.
      const attempt = nth + 1
      const event = {
        ...entry.event,
        attempt,
        id: `${entry.event.state.id}.1.${attempt}.${fact.kind}` as typeof entry.event.id,
      }
      seen = await append(log, { ...entry, event })
      all.push(seen)
    }
  }
  return all.map(({ event }) => event)
}
