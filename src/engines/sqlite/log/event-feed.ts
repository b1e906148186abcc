/**
 * The feed of events of the embedded profile. This process appends every event, so live ones are in memory already; those
 * of the past are read by the thread that searches.
 */
import { signal as newSignal, type Signal } from '../../../lib/signal.ts'
import type { EventFeed } from '../../../ports/event-feed.ts'
import type { Changes, Followed, Position } from '../../../ports/event-log.ts'
import type { Remote } from '../driver.ts'
import { fileAll, type SearchMethods } from '../message-index.ts'
import type { StoreMethods } from '../store.ts'
import type { LiveEvents } from './live-events.ts'

export type EventFeedDeps = Readonly<{
  messages: Readonly<{ tip: Position; live: LiveEvents }>
  events: Remote<SearchMethods, 'events'>
  filing: Remote<StoreMethods, 'index'>
}>

const PAGE = 256

export const openEventFeed = (deps: EventFeedDeps): EventFeed => ({
  live: (signal) => live(deps, signal),
  since: (from, tenantId, signal) => since(deps, { from, tenantId, limit: PAGE }, signal),
})

async function* live({ messages }: EventFeedDeps, signal: AbortSignal): AsyncIterable<Changes> {
  const arrived: Signal = newSignal()
  let waiting: Followed[] = []
  using _listening = messages.live.listen((followed) => {
    waiting.push(followed)
    arrived.notify()
  })
  yield { through: messages.tip, events: [] }
  while (!signal.aborted) {
    if (waiting.length === 0) await arrived.wait(signal)
    const events = waiting
    waiting = []
    const last = events.at(-1)
    if (last !== undefined) yield { through: last.position, events }
  }
}

type Asked = Parameters<EventFeedDeps['events']['after']>[0]

async function* since(
  { messages, events, filing }: EventFeedDeps,
  { from, ...asked }: Omit<Asked, 'filed'>,
  signal: AbortSignal,
): AsyncIterable<Changes> {
  const end = messages.tip
  for (let at = from; at < end && !signal.aborted; ) {
    let { filed } = await filing.positions()
    if (filed <= at) {
      await fileAll(filing)
      filed = (await filing.positions()).filed
    }
    // The disk is full: what comes next is not in the tables.
    if (filed <= at) return
    const page = await events.after({ ...asked, from: at, filed: filed as Position })
    yield page
    at = page.through
  }
}
