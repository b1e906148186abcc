/** The challenges of one-time codes. Claiming an attempt and verifying are atomic. */

import type { MessageId, TenantId } from '../domain/ids.ts'
import type { Challenge, CodeHash } from '../domain/otp/challenge.ts'
import type { Instant } from '../lib/time.ts'

export type ChallengeRef = Readonly<{ tenantId: TenantId; id: MessageId }>

/** Another call may have started the challenge, so the terms come from the message in the log. */
export type ArmedCode = Readonly<{ hash: CodeHash; maxAttempts: number; expiresAt: Instant }>

export interface Challenges {
  /**
   * Stores a challenge without its code. An existing one stays as it is, but while it has no code its end is extended
   * to that of this one.
   */
  begin(challenge: Omit<Challenge, 'hash' | 'attempts' | 'verifiedAt'>): Promise<void>

  /** Adds the code to a challenge without one, with the terms of the message that carries it. */
  arm(ref: ChallengeRef, code: ArmedCode): Promise<void>

  find(ref: ChallengeRef): Promise<Challenge | undefined>

  /**
   * Counts an attempt and returns the challenge; undefined when no attempt is allowed now. Must be called before a code
   * is compared, so that parallel guesses cannot exceed the limit.
   */
  claim(ref: ChallengeRef, at: Instant): Promise<Challenge | undefined>

  /** Marks it as verified. True for exactly one caller. */
  verify(ref: ChallengeRef, at: Instant): Promise<boolean>

  /** The ended challenges of all tenants that are not cleared, longest ended first. */
  ended(at: Instant, limit: number): Promise<readonly ChallengeRef[]>

  /**
   * Marks the content of its message as erased. Also deletes a few of the tenant's cleared challenges from before
   * `forgetBefore`.
   */
  clear(ref: ChallengeRef, forgetBefore: Instant): Promise<void>
}
