/**
 * Hashes one-time codes with a slow keyed hash, off the main thread. Tenants take turns, and so do hashing and comparing.
 * Throws `TenantOverload` when too many codes of the tenant wait, and `Unavailable` when too many of all do.
 */
import type { TenantId } from '../domain/ids.ts'
import type { CodeHash } from '../domain/otp/challenge.ts'
import type { ChallengeRef } from './challenges.ts'

export interface CodeHasher {
  hash(ref: ChallengeRef, code: string): Promise<CodeHash>

  /**
   * Keeps a place for one comparison, until it is disposed of. Taken before the attempt is counted, because a comparison
   * that is then refused would have cost the attempt.
   */
  reserve(tenantId: TenantId): Disposable

  matches(ref: ChallengeRef, code: string, hash: CodeHash): Promise<boolean>
}
