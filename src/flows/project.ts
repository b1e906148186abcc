/** Brings the index up to the log, and keeps it there: idempotent, resumable, from any position. */
import { type EventLog, type Followed, type Position, START } from '../ports/event-log.ts'
import type { MessageIndex, Projection } from '../ports/message-index.ts'

export type ProjectDeps = Readonly<{
  log: EventLog
  index: MessageIndex
  /** Lets events gather before the next look, so that of a busy message only the newest is written. */
  rest: () => Promise<void>
  onProgress?: (through: Position) => void
}>

/** Read in pages and written in steps, both short enough not to hold up whoever shares the store. */
const PAGE = 128
const STEP = 16

/** Runs until `signal` ends it. */
export async function project({ log, index, rest, onProgress }: ProjectDeps, signal: AbortSignal): Promise<void> {
  for await (const { through, events } of log.changes(await index.position(), PAGE, signal)) {
    for (let start = 0; start < events.length; start += STEP) {
      await index.apply(events.slice(start, start + STEP).map(toProjection), START)
    }
    await index.apply([], through)
    onProgress?.(through)
    if (through >= (await log.tip())) await rest()
  }
}

export const toProjection = ({ event, position, searchable }: Followed): Projection => ({
  state: event.state,
  position,
  ...(searchable === undefined ? {} : { searchable }),
})
