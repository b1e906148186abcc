/**
 * Twilio's error codes (Twilio Docs, "Error and Warning Dictionary"), in answers to a send and in delivery reports.
 * Twilio splits and renames codes over time; a code that is not listed is classified by its HTTP status.
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
  [20003, forProvider('AUTHENTICATION_FAILED', 'Twilio rejected the credentials')],
  [20404, forProvider('ACCOUNT_NOT_FOUND', 'Twilio does not know the account SID')],
  // "Never processed and always safe to retry."
  [20429, TOO_FAST],
  // "Temporarily unavailable": "try again a few times with exponential back-off".
  [20503, forNow('SERVICE_UNAVAILABLE', 'Twilio is temporarily unavailable')],
  // Twilio warns that a retry after a 500 may reach the recipient twice. We retry as after any 5xx: a rare duplicate is
  // better than a message that is held for days.
  [20500, forNow('INTERNAL_ERROR', 'Twilio had an internal error')],
  [21211, forMessage(NUMBER, 'Twilio says the recipient is not a valid phone number')],
  [21614, forMessage(NUMBER, 'Twilio says the recipient is not a mobile number')],
  [21635, forMessage(NUMBER, 'Twilio says the recipient is a landline')],
  [21212, forProvider(SENDER, 'Twilio says the sender is not valid')],
  [21606, forProvider(SENDER, 'Twilio says the sender does not belong to the account or cannot send SMS there')],
  [21659, forProvider(SENDER, 'Twilio says the sender is not a Twilio number, or cannot send to this country')],
  [21660, forProvider(SENDER, 'Twilio says the sender belongs to another account')],
  [21661, forProvider(SENDER, 'Twilio says the sender cannot send SMS')],
  [21408, forProvider('REGION_NOT_ENABLED', "the Twilio account is not enabled for the recipient's region")],
  [21602, forMessage('MESSAGE_REJECTED', 'Twilio says the message has no text')],
  [21617, forMessage('MESSAGE_REJECTED', 'Twilio says the text is too long')],
  [21608, forProvider('TRIAL_ACCOUNT', 'a Twilio trial account may send only to verified numbers')],
  [21610, forMessage('OPTED_OUT', 'the recipient has unsubscribed from this sender')],
  [21611, forProvider('QUEUE_FULL', "Twilio's queue for this sender is full")],
  [21612, forProvider('NOT_ROUTABLE', 'Twilio cannot send from this sender to this recipient')],
  [30001, forNow('QUEUE_FULL', "Twilio's queue is full")],
  [30002, forProvider('ACCOUNT_SUSPENDED', 'the Twilio account is suspended')],
  [30003, forRecipient('UNREACHABLE', 'the handset is switched off or unreachable')],
  [30004, forMessage('NUMBER_BLOCKED', 'the recipient or its carrier blocks the message')],
  [30005, forMessage(NUMBER, 'the number is unknown or no longer in service')],
  [30006, forMessage(NUMBER, 'the recipient is a landline, or its carrier is unreachable')],
  [30007, forMessage('MESSAGE_REJECTED', 'Twilio or the carrier filtered the message')],
  // Another provider may succeed, so this one is not retried.
  [30008, forProvider('CARRIER_ERROR', 'the carrier reported an unknown error')],
  [30022, TOO_FAST],
  [30023, forProvider('QUOTA_EXCEEDED', 'the sender has reached its daily limit')],
  [30032, forProvider(SENDER, 'the toll-free sender is not verified')],
  [30034, forProvider(SENDER, 'the sender is not registered for A2P messages')],
  [30036, forMessage('EXPIRED', 'the validity period ended before the message was sent')],
  [30450, forMessage('FRAUD_BLOCKED', 'Twilio blocked the message as suspected SMS pumping')],
  [30610, forRecipient('QUIET_HOURS', "it is quiet hours in the recipient's time zone")],
  [30640, forMessage('NUMBER_BLOCKED', 'the recipient is on a do-not-contact list')],
  [60410, forMessage('FRAUD_BLOCKED', 'Twilio blocks this number range because of fraud')],
])

const unlisted = (code: number): string => `TWILIO_${code}`

/** Total: every status with any code, or none, has a meaning. */
export function toTwilioError(status: number, code: number | undefined): ProviderError {
  if (code === undefined) return byStatusAndCode(status, undefined)
  return byStatusAndCode(status, TWILIO_ERRORS.get(code), unlisted(code))
}

/** Why a message that Twilio had accepted failed. */
export function toTwilioReason(code: number | undefined): Readonly<{ code: string; detail: string }> {
  if (code === undefined) return { code: 'DELIVERY_FAILED', detail: 'Twilio gave no error code' }
  const known = TWILIO_ERRORS.get(code)
  if (known === undefined) return { code: unlisted(code), detail: `Twilio reported error ${code}` }
  return { code: known.code, detail: known.detail }
}
