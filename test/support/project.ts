/** Brings an index up to its log. One call at a time: it waits for events that another one would have applied. */
import { type ProjectDeps, project } from '../../src/flows/admin/project.ts'

export async function projectAll(deps: Omit<ProjectDeps, 'rest' | 'onProgress'>): Promise<void> {
  const tip = await deps.log.tip()
  if ((await deps.index.position()) >= tip) return
  const done = new AbortController()
  const onProgress = (through: number): void => {
    if (through >= tip) done.abort()
  }
  await project({ ...deps, onProgress, rest: async () => undefined }, done.signal)
}
