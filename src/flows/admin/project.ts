/** Brings the index up to the log, and keeps it there: idempotent, resumable, from any position. */
import type { MessageId } from '../../domain/ids.ts'
import type { Searchable } from '../../domain/message/message.ts'
import { type Changes, type EventLog, type Followed, type Position, START } from '../../ports/event-log.ts'
import type { MessageIndex, Projection } from '../../ports/message-index.ts'
import type { Timeline } from '../../ports/timeline.ts'
import type { Changed, WebhookDeliveries } from '../../ports/webhook-deliveries.ts'

export type ProjectDeps = Readonly<{
  log: EventLog
  index: MessageIndex
  /** Where every event is copied to, if there is such a place. */
  timeline?: Timeline
  /** Who tells customers of every change, if they are to be told. */
  webhookDeliveries?: Pick<WebhookDeliveries, 'enqueue'>
  /** Lets events gather before the next look, so that of a busy message only the newest is written. */
  rest: () => Promise<void>
  portions?: Portions
  onProgress?: (through: Position) => void
}>

/** How much is read and how much is written at a time. */
export type Portions = Readonly<{ page: number; step: number }>

/** Both short enough not to hold up whoever shares the store. */
const SMALL: Portions = { page: 128, step: 16 }

/** Runs until `signal` ends it. */
export async function project(deps: ProjectDeps, signal: AbortSignal): Promise<void> {
  const { log, index, timeline, webhookDeliveries, rest, onProgress, portions: { step } = SMALL } = deps
  for await (const { through, events } of pages(deps, await index.position(), signal)) {
    await timeline?.keep(events)
    const projections = newestOf(events)
    // Before the position moves on: a crash in between repeats it.
    await webhookDeliveries?.enqueue(projections.map(toChanged))
    for (let start = 0; start === 0 || start < projections.length; start += step) {
      const isLast = start + step >= projections.length
      await index.apply(projections.slice(start, start + step), isLast ? through : START)
    }
    onProgress?.(through)
    if (through >= (await log.tip())) await rest()
  }
}

/** Whoever keeps a timeline wants all events; the index alone is content with the newest of each message. */
function pages(deps: ProjectDeps, after: Position, signal: AbortSignal): AsyncIterable<Changes> {
  const { log, timeline, portions: { page } = SMALL } = deps
  return timeline === undefined ? log.changes(after, page, signal) : everything(log.follow(after, page, signal))
}

async function* everything(pages: AsyncIterable<readonly Followed[]>): AsyncIterable<Changes> {
  for await (const events of pages) {
    const last = events.at(-1)
    if (last !== undefined) yield { through: last.position, events }
  }
}

/** Of each message its newest state, with what only its first event tells. */
function newestOf(events: readonly Followed[]): readonly Projection[] {
  const newest = new Map<MessageId, Followed>()
  const searchables = new Map<MessageId, Searchable>()
  for (const followed of events) {
    newest.set(followed.messageId, followed)
    if (followed.searchable !== undefined) searchables.set(followed.messageId, followed.searchable)
  }
  return [...newest.values()].map(({ messageId, event, position }) => {
    const searchable = searchables.get(messageId)
    return { state: event.state, position, ...(searchable === undefined ? {} : { searchable }) }
  })
}

const toChanged = ({ state, position }: Projection): Changed => ({
  messageId: state.id,
  tenantId: state.tenantId,
  accountId: state.accountId,
  position,
  hasCallback: state.callback === true,
  at: state.updatedAt,
})
