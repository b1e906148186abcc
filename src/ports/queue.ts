/**
 * The queue: which messages want attention. A job is only a hint; the log decides what is done.
 *
 * Lanes go by weight, `otp` before `transactional` before `bulk`, none starved. Within a lane the
 * tenants share in turn, so a tenant with a long queue does not delay another's single message.
 */
import type { MessageId, ProviderName, TenantId } from '../domain/ids.ts'
import type { Lane } from '../domain/message/message.ts'
import type { Instant } from '../lib/time.ts'

/** A message that wants attention at `dueAt`, or at once. */
export type Job = Readonly<{ messageId: MessageId; tenantId: TenantId; lane: Lane; dueAt?: Instant }>

/** Providers any one of which could send the message, sorted by name. A job parked at a gate waits for one of them. */
export type Gate = readonly [ProviderName, ...ProviderName[]]

/**
 * A job handed to a worker. `turn` tells it from an earlier or later job of the same message; `gate` is where it
 * was parked, if it comes from there; one that is put back for a moment may keep it.
 */
export type Taken = Readonly<{ job: Job; leaseToken: number; gate?: Gate }>

/** Which parked jobs: those whose gate includes this provider, or those of this tenant. */
export type Parked = Readonly<{ provider: ProviderName } | { tenantId: TenantId }>

export type Depth = Readonly<{ lane: Lane; ready: number; delayed: number; parked: number; taken: number }>

/** How many of thirteen turns each lane gets while all have work. */
export const LANE_WEIGHTS: Readonly<Record<Lane, number>> = { otp: 8, transactional: 4, bulk: 1 }

export interface Queue {
  /** Up to `max` due jobs, each leased to this caller; waits for the first one until `signal` ends it. */
  take(max: number, signal: AbortSignal): Promise<readonly Taken[]>

  /** The job is finished. Does nothing when a newer job of the message has taken its place. */
  done(taken: Taken): Promise<void>

  /** Hands the job back, to be due at `dueAt`. Does nothing when a newer job has taken its place. */
  release(taken: Taken, dueAt: Instant): Promise<void>

  /**
   * Hands the job back to wait at a gate: due when it is unparked, or at `until` at the latest. A parked job costs
   * nothing while it waits. Does nothing when a newer job has taken its place.
   */
  park(taken: Taken, gate: Gate, until: Instant): Promise<void>

  /**
   * Makes up to `max` parked jobs due now and answers how many: `otp` first, then the longest parked, each back in
   * its own line. Idempotent: of several callers at once each job is counted by one.
   */
  unpark(which: Parked, max: number): Promise<number>

  /** Queues a job unless the message has one already, and says whether it did: for repairing what was lost. */
  put(job: Job): Promise<boolean>

  /** How much work stands in each lane. */
  depth(): Promise<readonly Depth[]>
}
