/**
 * Checks a submitted code. An attempt is claimed before the comparison, so that parallel guesses gain nothing, and only
 * one of several right ones verifies. Comparing is slow on purpose, so only what may be right is compared: a code of the
 * right shape, of a challenge that is open and has attempts left, for a recipient that is not locked out.
 */

import type { MessageId, TenantId } from '../../domain/ids.ts'
import { type Challenge, type ChallengeStatus, toChallengeStatus } from '../../domain/otp/challenge.ts'
import { describeShape, hasShape, toCanonicalCode } from '../../domain/otp/code.ts'
import type { OtpGuess } from '../../domain/requests/otp-request.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Instant } from '../../lib/time.ts'
import type { Challenges } from '../../ports/challenges.ts'
import type { CodeHasher } from '../../ports/code-hasher.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { notFound, type Refusal, refuse } from '../errors.ts'
import { guessUnlessLockedOut, type LockOutDeps, toRecipientKey } from './lock-out.ts'

export type CheckOtpDeps = LockOutDeps &
  Pick<Sealer, 'blind'> &
  Readonly<{ challenges: Challenges; hasher: CodeHasher; clock: Clock }>

export const CHECK_STATUSES = ['verified', 'invalid', 'already_verified', 'exhausted', 'expired', 'canceled'] as const

/** `remaining` is the number of attempts left: none once the challenge has ended. */
export type Checked = Readonly<{ status: (typeof CHECK_STATUSES)[number]; remaining: number }>

export async function checkOtp(deps: CheckOtpDeps, tenantId: TenantId, guess: OtpGuess): Promise<Checked> {
  const { challenges, hasher, clock } = deps
  const ref = { tenantId, id: guess.id }
  using _place = hasher.reserve(tenantId)
  const found = await challenges.find(ref)
  if (found?.hash === undefined || toChallengeStatus(found, clock()) !== 'pending') {
    return explain(guess.id, found, clock())
  }
  if (!hasShape(guess.code, found.shape)) throw notOfShape(found)
  return guessUnlessLockedOut(deps, found, async () => {
    const { value, isWrong } = await compare(deps, found, guess)
    return { value, counts: isWrong }
  })
}

/** Costs an attempt, and as much time for another recipient as for another code. */
async function compare(
  deps: CheckOtpDeps,
  challenge: Challenge,
  { id, code, to }: OtpGuess,
): Promise<Readonly<{ value: Checked; isWrong: boolean }>> {
  const { challenges, hasher, clock } = deps
  const at = clock()
  const claimed = await challenges.claim(challenge, at)
  if (claimed?.hash === undefined) return right(explain(id, await challenges.find(challenge), at))

  const isRecipient = isFor(deps, claimed, to)
  const isRight = await hasher.matches(challenge, toCanonicalCode(code), claimed.hash)
  if (isRight && isRecipient) {
    return right(ended((await challenges.conclude(challenge, 'verified', clock())) ? 'verified' : 'already_verified'))
  }
  const remaining = claimed.maxAttempts - claimed.attempts
  return { value: remaining > 0 ? { status: 'invalid', remaining } : ended('exhausted'), isWrong: true }
}

const right = (value: Checked) => ({ value, isWrong: false })

/** A challenge of an earlier release does not know its recipient, so it is for nobody who is named. */
const isFor = (deps: CheckOtpDeps, { tenantId, recipient }: Challenge, to: OtpGuess['to']): boolean =>
  to === undefined || toRecipientKey(deps, tenantId, to) === recipient

/** It takes no attempt: nobody guesses what is known to be wrong. */
function notOfShape({ shape }: Challenge): Refusal {
  const problem = { path: '/code', message: `must be ${describeShape(shape)}` }
  return refuse('VALIDATION_ERROR', `${problem.path} ${problem.message}`, [problem])
}

const ended = (status: Exclude<Checked['status'], 'invalid'>): Checked => ({ status, remaining: 0 })

const WHY: Readonly<Record<Exclude<ChallengeStatus, 'pending'>, Checked>> = {
  verified: ended('already_verified'),
  canceled: ended('canceled'),
  exhausted: ended('exhausted'),
  expired: ended('expired'),
}

/**
 * Why no attempt can be claimed. The same lookup finds a challenge that has ended, that of another tenant, and none at
 * all, so timing does not reveal which of them it was.
 */
function explain(id: MessageId, challenge: Challenge | undefined, at: Instant): Checked {
  const status = challenge?.hash === undefined ? 'pending' : toChallengeStatus(challenge, at)
  if (status !== 'pending') return WHY[status]
  throw notFound('challenge', id)
}
