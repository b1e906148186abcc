/** Follows the log from a position or an instant, and resumes where it stopped whenever the consumer breaks off. */

import type { MessageId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Searchable } from '../../domain/message/message.ts'
import type { LruCache } from '../../lib/lru-cache.ts'
import type { Instant } from '../../lib/time.ts'
import type { Changes, Encoded, Followed, Position, Revision, Start } from '../../ports/event-log.ts'
import { decodeEvent, messageIdOf } from '../shared/codec.ts'
import type { JetStream } from './jetstream.ts'
import { KeyReader } from './key-reader.ts'
import type { Found, KeyRef, Keys } from './keys.ts'
import type { Delivery } from './pulls.ts'
import { type Beginning, openSource } from './stream-source.ts'
import type { Names } from './subjects.ts'
import { decodeEncoded } from './wire.ts'

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
      const page = (await source.next(limit, signal)).map((delivery) => new FollowedEvent(delivery))
      const last = page.at(-1)
      if (last === undefined) break
      from = { after: last.position }
      if (isPosition) await addSearchables({ ...deps, reader }, page)
      yield page
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

/** An event as it was delivered: its state is decoded only if someone asks, as a newer event may have superseded it. */
export class FollowedEvent implements Followed {
  readonly position: Position
  readonly messageId: MessageId
  readonly encoded: Encoded
  readonly pending: number
  /** When the broker stored it. */
  readonly at: Instant
  /** The key of the message, with its first event. */
  readonly kid: string | undefined
  declare searchable?: Searchable
  declare contentBytes?: number
  #event: MessageEvent | undefined

  constructor({ data, seq, at, pending }: Delivery) {
    const { kid, contentBytes, ...encoded } = decodeEncoded(data)
    this.position = seq as Position
    this.messageId = messageIdOf(encoded.facts)
    this.encoded = encoded
    this.pending = pending
    this.at = at
    this.kid = kid
    if (contentBytes !== undefined) this.contentBytes = contentBytes
  }

  get revision(): Revision {
    return this.position as number as Revision
  }

  get event(): MessageEvent {
    const { id, facts, body } = this.encoded
    this.#event ??= decodeEvent(id, facts, body)
    return this.#event
  }
}

type ReadingDeps = FollowDeps & Readonly<{ reader: KeyReader }>

/** Adds the searchable fields to the first event of each message, or to a later one if its key was missing until now. */
async function addSearchables(deps: ReadingDeps, page: readonly FollowedEvent[]): Promise<void> {
  const { keys, missing, reader } = deps
  const begun = page.filter(({ kid }) => kid !== undefined)
  const [first, last] = [begun.at(0), begun.at(-1)]
  if (first !== undefined && last !== undefined) await reader.readFor(first.at, last.at)
  // First events before all others: they tell which keys are missing.
  const unread = begun.filter((followed) => !add(followed, reader.take(toRef(followed))))
  await Promise.all(unread.map((followed) => findKey(deps, followed)))
  const late = page.filter(({ kid, messageId }) => kid === undefined && missing.get(messageId) !== undefined)
  await Promise.all(
    late.map(async (followed) => {
      const ref = missing.get(followed.messageId)
      add(followed, searchableOf(ref && (await keys.findNow(ref))))
    }),
  )
}

const toRef = ({ messageId: id, kid = '', at }: FollowedEvent): KeyRef => ({ id, kid, at })

async function findKey({ keys, missing }: FollowDeps, followed: FollowedEvent): Promise<void> {
  const ref = toRef(followed)
  const found = await keys.find(ref)
  if (found === undefined) missing.set(ref.id, ref)
  add(followed, searchableOf(found))
}

const searchableOf = (found: Found | undefined): string | undefined =>
  found?.kind === 'found' ? found.key.searchable : found?.searchable

function add(followed: FollowedEvent, searchable: string | undefined): boolean {
  if (searchable !== undefined) followed.searchable = JSON.parse(searchable) as Searchable
  return searchable !== undefined
}
