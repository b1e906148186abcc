/** Rebuilds what the embedded profile derives from its messages, some of them at a time. */
import type { RebuiltPart } from '../engines/sqlite/messages/rebuild.ts'
import type { OnProgress, Rebuilt } from './rebuild.ts'

/** Rebuilds messages after the one with this number; undefined if there are none. */
export type RebuildPart = (after: number, limit: number) => Promise<RebuiltPart | undefined>

/** Messages in one transaction. */
const PART = 1_000

/** `tip` is the position of the newest event: there are no more events than that. */
export async function rebuildTables(rebuild: RebuildPart, tip: number, onProgress: OnProgress): Promise<Rebuilt> {
  let events = 0
  for (let part = await rebuild(0, PART); part !== undefined; part = await rebuild(part.through, PART)) {
    events += part.events
    onProgress(events, tip)
  }
  onProgress(tip, tip)
  return { events }
}
