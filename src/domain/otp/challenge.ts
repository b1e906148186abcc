/**
 * A one-time code that the recipient has to send back. It has the id of the message that carries the code. It ends once,
 * and then no code verifies any more.
 *
 * | status    | when                                             |
 * |-----------|--------------------------------------------------|
 * | verified  | the right code was submitted in time             |
 * | canceled  | the caller withdrew it                           |
 * | exhausted | all attempts were used without the right code    |
 * | expired   | its time is over                                 |
 * | pending   | none of these                                    |
 */
import type { Brand } from '../../lib/brand.ts'
import type { Instant } from '../../lib/time.ts'
import type { AccountId, MessageId, TenantId } from '../ids.ts'
import type { CodeShape } from './code.ts'

/** The keyed hash of a code, from which the code cannot be recovered. */
export type CodeHash = Brand<string, 'CodeHash'>

export type Challenge = Readonly<{
  id: MessageId
  tenantId: TenantId
  accountId: AccountId
  maxAttempts: number
  attempts: number
  createdAt: Instant
  expiresAt: Instant
  /** Missing where no code verifies. */
  hash?: CodeHash
  verifiedAt?: Instant
  canceledAt?: Instant
  /** Missing for six digits. */
  shape?: CodeShape
  /** A keyed hash of the recipient, equal for all spellings of it. Missing in challenges of earlier releases. */
  recipient?: string
}>

export const CHALLENGE_STATUSES = ['pending', 'verified', 'canceled', 'exhausted', 'expired'] as const
export type ChallengeStatus = (typeof CHALLENGE_STATUSES)[number]

export function toChallengeStatus(
  { verifiedAt, canceledAt, attempts, maxAttempts, expiresAt }: Challenge,
  now: Instant,
): ChallengeStatus {
  if (verifiedAt !== undefined) return 'verified'
  if (canceledAt !== undefined) return 'canceled'
  if (expiresAt <= now) return 'expired'
  return attempts >= maxAttempts ? 'exhausted' : 'pending'
}
