/** The feed of events in memory, for tests. */
import type { EventFeed } from '../../src/ports/event-feed.ts'
import type { MemoryEventLog } from './event-log.ts'

const PAGE = 64

export const memoryEventFeed = (log: MemoryEventLog): EventFeed => ({
  async *live(signal) {
    const from = await log.tip()
    yield { through: from, events: [] }
    yield* log.changes(from, PAGE, signal)
  },

  async *since(from, tenantId, signal) {
    const end = await log.tip()
    for (let at = from; at < end && !signal.aborted; ) {
      const { through, events } = log.after(at, PAGE)
      yield { through, events: events.filter(({ event }) => event.state.tenantId === tenantId) }
      at = through
    }
  },
})
