/**
 * The queue of messages that need work. A job is only a hint; the log decides what is done.
 *
 * Lanes are served by weight, `otp` before `transactional` before `bulk`, without starvation. Within a lane tenants
 * take turns, so a tenant with a long queue does not delay another's single message.
 */
import type { MessageId, ProviderName, TenantId } from '../domain/ids.ts'
import type { Lane } from '../domain/message/message.ts'
import type { Instant } from '../lib/time.ts'

/** A message that needs work at `dueAt`, or at once. */
export type Job = Readonly<{ messageId: MessageId; tenantId: TenantId; lane: Lane; dueAt?: Instant }>

/** The providers that could send the message, sorted by name. A job parked at a gate waits for any of them. */
export type Gate = readonly [ProviderName, ...ProviderName[]]

/**
 * A job leased to a worker. `leaseToken` distinguishes it from other jobs of the same message; `gate` is where it was
 * parked, if it was, and may remain when it is released for a moment.
 */
export type Taken = Readonly<{ job: Job; leaseToken: number; gate?: Gate }>

/**
 * What the runner does with a job after working on it: finish it, make it due later, park it until a provider can be
 * called, or nothing, because the append that recorded the outcome has already removed it.
 */
export type Disposition = Readonly<
  { kind: 'done' } | { kind: 'later'; at: Instant } | { kind: 'parked'; gate: Gate; until: Instant } | { kind: 'gone' }
>

/** Selects parked jobs: those whose gate includes this provider, or those of this tenant. */
export type Parked = Readonly<{ provider: ProviderName } | { tenantId: TenantId }>

export type Depth = Readonly<{ lane: Lane; ready: number; delayed: number; parked: number; taken: number }>

/** The turns of each lane, out of thirteen, while all have work. */
export const LANE_WEIGHTS: Readonly<Record<Lane, number>> = { otp: 8, transactional: 4, bulk: 1 }

export interface Queue {
  /** Up to `max` due jobs, each leased to this caller; waits for the first one until `signal` ends it. */
  take(max: number, signal: AbortSignal): Promise<readonly Taken[]>

  /** Finishes the job. Does nothing when a newer job of the message has replaced it. */
  done(taken: Taken): Promise<void>

  /** Releases the job, due at `dueAt`. Does nothing when a newer job has replaced it. */
  release(taken: Taken, dueAt: Instant): Promise<void>

  /**
   * Parks the job at a gate: due when it is unparked, or at `until` at the latest. A parked job costs nothing. Does
   * nothing when a newer job has replaced it.
   */
  park(taken: Taken, gate: Gate, until: Instant): Promise<void>

  /**
   * Makes up to `max` parked jobs due now and returns how many: `otp` first, then the longest parked, each back in its
   * tenant's queue. Concurrent callers never count the same job.
   */
  unpark(which: Parked, max: number): Promise<number>

  /** Queues a job unless the message has one, and returns whether it did: for recovering lost jobs. */
  put(job: Job): Promise<boolean>

  /** The number of jobs in each lane, of all tenants together or of one. Cheap, however many there are. */
  depth(tenantId?: TenantId): Promise<readonly Depth[]>
}
