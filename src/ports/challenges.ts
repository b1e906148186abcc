/** The challenges of one-time codes. Claiming an attempt and verifying are atomic. */

import type { MessageId, TenantId } from '../domain/ids.ts'
import type { Challenge, CodeHash } from '../domain/otp/challenge.ts'
import type { Instant } from '../lib/time.ts'

export type ChallengeRef = Readonly<{ tenantId: TenantId; id: MessageId }>

/** Names the newest challenge that was begun for a subject. */
export type SubjectRef = Readonly<{ tenantId: TenantId; subject: string }>

/** Without a hash no code verifies. `subject` is a keyed hash by which the newest challenge of a recipient is found. */
export type NewChallenge = Omit<Challenge, 'attempts' | 'verifiedAt' | 'canceledAt'> & Readonly<{ subject?: string }>

export type Conclusion = 'verified' | 'canceled'

/** Another call may have started the challenge, so the terms come from the message in the log. */
export type ArmedCode = Readonly<{ hash: CodeHash; maxAttempts: number; expiresAt: Instant }> &
  Pick<Challenge, 'shape' | 'recipient'>

export interface Challenges {
  /**
   * Stores a challenge with the hash of its code. It is armed from then on, so call this before the message with the
   * code is stored.
   *
   * An existing challenge was begun by an earlier call whose message was never stored, or by a concurrent one. While
   * nobody has tried a code on it, it is replaced; otherwise it keeps its code, and ends no earlier than this one. False
   * when it was kept.
   */
  begin(challenge: NewChallenge): Promise<boolean>

  /**
   * Gives a challenge the code and the terms of the message that was stored, as if nobody had tried a code yet. Changes
   * nothing where it has that code already.
   */
  arm(ref: ChallengeRef, code: ArmedCode): Promise<void>

  /** Also one that has ended, until it is deleted. */
  find(ref: ChallengeRef | SubjectRef): Promise<Challenge | undefined>

  /**
   * Counts an attempt and returns the challenge; undefined when no attempt is allowed now. Must be called before a code
   * is compared, so that parallel guesses cannot exceed the limit.
   */
  claim(ref: ChallengeRef, at: Instant): Promise<Challenge | undefined>

  /** Marks it as verified or canceled, whichever is first. True for exactly one caller. */
  conclude(ref: ChallengeRef, as: Conclusion, at: Instant): Promise<boolean>

  /** The ended challenges of all tenants that are not cleared, longest ended first. */
  ended(at: Instant, limit: number): Promise<readonly ChallengeRef[]>

  /**
   * Marks the content of its message as erased. Also deletes a few of the tenant's cleared challenges from before
   * `forgetBefore`.
   */
  clear(ref: ChallengeRef, forgetBefore: Instant): Promise<void>
}
