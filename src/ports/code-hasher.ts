/** Hashes one-time codes, slowly and with a secret, away from the thread that answers callers. */

import type { MessageId } from '../domain/ids.ts'
import type { CodeHash } from '../domain/otp/challenge.ts'

export interface CodeHasher {
  /** Throws `Unavailable` when more wait already than can be hashed in reasonable time. */
  hash(id: MessageId, code: string): Promise<CodeHash>

  /** Takes as long without a hash to compare with, and says no. */
  matches(id: MessageId, code: string, hash: CodeHash | undefined): Promise<boolean>
}
