/** An event log that calls observers with every event it has stored. */
import type { MessageEvent } from '../../domain/message/events.ts'
import type { MessageState } from '../../domain/message/state.ts'
import type { AppendResult, Entry, EventLog, Revision } from '../../ports/event-log.ts'

/** `previous` is the state before the append; missing for the first event of a message. */
export type EventObserver = (event: MessageEvent, previous: MessageState | undefined, revision: Revision) => void

type Appended = Extract<AppendResult, { kind: 'appended' }>

export function observedLog(log: EventLog, ...observers: readonly EventObserver[]): EventLog {
  function observe({ before, event, previous }: Entry, { revision, before: revisionBefore }: Appended): void {
    if (before !== undefined && revisionBefore !== undefined) {
      for (const observer of observers) observer(before, previous, revisionBefore)
    }
    for (const observer of observers) observer(event, previous, revision)
  }

  return {
    ...log,
    append: (entry) =>
      log.append(entry).then((result) => {
        if (result.kind === 'appended') observe(entry, result)
        return result
      }),
  }
}
