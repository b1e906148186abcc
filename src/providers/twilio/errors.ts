/**
 * What Twilio's error codes mean (Twilio Docs, "Error and Warning Dictionary"): of an answer to a send, and of a
 * report that a message failed. Twilio splits and renames codes over time, so what is not listed falls to its HTTP
 * status.
 */
import {
  byStatusAndCode,
  forMessage,
  forNow,
  forProvider,
  forRecipient,
  type ProviderError,
  TOO_FAST,
} from '../provider-errors.ts'

const SENDER = 'INVALID_SENDER_ID'
const NUMBER = 'INVALID_NUMBER'

/** By code. */
export const TWILIO_ERRORS: ReadonlyMap<number, ProviderError> = new Map<number, ProviderError>([
  [20003, forProvider('AUTHENTICATION_FAILED', 'Twilio does not accept the credentials')],
  [20404, forProvider('ACCOUNT_NOT_FOUND', 'Twilio does not know the account')],
  // "Never processed and always safe to retry."
  [20429, TOO_FAST],
  // "Temporarily unavailable": "try again a few times with exponential back-off".
  [20503, forNow('SERVICE_UNAVAILABLE', 'Twilio is temporarily unavailable')],
  // Twilio warns here that a send repeated after a 500 may reach the recipient twice. We retry all the same, as after
  // any 5xx: better a rare duplicate than a message that is held for days.
  [20500, forNow('INTERNAL_ERROR', 'Twilio failed')],
  [21211, forMessage(NUMBER, 'the recipient is not a valid number')],
  [21614, forMessage(NUMBER, 'the recipient is not a mobile number')],
  [21635, forMessage(NUMBER, 'the recipient is a landline')],
  [21212, forProvider(SENDER, 'the sender is not valid')],
  [21606, forProvider(SENDER, 'the sender does not belong to the account, or cannot send SMS')],
  [21659, forProvider(SENDER, 'the sender is not a number of Twilio')],
  [21660, forProvider(SENDER, 'the sender belongs to another account')],
  [21661, forProvider(SENDER, 'the sender cannot send SMS')],
  [21408, forProvider('REGION_NOT_ENABLED', 'the account may not send to this region')],
  [21602, forMessage('MESSAGE_REJECTED', 'the text is missing')],
  [21617, forMessage('MESSAGE_REJECTED', 'the text is too long')],
  [21608, forProvider('TRIAL_ACCOUNT', 'a trial account may only send to verified numbers')],
  [21610, forMessage('OPTED_OUT', 'the recipient wants no messages from this sender')],
  [21611, forProvider('QUEUE_FULL', 'too many messages wait for this sender')],
  [21612, forProvider('NOT_ROUTABLE', 'there is no way from this sender to this recipient')],
  [30001, forNow('QUEUE_FULL', 'too many messages wait to be sent')],
  [30002, forProvider('ACCOUNT_SUSPENDED', 'the account is suspended')],
  [30003, forRecipient('UNREACHABLE', 'the handset is off or out of reach')],
  [30004, forMessage('NUMBER_BLOCKED', 'the recipient or its carrier blocks the message')],
  [30005, forMessage(NUMBER, 'the handset is unknown or no longer in use')],
  [30006, forMessage(NUMBER, 'the recipient is a landline, or its carrier cannot be reached')],
  [30007, forMessage('MESSAGE_REJECTED', 'a carrier filtered the message')],
  // One more try elsewhere is worth it, and no more than that.
  [30008, forProvider('CARRIER_ERROR', 'a carrier failed and did not say why')],
  [30022, TOO_FAST],
  [30023, forProvider('QUOTA_EXCEEDED', 'the sender has reached its limit for the day')],
  [30032, forProvider(SENDER, 'the toll-free sender is not verified')],
  [30034, forProvider(SENDER, 'the sender is not registered for this traffic')],
  [30036, forMessage('EXPIRED', 'the validity period ended before the message was sent')],
  [30450, forMessage('FRAUD_BLOCKED', 'the message was taken for SMS pumping')],
  [30610, forRecipient('QUIET_HOURS', 'the recipient is not to be disturbed now')],
  [30640, forMessage('NUMBER_BLOCKED', 'the recipient is not to be written to')],
  [60410, forMessage('FRAUD_BLOCKED', 'numbers like this are blocked because of fraud')],
])

const unlisted = (code: number): string => `TWILIO_${code}`

/** Total: any status and any code, or none, mean something. */
export function toTwilioError(status: number, code: number | undefined): ProviderError {
  if (code === undefined) return byStatusAndCode(status, undefined)
  return byStatusAndCode(status, TWILIO_ERRORS.get(code), unlisted(code))
}

/** Why a message failed that Twilio had taken. */
export function toTwilioReason(code: number | undefined): Readonly<{ code: string; detail: string }> {
  if (code === undefined) return { code: 'DELIVERY_FAILED', detail: 'Twilio does not say why' }
  const known = TWILIO_ERRORS.get(code)
  if (known === undefined) return { code: unlisted(code), detail: 'Twilio gives a reason that is not listed here' }
  return { code: known.code, detail: known.detail }
}
