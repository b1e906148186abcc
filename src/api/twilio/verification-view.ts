/** Verifications as Twilio shows them. */
import type { Channel } from '../../domain/message/message.ts'
import { type Challenge, type ChallengeStatus, toChallengeStatus } from '../../domain/otp/challenge.ts'
import { toSid } from '../../domain/twilio/sids.ts'
import { type Instant, toIso } from '../../lib/time.ts'
import { toAccountSid } from './account-sid.ts'

const STATUS = {
  pending: 'pending',
  verified: 'approved',
  canceled: 'canceled',
  exhausted: 'max_attempts_reached',
  expired: 'expired',
} as const satisfies Readonly<Record<ChallengeStatus, string>>

export type Shown = Pick<Challenge, 'id' | 'tenantId' | 'accountId' | 'createdAt'> &
  Readonly<{ serviceSid: string; to: string; channel: Channel }>

/** In seconds: clients parse no fraction. */
const toSeconds = (at: Instant): string => `${toIso(at).slice(0, 19)}Z`

function toCommon(shown: Shown, status: ChallengeStatus, updatedAt: Instant) {
  const { id, serviceSid, to, channel, createdAt } = shown
  return {
    sid: toSid('VE', id),
    service_sid: serviceSid,
    account_sid: toAccountSid(shown),
    to,
    channel,
    status: STATUS[status],
    valid: status === 'verified',
    amount: null,
    payee: null,
    date_created: toSeconds(createdAt),
    date_updated: toSeconds(updatedAt),
  }
}

export type VerificationCheckView = ReturnType<typeof toCheckView>

export const toCheckView = (shown: Shown, isApproved: boolean, at: Instant) => ({
  ...toCommon(shown, isApproved ? 'verified' : 'pending', at),
  sna_attempts_error_codes: [],
})

export type VerificationView = ReturnType<typeof toVerificationView>

/** `state` is that of the challenge. */
export function toVerificationView(
  shown: Shown,
  state: Readonly<{ status: ChallengeStatus; updatedAt: Instant }>,
  publicUrl: string,
) {
  const common = toCommon(shown, state.status, state.updatedAt)
  const { channel, createdAt, serviceSid } = shown
  return {
    ...common,
    lookup: { carrier: null },
    send_code_attempts: [{ time: toSeconds(createdAt), channel, attempt_sid: `VL${common.sid.slice(2)}` }],
    sna: null,
    url: `${publicUrl}/v2/Services/${serviceSid}/Verifications/${common.sid}`,
  }
}

export const toState = (challenge: Challenge, now: Instant) => ({
  status: toChallengeStatus(challenge, now),
  updatedAt: challenge.verifiedAt ?? challenge.canceledAt ?? challenge.createdAt,
})
