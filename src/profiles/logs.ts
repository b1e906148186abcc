/** The event log as each part of a process uses it. Decorators are applied here and nowhere else. */
import { budgetedLog, withoutBodies } from '../engines/decorators/budgeted-log.ts'
import { type EventObserver, observedLog } from '../engines/decorators/observed-log.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { Profile } from './profile.ts'

/** The projector, health checks and metrics use the engine's own log: they neither append nor load contents. */
export type Logs = Readonly<{
  /** For the API and the workers. */
  log: EventLog
  /** For webhook deliveries, which keep many contents in memory and never use what an email says. */
  webhookLog: EventLog
}>

export function openLogs({ engines }: Pick<Profile, 'engines'>, observers: readonly EventObserver[]): Logs {
  // Limits how much large content is in memory for callers that have no memory budget of their own.
  const budgeted = budgetedLog(engines.log)
  // Metrics, log lines and spans: of what this process appends, so that each event is counted once.
  const log = observedLog(budgeted, ...observers)
  return { log, webhookLog: withoutBodies(log) }
}
