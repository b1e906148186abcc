/** Follows the event log of the embedded profile. Pages come from the thread that files the journal. */
import type { Searchable } from '../../../domain/message/message.ts'
import type { Signal } from '../../../lib/signal.ts'
import type { Changes, Followed, Position, Recorded, Start } from '../../../ports/event-log.ts'
import { messageIdOf } from '../../shared/codec.ts'
import { decodeEvents } from '../messages/event-codec.ts'
import type { LogPage } from '../messages/event-reader.ts'
import type { FiledLog } from '../store.ts'

type FollowDeps = Readonly<{
  filer: FiledLog
  messages: Readonly<{ tip: Position; changed: Signal }>
}>

export async function* follow(
  deps: FollowDeps,
  start: Start,
  limit: number,
  stop: AbortSignal,
): AsyncIterable<readonly Followed[]> {
  for await (const [page] of pages(deps, start, limit, stop)) yield decode(page, start)
}

/** The newest event of each message in a page. */
export async function* followChanges(
  deps: FollowDeps,
  start: Start,
  limit: number,
  stop: AbortSignal,
): AsyncIterable<Changes> {
  for await (const [{ messages, events }, through] of pages(deps, start, limit, stop)) {
    const newest = new Map(events.map(([seq, message]) => [message, seq]))
    const changed = [...newest]
      .map(([message, seq]) => [seq, message] as const)
      .toSorted(([one], [other]) => one - other)
    yield { through, events: decode({ messages, events: changed }, start) }
  }
}

/** Pages, and how far each reaches. A page is empty where all events up to the end of the log were deleted. */
async function* pages(
  { filer, messages }: FollowDeps,
  start: Start,
  limit: number,
  stop: AbortSignal,
): AsyncIterable<readonly [page: LogPage, through: Position]> {
  let at = await toPosition(filer, start)
  while (!stop.aborted) {
    const { tip } = messages
    const page = await filer.page(at, limit)
    const through = page.events.at(-1)?.[0] ?? tip
    if (through > at) {
      at = through
      yield [page, through as Position]
    } else if (messages.tip === tip) await messages.changed.wait(stop)
  }
}

async function toPosition(filer: FiledLog, start: Start): Promise<number> {
  if (typeof start === 'number') return start
  return 'after' in start ? start.after : filer.positionBefore(start.since)
}

/** Only a follower that starts at a plain position gets searchable fields. */
function decode({ messages, events }: LogPage, start: Start): readonly Followed[] {
  const decoded = new Map<number, ReadonlyMap<number, Recorded>>()
  return events.flatMap(([seq, message]) => {
    const [facts = '', timeline = '[]', searchable = null] = messages[message] ?? []
    const isFirst = !decoded.has(message)
    const bySeq = decoded.get(message) ?? new Map(decodeEvents(facts, timeline).map((one) => [one.position, one]))
    decoded.set(message, bySeq)
    const recorded = bySeq.get(seq)
    if (recorded === undefined) return []
    const found = { ...recorded, messageId: messageIdOf(facts) }
    if (!isFirst || searchable === null || typeof start !== 'number') return [found]
    return [{ ...found, searchable: JSON.parse(searchable) as Searchable }]
  })
}
