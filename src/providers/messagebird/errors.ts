/**
 * What MessageBird's error codes mean (its REST API, "API errors"): of an answer to a send, and of a report that a
 * message failed. What is not listed falls to its HTTP status. Its documentation ("Common API usage", Errors) says
 * that it is safe to repeat a request after a 5xx, preferably with a delay.
 */
import { byStatusAndCode, forMessage, forNow, forProvider, type ProviderError } from '../provider-errors.ts'

/** The first of the errors in an answer. `parameter` names what of the request it is about. */
export type MessageBirdError = Readonly<{ code: number; parameter?: string }>

const NO_RECIPIENT = forMessage('INVALID_NUMBER', 'the recipient is not a valid number')
const BAD_SENDER = forProvider('INVALID_SENDER_ID', 'the sender is not valid or not allowed')

/** By code. */
export const MESSAGEBIRD_ERRORS: ReadonlyMap<number, ProviderError> = new Map<number, ProviderError>([
  [2, forProvider('AUTHENTICATION_FAILED', 'MessageBird does not accept the access key, or our address')],
  [9, NO_RECIPIENT],
  [10, forMessage('MESSAGE_REJECTED', 'MessageBird takes something in the request for invalid')],
  [20, forMessage('MESSAGE_REJECTED', 'MessageBird does not find what the request is about')],
  [21, forMessage('MESSAGE_REJECTED', 'MessageBird does not understand the request')],
  [25, forProvider('INSUFFICIENT_FUNDS', 'the balance of the account is too low')],
  [98, forProvider('ENDPOINT_NOT_FOUND', 'MessageBird does not know the address that was called')],
  [99, forNow('INTERNAL_ERROR', 'MessageBird failed')],
])

const BY_PARAMETER = new Map<string, ProviderError>([
  ['originator', BAD_SENDER],
  ['recipient', NO_RECIPIENT],
  ['recipients', NO_RECIPIENT],
])

/** Codes that find fault with the request, and say with what part of it. */
const ABOUT_A_PARAMETER = new Set([9, 10, 21])

/** Total: any status and any error, or none, mean something. */
export function toMessageBirdError(status: number, error: MessageBirdError | undefined): ProviderError {
  if (error === undefined) return byStatusAndCode(status, undefined)
  const { code, parameter = '' } = error
  const part = ABOUT_A_PARAMETER.has(code) ? BY_PARAMETER.get(parameter) : undefined
  return byStatusAndCode(status, part ?? MESSAGEBIRD_ERRORS.get(code), `MESSAGEBIRD_${code}`)
}

export type Reason = Readonly<{ code: string; detail: string }>

const UNKNOWN_NUMBER: Reason = { code: 'INVALID_NUMBER', detail: 'the network does not know the subscriber' }
const UNREACHABLE: Reason = { code: 'UNREACHABLE', detail: 'the handset is off or out of reach' }
const NETWORK: Reason = { code: 'CARRIER_ERROR', detail: 'the network failed' }
const BARRED: Reason = { code: 'NUMBER_BLOCKED', detail: 'the network does not let the subscriber receive it' }
const FAILED: Reason = { code: 'DELIVERY_FAILED', detail: 'MessageBird does not say why' }

/** By the `statusReason`, in small letters. */
const BY_REASON = new Map<string, Reason>([
  ['unknown subscriber', UNKNOWN_NUMBER],
  ['unavailable subscriber', UNREACHABLE],
  ['received network error', NETWORK],
  ['expired', { code: 'EXPIRED', detail: 'the validity period ended before the message was sent' }],
  ['dlr not received', { code: 'RECEIPT_MISSING', detail: 'the network did not report on the message' }],
  ['opted out', { code: 'OPTED_OUT', detail: 'the recipient wants no messages from this sender' }],
  ['carrier rejected', { code: 'MESSAGE_REJECTED', detail: 'a carrier refused the message' }],
  ['insufficient balance', { code: 'INSUFFICIENT_FUNDS', detail: 'the balance of the account is too low' }],
  ['generation error', { code: 'INTERNAL_ERROR', detail: 'MessageBird could not make the message' }],
])

/** By the `statusErrorCode`, which follows those of GSM MAP. */
const BY_CODE = new Map<number, Reason>([
  ...[1, 5].map((code) => [code, UNKNOWN_NUMBER] as const),
  ...[9, 11, 12, 13, 21].map((code) => [code, BARRED] as const),
  ...[6, 27, 31, 32, 33].map((code) => [code, UNREACHABLE] as const),
  ...[34, 35, 36].map((code) => [code, NETWORK] as const),
])

/** Why a message failed that MessageBird had taken. */
export const toMessageBirdReason = (reason: string | undefined, code: number | undefined): Reason =>
  BY_REASON.get(reason?.toLowerCase() ?? '') ?? (code === undefined ? undefined : BY_CODE.get(code)) ?? FAILED
