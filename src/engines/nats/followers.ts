/** Following the log: from where one stood, and again from there wherever it breaks off. */
import { decodeEvent, messageIdOf } from '../../domain/codec.ts'
import type { MessageEvent } from '../../domain/events.ts'
import type { Searchable } from '../../domain/message.ts'
import type { Changes, Followed, Position, Revision, Start } from '../../ports/event-log.ts'
import type { JetStream } from './jetstream.ts'
import type { Keys } from './keys.ts'
import type { Names } from './names.ts'
import { type Beginning, openSource } from './stream-source.ts'
import { decodeKept, type KeptEvent } from './wire.ts'

export type FollowDeps = Readonly<{ js: JetStream; names: Names; keys: Keys }>

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
      yield isPosition ? await Promise.all(page.map((event) => withSearchable(deps, event))) : page.map(toFollowed)
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

async function withSearchable({ keys }: FollowDeps, kept: KeptEvent): Promise<Followed> {
  const followed = toFollowed(kept)
  if (kept.sealed === undefined) return followed
  const found = await keys.find({ id: followed.messageId, kid: kept.sealed.kid, at: kept.at })
  const searchable = found?.kind === 'found' ? found.key.searchable : found?.searchable
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
