/** An event log that calls observers with every event it has stored. */
import type { MessageEvent } from '../../domain/message/events.ts'
import type { EventLog } from '../../ports/event-log.ts'

export type EventObserver = (event: MessageEvent) => void

export const observedLog = (log: EventLog, ...observers: readonly EventObserver[]): EventLog => ({
  ...log,
  async append(entry) {
    const result = await log.append(entry)
    if (result.kind === 'appended') {
      for (const event of entry.before === undefined ? [entry.event] : [entry.before, entry.event]) {
        for (const observe of observers) observe(event)
      }
    }
    return result
  },
})
