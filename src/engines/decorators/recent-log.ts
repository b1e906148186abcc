/**
 * A log that remembers what this process has just written, so that the next step on a message need
 * not ask for it. What it remembers may be out of date where others write too: then the write on top
 * of it is a conflict, and a conflict makes it forget. So it is for those who decide and append, and
 * not for those who only look.
 */
import type { MessageId } from '../../domain/ids.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import type { EventLog, Revised } from '../../ports/event-log.ts'

const REMEMBERED = 4_096

export function recentLog(log: EventLog): EventLog {
  const newest = new LruCache<MessageId, Revised>(REMEMBERED)

  return {
    ...log,

    async append(entry) {
      const { event } = entry
      // Others may see the event before its append is answered, and must not be told of the one before it here.
      newest.delete(event.state.id)
      const result = await log.append(entry)
      if (result.kind === 'appended' && event.state.endedAt === undefined) {
        // What is settled is hardly asked for again; the position is for followers, who do not come this way.
        newest.set(event.state.id, { revision: result.revision, event })
      }
      return result
    },

    latest: async (id) => newest.get(id) ?? log.latest(id),
  }
}
