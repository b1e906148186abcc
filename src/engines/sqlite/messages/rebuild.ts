/**
 * Rebuilds what is derived from the messages, some of them at a time: the columns that lists filter by, and all by which
 * messages are found and counted. While nothing else writes; after a crash it starts over.
 */

import { parseEvents } from './event-codec.ts'
import type { FiledMessages } from './filed-messages.ts'
import type { Filer } from './filer.ts'

/** Up to the message with this number, with so many events. */
export type RebuiltPart = Readonly<{ through: number; events: number }>

/** Up to `limit` messages after this number; undefined once there are none. After 0 it starts. In a transaction. */
export function rebuild(filer: Filer, messages: FiledMessages, after: number, limit: number): RebuiltPart | undefined {
  if (after === 0) {
    filer.fileAll()
    messages.clear()
  }
  const rows = messages.readAfter(after, limit)
  for (const row of rows) messages.restore(row)
  messages.flush()
  while (messages.isFilingDue()) messages.fileNames()
  const last = rows.at(-1)
  if (last === undefined) {
    messages.removeUnusedShapes()
    return undefined
  }
  return { through: last.n, events: rows.reduce((sum, { events }) => sum + parseEvents(events).length, 0) }
}
