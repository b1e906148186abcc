/** Rebuilds an index that a projector writes, from the start of the log up to its current end. */
import { type ProjectDeps, project } from '../flows/admin/project.ts'
import type { Position } from '../ports/event-log.ts'

export type OnProgress = (done: number, total: number) => void
export type Rebuilt = Readonly<{ events: number }>

export async function rebuild(deps: Omit<ProjectDeps, 'rest'>, onProgress: OnProgress): Promise<Rebuilt> {
  const { webhookDeliveries, ...engines } = deps
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
  const since = webhookDeliveries && { webhookDeliveries: onlyAfter(before, webhookDeliveries) }
  if (total > 0) await project({ ...engines, ...since, rest, onProgress: follow }, stop.signal)
  return { events: total }
}

type Deliveries = NonNullable<ProjectDeps['webhookDeliveries']>

/** Changes up to `before` have their webhook deliveries already; only what the index had not reached needs new ones. */
const onlyAfter = (before: Position, webhookDeliveries: Deliveries): Deliveries => ({
  enqueue: (changed) => webhookDeliveries.enqueue(changed.filter(({ position }) => position > before)),
})
