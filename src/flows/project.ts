/** Brings the index up to the log, and keeps it there: idempotent, resumable, from any position. */
import type { MessageId } from '../domain/ids.ts'
import type { EventLog, Followed } from '../ports/event-log.ts'
import type { MessageIndex, Projection } from '../ports/message-index.ts'

export type ProjectDeps = Readonly<{ log: EventLog; index: MessageIndex }>

const PAGE = 256

/** Runs until `signal` ends it. */
export async function project({ log, index }: ProjectDeps, signal: AbortSignal): Promise<void> {
  for await (const page of log.follow(await index.position(), PAGE, signal)) {
    const last = page.at(-1)
    if (last !== undefined) await index.apply(toProjections(page), last.position)
  }
}

/** The newest event of a message tells all the earlier ones do, save what only the first one brings along. */
export function toProjections(page: readonly Followed[]): readonly Projection[] {
  const newest = new Map<MessageId, Projection>()
  for (const { event, position, searchable } of page) {
    const known = searchable ?? newest.get(event.state.id)?.searchable
    newest.set(event.state.id, { state: event.state, position, ...(known === undefined ? {} : { searchable: known }) })
  }
  return [...newest.values()]
}
