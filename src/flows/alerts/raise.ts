/**
 * Raises an alert and tells of it. Every process that notices the turn may do so, as often as it likes: only the first
 * raises it, and for a while the others tell of it again, so that it is told even if the first one crashes.
 */
import { type AlertKind, type Notice, subjectOf } from '../../domain/alerts/alert.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import type { RaisedAlerts } from '../../ports/raised-alerts.ts'
import { type TellDeps, tell } from './tell.ts'

export type AlertDeps = TellDeps &
  Readonly<{
    raisedAlerts: RaisedAlerts
    clock: Clock
    /** Called once for each turn, among all processes, unless they crash. */
    onTurn: (notice: Notice) => void
  }>

/** Shorter than webhook deliveries are kept, so that none is repeated, and than brokers notice duplicates. */
const TOLD_AGAIN = seconds(60)

/** `at` is when it turned. */
export async function raiseAlert(deps: AlertDeps, notice: Notice, at: Instant): Promise<void> {
  const name = { kind: notice.kind, subject: subjectOf(notice) }
  const { since, isNew } = await deps.raisedAlerts.raise(name, at)
  if (isNew) deps.onTurn(notice)
  if (isNew || deps.clock() < later(since, TOLD_AGAIN)) await tell(deps, notice, since)
}

/** A raised alert holds, is over in silence, or ends with a notice. */
export type End = 'holds' | 'over' | Notice

/** Clears the alerts of one kind that have ended. The end is told before it is forgotten. */
export async function endAlerts(
  deps: AlertDeps,
  kind: AlertKind,
  toEnd: (subject: string, since: Instant) => End,
): Promise<void> {
  for (const [subject, since] of await deps.raisedAlerts.list(kind)) {
    const end = toEnd(subject, since)
    if (end === 'holds') continue
    if (end !== 'over') await tell(deps, end, since, deps.clock())
    const isFirst = await deps.raisedAlerts.clear({ kind, subject }, since)
    if (isFirst && end !== 'over') deps.onTurn(end)
  }
}
