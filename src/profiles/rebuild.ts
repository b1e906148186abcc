/** Rebuilds an index that a projector writes, from the start of the log up to its current end. */
import { type ProjectDeps, project } from '../flows/admin/project.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import type { Position } from '../ports/event-log.ts'
import type { Timeline } from '../ports/timeline.ts'

export type OnProgress = (done: number, total: number) => void
export type Rebuilt = Readonly<{ events: number }>

export async function rebuild(deps: Omit<ProjectDeps, 'rest'>, onProgress: OnProgress): Promise<Rebuilt> {
  const { webhookDeliveries, receiptDeliveries, timeline, ...engines } = deps
  const { log, index } = engines
  const total = await log.tip()
  const before = await index.position()
  await index.clear()
  const stop = new AbortController()
  const rest = (): Promise<void> => Promise.resolve()
  const follow = (position: number): void => {
    onProgress(position, total)
    if (position >= total) stop.abort()
  }
  const since = omitUndefined({
    webhookDeliveries: webhookDeliveries && deliveriesAfter(before, webhookDeliveries),
    receiptDeliveries: receiptDeliveries && receiptsAfter(before, receiptDeliveries),
    timeline: timeline && timelineAfter(before, timeline),
  })
  if (total > 0) await project({ ...engines, ...since, rest, onProgress: follow }, stop.signal)
  return { events: total }
}

type Deliveries = NonNullable<ProjectDeps['webhookDeliveries']>

/** Changes up to `before` have their webhook deliveries already; only what the index had not reached needs new ones. */
const deliveriesAfter = (before: Position, webhookDeliveries: Deliveries): Deliveries => ({
  enqueue: (changed) => webhookDeliveries.enqueue(changed.filter(({ position }) => position > before)),
})

type Receipts = NonNullable<ProjectDeps['receiptDeliveries']>

const receiptsAfter = (before: Position, receiptDeliveries: Receipts): Receipts => ({
  enqueue: (owed) => receiptDeliveries.enqueue(owed.filter(({ position }) => position > before)),
})

/** Events up to `before` are in the timeline already. */
const timelineAfter = (before: Position, timeline: Timeline): Timeline => ({
  ...timeline,
  keep: (events) => timeline.keep(events.filter(({ position }) => position > before)),
})
