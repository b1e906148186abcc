/** Brings the index up to the log, and keeps it there: idempotent, resumable, from any position. */
import type { MessageId } from '../domain/ids.ts'
import type { Searchable } from '../domain/message.ts'
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
const PAGE = 512
const STEP = 32
/** So many events are looked through at most before what they tell is written. */
const GATHER = 16_384

/** Runs until `signal` ends it. */
export async function project({ log, index, rest, onProgress }: ProjectDeps, signal: AbortSignal): Promise<void> {
  let gathered: Followed[] = []
  for await (const page of log.follow(await index.position(), PAGE, signal)) {
    gathered.push(...page)
    const through = gathered.at(-1)?.position ?? START
    // A full page may be the last one: nobody knows when the next event comes.
    if (page.length === PAGE && gathered.length < GATHER && through < (await log.tip())) continue
    await write(index, toProjections(gathered), through)
    onProgress?.(through)
    gathered = []
    await rest()
  }
}

async function write(index: MessageIndex, projections: readonly Projection[], through: Position): Promise<void> {
  for (let start = 0; start < projections.length; start += STEP) {
    await index.apply(projections.slice(start, start + STEP), START)
  }
  await index.apply([], through)
}

/** The newest event of a message tells all the earlier ones do, save what only the first one brings along. */
export function toProjections(events: readonly Followed[]): readonly Projection[] {
  const newest = new Map<MessageId, Followed>()
  const first = new Map<MessageId, Searchable>()
  for (const followed of events) {
    newest.set(followed.messageId, followed)
    if (followed.searchable !== undefined) first.set(followed.messageId, followed.searchable)
  }
  return Array.from(newest.values(), ({ event, messageId, position }) => {
    const searchable = first.get(messageId)
    return { state: event.state, position, ...(searchable === undefined ? {} : { searchable }) }
  })
}
