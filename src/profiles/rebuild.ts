/** Makes the index again from the start of the log, up to where the log stands now. */
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
  const news = webhookDeliveries && newsSince(before, webhookDeliveries)
  if (total > 0) await project({ ...engines, ...news, rest, onProgress: follow }, stop.signal)
  return { events: total }
}

type Wanting = NonNullable<ProjectDeps['webhookDeliveries']>

/** Customers are to be told of what the index had not come to, and were told of the rest. */
const newsSince = (before: Position, webhookDeliveries: Wanting): Readonly<{ webhookDeliveries: Wanting }> => ({
  webhookDeliveries: {
    enqueue: (changed) => webhookDeliveries.enqueue(changed.filter(({ position }) => position > before)),
  },
})
