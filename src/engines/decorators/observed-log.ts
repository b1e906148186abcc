/** An event log that calls observers with every event it has stored. */
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Entry, EventLog } from '../../ports/event-log.ts'

export type EventObserver = (event: MessageEvent) => void

export function observedLog(log: EventLog, ...observers: readonly EventObserver[]): EventLog {
  function observe({ before, event }: Entry): void {
    if (before !== undefined) for (const observer of observers) observer(before)
    for (const observer of observers) observer(event)
  }

  return {
    ...log,
    append: (entry) =>
      log.append(entry).then((result) => {
        if (result.kind === 'appended') observe(entry)
        return result
      }),
  }
}
