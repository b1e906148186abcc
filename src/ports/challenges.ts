/** The open and the ended challenges. Counting an attempt and verifying are each one atomic step. */

import type { MessageId, TenantId } from '../domain/ids.ts'
import type { Challenge, CodeHash } from '../domain/otp/challenge.ts'
import type { Instant } from '../lib/time.ts'

export type ChallengeRef = Readonly<{ tenantId: TenantId; id: MessageId }>

/** What was begun may have been begun by another call, so only what the log took says which terms hold. */
export type ArmedCode = Readonly<{ hash: CodeHash; maxAttempts: number; expiresAt: Instant }>

export interface Challenges {
  /**
   * Notes a challenge without its code. One that is there already stays as it is; while it has no code
   * it is not due to be cleared before this one would be.
   */
  begin(challenge: Omit<Challenge, 'hash' | 'attempts' | 'verifiedAt'>): Promise<void>

  /** Gives a challenge its code, if it has none, and with it the terms of the message that carries it. */
  arm(ref: ChallengeRef, code: ArmedCode): Promise<void>

  find(ref: ChallengeRef): Promise<Challenge | undefined>

  /**
   * Counts an attempt, and answers the challenge with it; undefined when none may be made at this
   * moment. To be called before any code is compared: of parallel guesses no more than may be are let through.
   */
  claim(ref: ChallengeRef, at: Instant): Promise<Challenge | undefined>

  /** Verifies it. True for one caller only. */
  verify(ref: ChallengeRef, at: Instant): Promise<boolean>

  /** Of every tenant those that have ended by now and were not cleared, longest ended first. */
  ended(at: Instant, limit: number): Promise<readonly ChallengeRef[]>

  /**
   * Notes that the content of its message is gone. With it go a few of the tenant's that are cleared and
   * were begun before `forgetBefore`, so that they do not pile up.
   */
  clear(ref: ChallengeRef, forgetBefore: Instant): Promise<void>
}
