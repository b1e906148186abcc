/** Makes the index again from the start of the log, up to where the log stands now. */
import { type ProjectDeps, project } from '../flows/project.ts'

export type OnProgress = (done: number, total: number) => void
export type Rebuilt = Readonly<{ events: number }>

export async function rebuild(engines: Omit<ProjectDeps, 'rest'>, onProgress: OnProgress): Promise<Rebuilt> {
  const { log, index } = engines
  const total = await log.tip()
  await index.clear()
  const stop = new AbortController()
  const rest = (): Promise<void> => Promise.resolve()
  const follow = (position: number): void => {
    onProgress(position, total)
    if (position >= total) stop.abort()
  }
  if (total > 0) await project({ ...engines, rest, onProgress: follow }, stop.signal)
  return { events: total }
}
