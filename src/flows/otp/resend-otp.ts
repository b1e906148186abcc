/**
 * Sends the code of an open challenge again: the same code in the same message, as a new cycle. It counts like a new code
 * of its recipient, and its attempts and its expiry stay as they are.
 */
import type { TraceId } from '../../domain/ids.ts'
import type { ChallengeRef } from '../../ports/challenges.ts'
import { refuse, TooManyAttempts } from '../errors.ts'
import { type AdmitResendDeps, type AdmittedResend, admitResend } from '../send/admit-resend.ts'
import { findResendable } from '../send/resend.ts'
import { type FindOtpDeps, findOtp } from './find-otp.ts'
import { type LockOutDeps, lockedOutFor } from './lock-out.ts'
import { type CodeLimitDeps, counterOfCodes } from './start-otp.ts'

export type ResendOtpDeps = FindOtpDeps & AdmitResendDeps & LockOutDeps & CodeLimitDeps

export async function resendOtp(deps: ResendOtpDeps, ref: ChallengeRef, traceId: TraceId): Promise<AdmittedResend> {
  const { challenge, status } = await findOtp(deps, ref)
  if (status !== 'pending') throw refuse('CONFLICT', `The challenge has ended: its status is ${status}`)
  const wait = await lockedOutFor(deps, challenge)
  if (wait > 0) throw new TooManyAttempts(wait)
  const request = { ...ref, traceId, by: 'resend', overrideLimits: false } as const
  await findResendable(deps, request)
  const { tenantId, recipient } = challenge
  return admitResend(deps, request, recipient === undefined ? [] : [counterOfCodes(deps, tenantId, recipient)])
}
