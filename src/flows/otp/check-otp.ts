/**
 * Checks a submitted code. An attempt is claimed before the comparison, so that parallel guesses gain nothing, and only
 * one of several right ones verifies. Comparing is slow on purpose, so only what may be right is compared: the code of a
 * challenge that is open and has attempts left.
 */

import type { MessageId, TenantId } from '../../domain/ids.ts'
import { type Challenge, type ChallengeStatus, toChallengeStatus } from '../../domain/otp/challenge.ts'
import type { OtpGuess } from '../../domain/requests/otp-request.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Instant } from '../../lib/time.ts'
import type { Challenges } from '../../ports/challenges.ts'
import type { CodeHasher } from '../../ports/code-hasher.ts'
import { notFound } from '../errors.ts'

export type CheckOtpDeps = Readonly<{ challenges: Challenges; hasher: CodeHasher; clock: Clock }>

export const CHECK_STATUSES = ['verified', 'invalid', 'already_verified', 'exhausted', 'expired'] as const

/** `remaining` is the number of attempts left: none once the challenge has ended. */
export type Checked = Readonly<{ status: (typeof CHECK_STATUSES)[number]; remaining: number }>

export async function checkOtp(deps: CheckOtpDeps, tenantId: TenantId, { id, code }: OtpGuess): Promise<Checked> {
  const { challenges, hasher, clock } = deps
  const ref = { tenantId, id }
  using _place = hasher.reserve(tenantId)
  const at = clock()
  const claimed = await challenges.claim(ref, at)
  if (claimed?.hash === undefined) return explain(id, await challenges.find(ref), at)

  const isRight = await hasher.matches(ref, code, claimed.hash)
  if (isRight) return ended((await challenges.conclude(ref, 'verified', clock())) ? 'verified' : 'already_verified')
  const remaining = claimed.maxAttempts - claimed.attempts
  return remaining > 0 ? { status: 'invalid', remaining } : ended('exhausted')
}

const ended = (status: Exclude<Checked['status'], 'invalid'>): Checked => ({ status, remaining: 0 })

const WHY: Readonly<Record<Exclude<ChallengeStatus, 'pending'>, Checked>> = {
  verified: ended('already_verified'),
  canceled: ended('expired'),
  exhausted: ended('exhausted'),
  expired: ended('expired'),
}

/**
 * Why no attempt could be claimed. The same two lookups find a challenge that has ended, that of another tenant, and none
 * at all, so timing does not reveal which of them it was.
 */
function explain(id: MessageId, challenge: Challenge | undefined, at: Instant): Checked {
  const status = challenge?.hash === undefined ? 'pending' : toChallengeStatus(challenge, at)
  if (status !== 'pending') return WHY[status]
  throw notFound('challenge', id)
}
