/** Twilio's code for why a message failed (Twilio Docs, "Error and Warning Dictionary"). Total: the rest is unknown. */
import { toErrorAdvice } from '../message/error-advice.ts'
import type { ErrorCode } from '../message/error-texts.ts'
import type { MessageState } from '../message/state.ts'
import { toTwilioStatus } from './message-status.ts'

const UNKNOWN = 30_008

const CODES = {
  // The recipient.
  UNREACHABLE: 30_003,
  NUMBER_BLOCKED: 30_004,
  RECIPIENT_BLOCKED: 30_004,
  INVALID_NUMBER: 30_005,
  INVALID_RECIPIENT: 30_005,
  UNROUTABLE: 30_006,
  OPTED_OUT: 21_610,
  RECIPIENT_SUPPRESSED: 21_610,
  QUIET_HOURS: 30_610,
  // The message.
  MESSAGE_REJECTED: 30_007,
  CONTENT_REJECTED: 30_007,
  POLICY_REJECTED: 30_007,
  REJECTED: 30_007,
  FRAUD_BLOCKED: 30_450,
  EXPIRED: 30_036,
  // The sender and the accounts.
  INVALID_SENDER: 21_606,
  INVALID_SENDER_ID: 21_606,
  NO_ROUTE_FOUND: 21_612,
  NOT_ROUTABLE: 21_612,
  REGION_NOT_ENABLED: 21_408,
  TRIAL_ACCOUNT: 21_608,
  ACCOUNT_SUSPENDED: 30_002,
  TENANT_SUSPENDED: 30_002,
  QUEUE_FULL: 30_001,
  RATE_LIMITED: 30_022,
  QUOTA_EXCEEDED: 30_023,
} as const satisfies Partial<Record<ErrorCode, number>>

const BY_CODE: ReadonlyMap<string, number> = new Map(Object.entries(CODES))

/** A code of Twilio's that Pombo does not list, as the Twilio provider reports it. */
const UNLISTED = /^TWILIO_(\d{5})$/

export function toTwilioErrorCode(code: string | undefined): number {
  if (code === undefined) return UNKNOWN
  const [, unlisted] = UNLISTED.exec(code) ?? []
  return unlisted === undefined ? (BY_CODE.get(code) ?? UNKNOWN) : Number(unlisted)
}

export type TwilioError = Readonly<{ code: number; message: string }>

/** Why a message failed; undefined if it has not, or may still be sent. */
export function toTwilioError(state: MessageState): TwilioError | undefined {
  const status = toTwilioStatus(state)
  if (status !== 'failed' && status !== 'undelivered') return undefined
  const { errorCode } = state
  const message = errorCode === undefined ? 'Unknown error' : toErrorAdvice(errorCode, false).meaning
  return { code: toTwilioErrorCode(errorCode), message }
}
