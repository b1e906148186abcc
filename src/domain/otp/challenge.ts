/**
 * A one-time code that somebody is to tell us back. It is known by the id of the message that carries
 * it, ends once, and after that nothing verifies any more.
 *
 * | status    | when                                                    |
 * |-----------|---------------------------------------------------------|
 * | verified  | the right code was told in time                         |
 * | exhausted | so many codes were tried as may be, and none was right  |
 * | expired   | its time is over                                        |
 * | pending   | none of these                                           |
 */
import type { Brand } from '../../lib/brand.ts'
import type { Instant } from '../../lib/time.ts'
import type { AccountId, MessageId, TenantId } from '../ids.ts'

/** What is kept of a code: not enough to find it again. */
export type CodeHash = Brand<string, 'CodeHash'>

export type Challenge = Readonly<{
  id: MessageId
  tenantId: TenantId
  accountId: AccountId
  maxAttempts: number
  attempts: number
  createdAt: Instant
  expiresAt: Instant
  /** Missing while the message that carries the code is not yet known to be safe. */
  hash?: CodeHash
  verifiedAt?: Instant
}>

export type ChallengeStatus = 'pending' | 'verified' | 'exhausted' | 'expired'

export function toChallengeStatus(
  { verifiedAt, attempts, maxAttempts, expiresAt }: Challenge,
  now: Instant,
): ChallengeStatus {
  if (verifiedAt !== undefined) return 'verified'
  if (expiresAt <= now) return 'expired'
  return attempts >= maxAttempts ? 'exhausted' : 'pending'
}
