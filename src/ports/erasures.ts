/** Erasures by recipient as jobs. Each is run by one process at a time and kept after completion. */

import type { ErasureId, TenantId } from '../domain/ids.ts'
import type { Erasure } from '../domain/message/erasure.ts'
import type { Instant } from '../lib/time.ts'

/** An erasure that this process has claimed. `leaseToken` distinguishes its claim from earlier ones. */
export type HeldErasure = Readonly<{ erasure: Erasure; leaseToken: number }>

export type ErasureQuery = Readonly<{ tenantId: TenantId; limit: number; cursor?: string }>

/** Newest first. `nextCursor` is missing on the last page. */
export type ErasurePage = Readonly<{ erasures: readonly Erasure[]; nextCursor?: string }>

export interface Erasures {
  /**
   * Stores a new erasure, due at once. If this id exists, or an incomplete erasure for the same recipient, returns that
   * one instead.
   */
  start(erasure: Erasure): Promise<Erasure>

  find(tenantId: TenantId, id: ErasureId): Promise<Erasure | undefined>

  list(query: ErasureQuery): Promise<ErasurePage>

  /** Claims the erasure of any tenant that has been due for longest, until `until`. */
  claim(at: Instant, until: Instant): Promise<HeldErasure | undefined>

  /**
   * Saves the progress and the next due time: the end of the lease while running, and none once complete. False, and
   * nothing is saved, when another process has claimed it.
   */
  save(held: HeldErasure, dueAt: Instant | undefined): Promise<boolean>
}
