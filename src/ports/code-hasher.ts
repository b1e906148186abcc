/** Hashes one-time codes with a slow keyed hash, off the main thread. */

import type { MessageId } from '../domain/ids.ts'
import type { CodeHash } from '../domain/otp/challenge.ts'

export interface CodeHasher {
  /** Throws `Unavailable` when too many requests are waiting. */
  hash(id: MessageId, code: string): Promise<CodeHash>

  /** Without a hash, takes equally long and returns false. */
  matches(id: MessageId, code: string, hash: CodeHash | undefined): Promise<boolean>
}
