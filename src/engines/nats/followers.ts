/** Follows the log from a position or an instant, and resumes where it stopped whenever the consumer breaks off. */

import type { MessageId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Searchable } from '../../domain/message/message.ts'
import type { LruCache } from '../../lib/lru-cache.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Changes, Followed, Position, Revision, Start } from '../../ports/event-log.ts'
import { decodeEvent, messageIdOf } from '../shared/codec.ts'
import type { JetStream } from './jetstream.ts'
import { KeyReader } from './key-reader.ts'
import type { Found, KeyRef, Keys } from './keys.ts'
import type { Delivery } from './pulls.ts'
import { type Beginning, openSource } from './stream-source.ts'
import type { Names } from './subjects.ts'
import { decodeStored, type StoredEvent } from './wire.ts'

export type FollowDeps = Readonly<{ js: JetStream; names: Names; keys: Keys; missing: MissingKeys }>

/**
 * Keys that were missing when a follower read their first event. Only that event names its key, so we look the key up
 * again with each later event of the message. An entry stays after its key was found: other followers need it too.
 */
export type MissingKeys = LruCache<MessageId, KeyRef>

export const MISSING_KEYS = 4_096

/** Ends when `signal` does; rejects with `Unavailable` when the broker is unreachable. */
export async function* follow(
  deps: FollowDeps,
  start: Start,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<readonly Followed[]> {
  const isPosition = typeof start === 'number'
  let from: Beginning = isPosition ? { after: start } : start
  await using reader = new KeyReader(deps.js, deps.names)
  while (!signal.aborted) {
    await using source = await openSource(deps.js, deps.names.log, from)
    for (;;) {
      const page = (await source.next(limit, signal)).map(decode)
      const last = page.at(-1)
      if (last === undefined) break
      from = { after: last.seq }
      yield isPosition ? await withSearchables({ ...deps, reader }, page) : page.map(toFollowed)
    }
  }
}

/** Leaves nothing out: a reader that wants only the newest event of a message finds it in the page. */
export async function* allChanges(pages: AsyncIterable<readonly Followed[]>): AsyncGenerator<Changes> {
  for await (const events of pages) {
    const last = events.at(-1)
    if (last !== undefined) yield { through: last.position, events }
  }
}

type Delivered = StoredEvent & Pick<Delivery, 'pending'>

const decode = (delivery: Delivery): Delivered => ({ ...decodeStored(delivery), pending: delivery.pending })

/** Decodes lazily: a projector skips events that a newer one has superseded. */
function toFollowed({ seq, id, facts, body, pending }: Delivered): Followed {
  let event: MessageEvent | undefined
  return {
    revision: seq as Revision,
    position: seq as Position,
    messageId: messageIdOf(facts),
    encoded: { id, facts, body },
    pending,
    get event() {
      event ??= decodeEvent(id, facts, body)
      return event
    },
  }
}

type ReadingDeps = FollowDeps & Readonly<{ reader: KeyReader }>

async function withSearchables(deps: ReadingDeps, page: readonly Delivered[]): Promise<readonly Followed[]> {
  const begun = page.filter(({ sealed }) => sealed !== undefined)
  const [first, last] = [begun.at(0), begun.at(-1)]
  if (first !== undefined && last !== undefined) await deps.reader.readFor(first.at, last.at)
  // First events before all others: they tell which keys are missing.
  const early = await Promise.all(page.map((stored) => earlySearchable(deps, stored)))
  return Promise.all(
    page.map(async (stored, at) =>
      withSearchable(toFollowed(stored), early[at] ?? (await lateSearchable(deps, stored))),
    ),
  )
}

/** The searchable fields, with the first event of a message. */
async function earlySearchable({ keys, missing, reader }: ReadingDeps, { facts, sealed, at }: StoredEvent) {
  if (sealed === undefined) return undefined
  const ref = { id: messageIdOf(facts), kid: sealed.kid, at }
  const read = reader.take(ref)
  if (read !== undefined) return read
  const found = await keys.find(ref)
  if (found === undefined) missing.set(ref.id, ref)
  return searchableOf(found)
}

/** The same for a later event, if the key was missing when the first one was read. */
async function lateSearchable({ keys, missing }: FollowDeps, { facts, sealed }: StoredEvent) {
  if (sealed !== undefined) return undefined
  const ref = missing.get(messageIdOf(facts))
  return ref && searchableOf(await keys.findNow(ref))
}

const searchableOf = (found: Found | undefined): string | undefined =>
  found?.kind === 'found' ? found.key.searchable : found?.searchable

function withSearchable(followed: Followed, searchable: string | undefined): Followed {
  if (searchable === undefined) return followed
  return {
    revision: followed.revision,
    position: followed.position,
    messageId: followed.messageId,
    ...omitUndefined({ encoded: followed.encoded, pending: followed.pending }),
    searchable: JSON.parse(searchable) as Searchable,
    get event() {
      return followed.event
    },
  }
}
