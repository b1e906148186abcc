/** Brings the index up to the log, and keeps it there: idempotent, resumable, from any position. */
import { type Changes, type EventLog, type Followed, type Position, START } from '../ports/event-log.ts'
import type { MessageIndex, Projection } from '../ports/message-index.ts'
import type { Timeline } from '../ports/timeline.ts'

export type ProjectDeps = Readonly<{
  log: EventLog
  index: MessageIndex
  /** Where every event is copied to, if there is such a place. */
  timeline?: Timeline
  /** Lets events gather before the next look, so that of a busy message only the newest is written. */
  rest: () => Promise<void>
  onProgress?: (through: Position) => void
}>

/** Read in pages and written in steps, both short enough not to hold up whoever shares the store. */
const PAGE = 128
const STEP = 16

/** Runs until `signal` ends it. */
export async function project(deps: ProjectDeps, signal: AbortSignal): Promise<void> {
  const { log, index, timeline, rest, onProgress } = deps
  for await (const { through, events } of pages(deps, await index.position(), signal)) {
    await timeline?.keep(events)
    for (let start = 0; start < events.length; start += STEP) {
      await index.apply(events.slice(start, start + STEP).map(toProjection), START)
    }
    await index.apply([], through)
    onProgress?.(through)
    if (through >= (await log.tip())) await rest()
  }
}

/** Whoever keeps a timeline wants all events; the index alone is content with the newest of each message. */
function pages({ log, timeline }: ProjectDeps, after: Position, signal: AbortSignal): AsyncIterable<Changes> {
  return timeline === undefined ? log.changes(after, PAGE, signal) : everything(log.follow(after, PAGE, signal))
}

async function* everything(pages: AsyncIterable<readonly Followed[]>): AsyncIterable<Changes> {
  for await (const events of pages) {
    const last = events.at(-1)
    if (last !== undefined) yield { through: last.position, events }
  }
}

export const toProjection = ({ event, position, searchable }: Followed): Projection => ({
  state: event.state,
  position,
  ...(searchable === undefined ? {} : { searchable }),
})
