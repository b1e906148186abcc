/** Following the log: from where one stood, and again from there wherever it breaks off. */
import { decodeEvent, messageIdOf } from '../../domain/codec.ts'
import type { MessageEvent } from '../../domain/events.ts'
import type { Searchable } from '../../domain/message.ts'
import type { Changes, Followed, Position, Revision } from '../../ports/event-log.ts'
import type { JetStream } from './jetstream.ts'
import type { Keys } from './keys.ts'
import { openLogSource } from './log-source.ts'
import type { Names } from './names.ts'
import type { KeptEvent } from './wire.ts'

export type FollowDeps = Readonly<{ js: JetStream; names: Names; keys: Keys }>

/** Ends when `signal` does; rejects with `Unavailable` when the broker is away. */
export async function* follow(
  deps: FollowDeps,
  after: Position,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<readonly Followed[]> {
  let at: number = after
  while (!signal.aborted) {
    await using source = await openLogSource(deps.js, deps.names.log, at + 1)
    for (;;) {
      const page = await source.next(limit, signal)
      if (page.length === 0) break
      at = page.at(-1)?.seq ?? at
      yield await Promise.all(page.map((event) => toFollowed(deps, event)))
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
async function toFollowed({ keys }: FollowDeps, { seq, at, id, facts, body, sealed }: KeptEvent): Promise<Followed> {
  const messageId = messageIdOf(facts)
  let event: MessageEvent | undefined
  const followed: Followed = {
    revision: seq as Revision,
    position: seq as Position,
    messageId,
    get event() {
      event ??= decodeEvent(id, facts, body)
      return event
    },
  }
  if (sealed === undefined) return followed
  const found = await keys.find({ id: messageId, kid: sealed.kid, at })
  const searchable = found?.kind === 'found' ? found.key.searchable : found?.searchable
  return searchable === undefined ? followed : withSearchable(followed, JSON.parse(searchable) as Searchable)
}

const withSearchable = (followed: Followed, searchable: Searchable): Followed => ({
  revision: followed.revision,
  position: followed.position,
  messageId: followed.messageId,
  searchable,
  get event() {
    return followed.event
  },
})
