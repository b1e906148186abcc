/**
 * Which alerts are raised: of what they tell, the installation knows that it holds, and since when. Shared by all
 * processes, so that however many notice a turn, and however often, it is one.
 */
import type { AlertKind } from '../domain/alerts/alert.ts'
import type { Instant } from '../lib/time.ts'

/** What is raised: a kind of alert, and what it is about. */
export type AlertName = Readonly<{ kind: AlertKind; subject: string }>

/** `isNew` in the one call that raised it. */
export type Raised = Readonly<{ since: Instant; isNew: boolean }>

export interface RaisedAlerts {
  /** Raises it at `at`, unless it is raised already. */
  raise(name: AlertName, at: Instant): Promise<Raised>

  /** The subjects of all raised alerts of a kind. */
  list(kind: AlertKind): Promise<ReadonlyMap<string, Instant>>

  /** Does nothing if it was raised anew after `since`. True in the one call that cleared it. */
  clear(name: AlertName, since: Instant): Promise<boolean>
}
