/**
 * MessageBird's error codes (its REST API, "API errors"), in answers to a send and in delivery reports. A code that is
 * not listed is classified by its HTTP status. The documentation ("Common API usage", Errors) says that a request may
 * safely be retried after a 5xx, preferably with a delay.
 */
import { byStatusAndCode, forMessage, forNow, forProvider, type ProviderError } from '../provider-errors.ts'

/** The first error of an answer. `parameter` names the field of the request that is at fault. */
export type MessageBirdError = Readonly<{ code: number; parameter?: string }>

const NO_RECIPIENT = forMessage('INVALID_NUMBER', 'MessageBird says the recipient is not a valid phone number')
const BAD_SENDER = forProvider('INVALID_SENDER_ID', 'MessageBird says the sender is not valid or not allowed')

/** By code. */
export const MESSAGEBIRD_ERRORS: ReadonlyMap<number, ProviderError> = new Map<number, ProviderError>([
  [2, forProvider('AUTHENTICATION_FAILED', 'MessageBird rejected the access key or our IP address')],
  [9, NO_RECIPIENT],
  [10, forMessage('MESSAGE_REJECTED', 'MessageBird says a parameter is invalid')],
  [20, forMessage('MESSAGE_REJECTED', 'MessageBird says the resource was not found')],
  [21, forMessage('MESSAGE_REJECTED', 'MessageBird says the request is malformed')],
  [25, forProvider('INSUFFICIENT_FUNDS', 'the MessageBird balance is too low')],
  [98, forProvider('ENDPOINT_NOT_FOUND', 'MessageBird does not know the URL that was called')],
  [99, forNow('INTERNAL_ERROR', 'MessageBird had an internal error')],
])

const BY_PARAMETER = new Map<string, ProviderError>([
  ['originator', BAD_SENDER],
  ['recipient', NO_RECIPIENT],
  ['recipients', NO_RECIPIENT],
])

/** Codes that blame one parameter of the request. */
const ABOUT_A_PARAMETER = new Set([9, 10, 21])

/** Total: every status with any error, or none, has a meaning. */
export function toMessageBirdError(status: number, error: MessageBirdError | undefined): ProviderError {
  if (error === undefined) return byStatusAndCode(status, undefined)
  const { code, parameter = '' } = error
  const listed = ABOUT_A_PARAMETER.has(code) ? BY_PARAMETER.get(parameter) : undefined
  return byStatusAndCode(status, listed ?? MESSAGEBIRD_ERRORS.get(code), `MESSAGEBIRD_${code}`)
}

export type Reason = Readonly<{ code: string; detail: string }>

const UNKNOWN_NUMBER: Reason = { code: 'INVALID_NUMBER', detail: 'the network does not know the subscriber' }
const UNREACHABLE: Reason = { code: 'UNREACHABLE', detail: 'the handset is switched off or unreachable' }
const NETWORK: Reason = { code: 'CARRIER_ERROR', detail: 'the network reported an error' }
const BARRED: Reason = { code: 'NUMBER_BLOCKED', detail: 'the network bars the subscriber from receiving the message' }
const FAILED: Reason = { code: 'DELIVERY_FAILED', detail: 'MessageBird gave no reason' }

/** By `statusReason`, in lower case. */
const BY_REASON = new Map<string, Reason>([
  ['unknown subscriber', UNKNOWN_NUMBER],
  ['unavailable subscriber', UNREACHABLE],
  ['received network error', NETWORK],
  ['expired', { code: 'EXPIRED', detail: 'the validity period ended before the message was sent' }],
  ['dlr not received', { code: 'RECEIPT_MISSING', detail: 'the network sent no delivery report' }],
  ['opted out', { code: 'OPTED_OUT', detail: 'the recipient has unsubscribed from this sender' }],
  ['carrier rejected', { code: 'MESSAGE_REJECTED', detail: 'the carrier rejected the message' }],
  ['insufficient balance', { code: 'INSUFFICIENT_FUNDS', detail: 'the MessageBird balance is too low' }],
  ['generation error', { code: 'INTERNAL_ERROR', detail: 'MessageBird could not generate the message' }],
])

/** By `statusErrorCode`, which follows the GSM MAP errors. */
const BY_CODE = new Map<number, Reason>([
  ...[1, 5].map((code) => [code, UNKNOWN_NUMBER] as const),
  ...[9, 11, 12, 13, 21].map((code) => [code, BARRED] as const),
  ...[6, 27, 31, 32, 33].map((code) => [code, UNREACHABLE] as const),
  ...[34, 35, 36].map((code) => [code, NETWORK] as const),
])

/** Why a message that MessageBird had accepted failed. */
export const toMessageBirdReason = (reason: string | undefined, code: number | undefined): Reason =>
  BY_REASON.get(reason?.toLowerCase() ?? '') ?? (code === undefined ? undefined : BY_CODE.get(code)) ?? FAILED
