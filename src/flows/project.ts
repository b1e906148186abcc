/** Brings the index up to the log, and keeps it there: idempotent, resumable, from any position. */
import type { MessageId } from '../domain/ids.ts'
import type { Searchable } from '../domain/message.ts'
import { type EventLog, type Followed, type Position, START } from '../ports/event-log.ts'
import type { MessageIndex, Projection } from '../ports/message-index.ts'

export type ProjectDeps = Readonly<{
  log: EventLog
  index: MessageIndex
  /** Lets events gather between two pages, so that of a busy message only the newest is written. */
  rest: () => Promise<void>
  onPage?: (through: Position) => void
}>

/** Read in long pages, written in short steps: a step holds up whoever shares the store. */
const PAGE = 1024
const STEP = 64

/** Runs until `signal` ends it. */
export async function project({ log, index, rest, onPage }: ProjectDeps, signal: AbortSignal): Promise<void> {
  for await (const page of log.follow(await index.position(), PAGE, signal)) {
    const last = page.at(-1)
    if (last === undefined) continue
    const projections = toProjections(page)
    for (let done = STEP; done < projections.length; done += STEP) {
      await index.apply(projections.slice(done - STEP, done), START)
    }
    await index.apply(projections.slice(-(projections.length % STEP || STEP)), last.position)
    onPage?.(last.position)
    if (page.length < PAGE) await rest()
  }
}

/** The newest event of a message tells all the earlier ones do, save what only the first one brings along. */
export function toProjections(page: readonly Followed[]): readonly Projection[] {
  const newest = new Map<MessageId, Followed>()
  const first = new Map<MessageId, Searchable>()
  for (const followed of page) {
    newest.set(followed.messageId, followed)
    if (followed.searchable !== undefined) first.set(followed.messageId, followed.searchable)
  }
  return Array.from(newest.values(), ({ event, messageId, position }) => {
    const searchable = first.get(messageId)
    return { state: event.state, position, ...(searchable === undefined ? {} : { searchable }) }
  })
}
