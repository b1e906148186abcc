/**
 * Checks a submitted code. An attempt is claimed before the comparison, so that parallel guesses gain nothing, and only
 * one of several right ones verifies.
 */

import type { TenantId } from '../../domain/ids.ts'
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
  const at = clock()
  const claimed = await challenges.claim(ref, at)
  if (claimed === undefined) return explain(deps, await challenges.find(ref), { id, code }, at)

  const isRight = await hasher.matches(id, code, claimed.hash)
  if (isRight) return ended((await challenges.verify(ref, clock())) ? 'verified' : 'already_verified')
  const remaining = claimed.maxAttempts - claimed.attempts
  return remaining > 0 ? { status: 'invalid', remaining } : ended('exhausted')
}

const ended = (status: Exclude<Checked['status'], 'invalid'>): Checked => ({ status, remaining: 0 })

const WHY: Readonly<Record<Exclude<ChallengeStatus, 'pending'>, Checked>> = {
  verified: ended('already_verified'),
  exhausted: ended('exhausted'),
  expired: ended('expired'),
}

/**
 * Why no attempt could be claimed. A missing, foreign or unarmed challenge takes as long as a wrong code, so that
 * timing does not reveal which challenges exist.
 */
async function explain(
  { hasher }: CheckOtpDeps,
  challenge: Challenge | undefined,
  { id, code }: OtpGuess,
  at: Instant,
): Promise<Checked> {
  const status = challenge?.hash === undefined ? 'pending' : toChallengeStatus(challenge, at)
  if (status !== 'pending') return WHY[status]
  await hasher.matches(id, code, undefined)
  throw notFound('challenge', id)
}
