/** Keeps the index up to date with the log: idempotent, and resumable from any position. */
import type { MessageId } from '../../domain/ids.ts'
import type { Searchable } from '../../domain/message/message.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Changes, type EventLog, type Followed, type Position, START } from '../../ports/event-log.ts'
import type { ProjectedIndex, Projection } from '../../ports/message-index.ts'
import type { Timeline } from '../../ports/timeline.ts'
import type { ChangedMessage, WebhookDeliveries } from '../../ports/webhook-deliveries.ts'

export type ProjectDeps = Readonly<{
  log: EventLog
  index: ProjectedIndex
  /** Stores a copy of every event. */
  timeline?: Timeline
  /** Queues webhook deliveries for every change. */
  webhookDeliveries?: Pick<WebhookDeliveries, 'enqueue'>
  /** Waits before the next page, so that only the newest state of a busy message is written. */
  rest: () => Promise<void>
  portions?: Portions
  onProgress?: (through: Position) => void
}>

/** The sizes of reads and writes. */
export type Portions = Readonly<{ page: number; step: number }>

/** Small enough not to delay others that share the store. */
const SMALL: Portions = { page: 128, step: 16 }

/** Runs until `signal` ends it. */
export async function project(deps: ProjectDeps, signal: AbortSignal): Promise<void> {
  const { log, index, timeline, webhookDeliveries, rest, onProgress, portions: { step } = SMALL } = deps
  for await (const { through, events } of pages(deps, await index.position(), signal)) {
    await timeline?.keep(events)
    const projections = newestOf(events)
    // Enqueued before the position advances: a crash in between repeats it.
    await webhookDeliveries?.enqueue(projections.map(toChanged))
    for (let start = 0; start === 0 || start < projections.length; start += step) {
      const isLast = start + step >= projections.length
      await index.apply(projections.slice(start, start + step), isLast ? through : START)
    }
    onProgress?.(through)
    if (through >= (await log.tip())) await rest()
  }
}

/** The timeline needs all events; the index needs only the newest of each message. */
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

/** The newest state of each message, with the searchable fields of its first event. */
function newestOf(events: readonly Followed[]): readonly Projection[] {
  const newest = new Map<MessageId, Followed>()
  const searchables = new Map<MessageId, Searchable>()
  for (const followed of events) {
    newest.set(followed.messageId, followed)
    if (followed.searchable !== undefined) searchables.set(followed.messageId, followed.searchable)
  }
  return [...newest.values()].map(({ messageId, event, position }) => {
    const searchable = searchables.get(messageId)
    return omitUndefined({ state: event.state, position, searchable })
  })
}

const toChanged = ({ state, position }: Projection): ChangedMessage => ({
  messageId: state.id,
  tenantId: state.tenantId,
  accountId: state.accountId,
  position,
  hasCallback: state.callback === true,
  at: state.updatedAt,
})
