/** Following the log: from where one stood, and again from there wherever it breaks off. */

import type { MessageId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Searchable } from '../../domain/message/message.ts'
import type { Changes, Followed, Position, Revision, Start } from '../../ports/event-log.ts'
import { decodeEvent, messageIdOf } from '../shared/codec.ts'
import type { JetStream } from './jetstream.ts'
import type { Found, Keys, Named } from './keys.ts'
import { type Beginning, openSource } from './stream-source.ts'
import type { Names } from './subjects.ts'
import { decodeKept, type KeptEvent } from './wire.ts'

export type FollowDeps = Readonly<{ js: JetStream; names: Names; keys: Keys; missing: MissingKeys }>

/**
 * Keys that were not there when a follower got their first event. Only that event names its key, so they are looked
 * for again with each later event of the message. They stay after they were found: other followers want them too.
 */
export type MissingKeys = Map<MessageId, Named>

const MOST_MISSING = 4_096

/** Ends when `signal` does; rejects with `Unavailable` when the broker is away. */
export async function* follow(
  deps: FollowDeps,
  start: Start,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<readonly Followed[]> {
  const isPosition = typeof start === 'number'
  let from: Beginning = isPosition ? { after: start } : start
  while (!signal.aborted) {
    await using source = await openSource(deps.js, deps.names.log, from)
    for (;;) {
      const page = (await source.next(limit, signal)).map(decodeKept)
      const last = page.at(-1)
      if (last === undefined) break
      from = { after: last.seq }
      yield isPosition ? await withSearchables(deps, page) : page.map(toFollowed)
    }
  }
}

/** Nothing is left out: whoever wants only the newest event of a message finds it in the page. */
export async function* allChanges(pages: AsyncIterable<readonly Followed[]>): AsyncGenerator<Changes> {
  for await (const events of pages) {
    const last = events.at(-1)
    if (last !== undefined) yield { through: last.position, events }
  }
}

/** An event is read only when looked at: a projector has no use for one that a newer one has overtaken. */
function toFollowed({ seq, id, facts, body }: KeptEvent): Followed {
  let event: MessageEvent | undefined
  return {
    revision: seq as Revision,
    position: seq as Position,
    messageId: messageIdOf(facts),
    get event() {
      event ??= decodeEvent(id, facts, body)
      return event
    },
  }
}

async function withSearchables(deps: FollowDeps, page: readonly KeptEvent[]): Promise<readonly Followed[]> {
  // First events before all others: only then is it known whose key is missing.
  const early = await Promise.all(page.map((kept) => earlySearchable(deps, kept)))
  return Promise.all(
    page.map(async (kept, at) => withSearchable(toFollowed(kept), early[at] ?? (await lateSearchable(deps, kept)))),
  )
}

/** What search may know, with the first event of a message. */
async function earlySearchable({ keys, missing }: FollowDeps, { facts, sealed, at }: KeptEvent) {
  if (sealed === undefined) return undefined
  const named = { id: messageIdOf(facts), kid: sealed.kid, at }
  const found = await keys.find(named)
  if (found === undefined) remember(missing, named)
  return searchableOf(found)
}

/** The same with a later event, where the key came after the first one was read. */
async function lateSearchable({ keys, missing }: FollowDeps, { facts, sealed }: KeptEvent) {
  if (sealed !== undefined || missing.size === 0) return undefined
  const named = missing.get(messageIdOf(facts))
  return named && searchableOf(await keys.findNow(named))
}

function remember(missing: MissingKeys, named: Named): void {
  missing.set(named.id, named)
  if (missing.size > MOST_MISSING) for (const oldest of missing.keys()) if (missing.delete(oldest)) break
}

const searchableOf = (found: Found | undefined): string | undefined =>
  found?.kind === 'found' ? found.key.searchable : found?.searchable

function withSearchable(followed: Followed, searchable: string | undefined): Followed {
  if (searchable === undefined) return followed
  return {
    revision: followed.revision,
    position: followed.position,
    messageId: followed.messageId,
    searchable: JSON.parse(searchable) as Searchable,
    get event() {
      return followed.event
    },
  }
}
