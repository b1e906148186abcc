/** Erasures by recipient, as jobs: kept until they are done and after, and carried on by one process at a time. */

import type { ErasureId, TenantId } from '../domain/ids.ts'
import type { Erasure } from '../domain/message/erasure.ts'
import type { Instant } from '../lib/time.ts'

/** An erasure that this process carries on. `leaseToken` tells it from whoever had it before. */
export type HeldErasure = Readonly<{ erasure: Erasure; leaseToken: number }>

export type ErasureQuery = Readonly<{ tenantId: TenantId; limit: number; cursor?: string }>

/** Newest first. `nextCursor` is missing on the last page. */
export type ErasurePage = Readonly<{ erasures: readonly Erasure[]; nextCursor?: string }>

export interface Erasures {
  /**
   * Keeps a new one, due at once. Where there is one of this id, or one for the same recipient that is not complete,
   * nothing is kept and that one is answered.
   */
  start(erasure: Erasure): Promise<Erasure>

  find(tenantId: TenantId, id: ErasureId): Promise<Erasure | undefined>

  list(query: ErasureQuery): Promise<ErasurePage>

  /** The one that has been due for longest at `at`, whoever's it is; nobody else gets it before `until`. */
  claim(at: Instant, until: Instant): Promise<HeldErasure | undefined>

  /**
   * Writes down how far it has come, and when it is next due: later than a lease where we go on with it, and never
   * once it is complete. False where somebody else has claimed it since; then nothing is written.
   */
  save(held: HeldErasure, dueAt: Instant | undefined): Promise<boolean>
}
