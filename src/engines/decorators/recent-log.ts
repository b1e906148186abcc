/**
 * Caches the newest events that this process has appended, so that the next step on a message need not read them. Where
 * other processes append too, a cached event may be outdated: then the next append conflicts, and the conflict evicts it.
 * So use it for callers that decide and append, not for those that only read.
 */
import type { MessageId } from '../../domain/ids.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import type { EventLog, Revised } from '../../ports/event-log.ts'

const CAPACITY = 4_096

export function recentLog(log: EventLog): EventLog {
  const newest = new LruCache<MessageId, Revised>(CAPACITY)

  return {
    ...log,

    async append(entry) {
      const { event } = entry
      // Others may see the event before its append is answered, so the previous one must not be returned here.
      newest.delete(event.state.id)
      const result = await log.append(entry)
      if (result.kind === 'appended' && event.state.endedAt === undefined) {
        // Ended messages are rarely read again. Positions are only for followers, which do not use this cache.
        newest.set(event.state.id, { revision: result.revision, event })
      }
      return result
    },

    latest: async (id) => newest.get(id) ?? log.latest(id),
  }
}
