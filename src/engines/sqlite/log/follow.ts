/** Follows the event log of the embedded profile. Pages come from the thread that files the journal. */
import type { Searchable } from '../../../domain/message/message.ts'
import type { Signal } from '../../../lib/signal.ts'
import type { Changes, Followed, Position, Revision, Start } from '../../../ports/event-log.ts'
import { decodeEvent, messageIdOf } from '../../shared/codec.ts'
import type { Driver } from '../driver.ts'
import type { FollowedRow } from '../event-tables.ts'
import type { StoreMethods } from '../store.ts'

type FollowDeps = Readonly<{
  filer: Driver<StoreMethods>
  messages: Readonly<{ tip: Position; changed: Signal }>
}>

export async function* follow(
  { filer, messages }: FollowDeps,
  start: Start,
  limit: number,
  stop: AbortSignal,
): AsyncIterable<readonly Followed[]> {
  const decode = decoderFor(start)
  let at = await toPosition(filer, start)
  while (!stop.aborted) {
    const { tip } = messages
    const rows = await filer.call('page', at, limit)
    at = rows.at(-1)?.[0] ?? at
    if (rows.length > 0) yield rows.map(decode)
    else if (messages.tip === tip) await messages.changed.wait(stop)
  }
}

export async function* followChanges(
  { filer, messages }: FollowDeps,
  start: Start,
  limit: number,
  stop: AbortSignal,
): AsyncIterable<Changes> {
  const decode = decoderFor(start)
  let at = await toPosition(filer, start)
  while (!stop.aborted) {
    const { tip } = messages
    const [through, rows] = await filer.call('changes', at, limit)
    if (through > at) yield { through: through as Position, events: rows.map(decode) }
    else if (messages.tip === tip) await messages.changed.wait(stop)
    at = through
  }
}

/** The position to read on from. */
const toPosition = async (filer: Driver<StoreMethods>, start: Start): Promise<number> =>
  typeof start === 'number' ? start : filer.call('positionBefore', start.since)

/** A follower that starts at an instant gets no searchable fields. */
const decoderFor =
  (start: Start) =>
  ([seq, eventId, facts, body, searchable]: FollowedRow): Followed => ({
    revision: seq as Revision,
    position: seq as Position,
    messageId: messageIdOf(facts),
    // Decoded lazily: a projector skips events that a newer one has superseded.
    get event() {
      return decodeEvent(eventId, facts, body)
    },
    ...(searchable === null || typeof start !== 'number' ? {} : { searchable: JSON.parse(searchable) as Searchable }),
  })
