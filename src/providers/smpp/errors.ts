/**
 * The statuses of SMPP responses (SMPP v3.4, 5.1.3). Any status but ESME_ROK says that the request failed, and then a
 * submit_sm_resp has no message id (4.4.2): it is a rejection, never an unknown outcome. The same applies to a
 * generic_nack, which says that the SMSC could not decode the request (4.3.1). Statuses from 0x400 are specific to each
 * SMSC; the operator can define their meaning in the settings.
 */
import { type Deferral, forMessage, forNow, forProvider, type Rejection, TOO_FAST } from '../provider-errors.ts'

export type SmppError = Rejection | Deferral

/** Who is at fault, or `later` for a retry. */
export type StatusMeaning = 'message' | 'provider' | 'later'

/** The operator's meanings, by status. */
export type StatusOverrides = Readonly<Record<number, StatusMeaning>>

const THROTTLED = 0x58
const QUEUE_FULL = 0x14

/** Another SMSC may accept it. */
const invalid = (what: string): Rejection => forProvider('PROTOCOL_ERROR', `the SMSC says ${what} is invalid`)
const rejected = (detail: string): Rejection => forMessage('MESSAGE_REJECTED', detail)
const badAddress = (what: string): Rejection => forProvider('INVALID_ADDRESS_TYPE', `the SMSC says ${what} is invalid`)
const notAllowed = (detail: string): Rejection => forProvider('NOT_ALLOWED', detail)
const badLogin = (what: string): Rejection => forProvider('AUTHENTICATION_FAILED', `the SMSC rejected the ${what}`)

/** By command_status. */
export const SMPP_ERRORS: ReadonlyMap<number, SmppError> = new Map<number, SmppError>([
  [0x01, invalid('the message length')],
  [0x02, invalid('the command length')],
  [0x03, invalid('the command id')],
  [0x04, forNow('NOT_BOUND', 'the SMSC says the session is not bound')],
  [0x05, forNow('ALREADY_BOUND', 'the SMSC says the session is already bound')],
  [0x06, invalid('the priority flag')],
  [0x07, invalid('the registered delivery flag')],
  [0x08, forNow('INTERNAL_ERROR', 'the SMSC had a system error')],
  [0x0a, forProvider('INVALID_SENDER_ID', 'the SMSC says the sender is invalid')],
  [0x0b, forMessage('INVALID_NUMBER', 'the SMSC says the recipient is not a valid number')],
  [0x0c, rejected('the SMSC says the message id is invalid')],
  [0x0d, forNow('BIND_FAILED', 'the SMSC refused the bind')],
  [0x0e, badLogin('password')],
  [0x0f, badLogin('system id')],
  [0x11, rejected('the SMSC could not cancel the message')],
  [0x13, rejected('the SMSC could not replace the message')],
  [QUEUE_FULL, forNow('QUEUE_FULL', "the SMSC's message queue is full")],
  [0x15, forProvider('INVALID_SERVICE_TYPE', 'the SMSC says the service type is invalid')],
  [0x33, invalid('the number of destinations')],
  [0x34, invalid('the distribution list name')],
  [0x40, invalid('the destination flag')],
  [0x42, invalid('the submit with replace')],
  [0x43, invalid('the esm_class')],
  [0x44, forProvider('PROTOCOL_ERROR', 'the SMSC cannot submit to a distribution list')],
  [0x45, forNow('SUBMIT_FAILED', 'the SMSC could not submit the message')],
  [0x48, badAddress("the sender's type of number")],
  [0x49, badAddress("the sender's numbering plan")],
  [0x50, badAddress("the recipient's type of number")],
  [0x51, badAddress("the recipient's numbering plan")],
  [0x53, badLogin('system type')],
  [0x54, rejected('the SMSC says the replace flag is invalid')],
  [0x55, rejected('the SMSC says the number of messages is invalid')],
  [THROTTLED, TOO_FAST],
  [0x61, invalid('the scheduled delivery time')],
  [0x62, invalid('the validity period')],
  [0x63, invalid('the predefined message id')],
  [0x64, forNow('RECEIVER_ERROR', 'the SMSC reported a temporary error of the receiver')],
  [0x65, rejected('the SMSC reported a permanent error of the receiver')],
  [0x66, rejected('the receiver rejected the message')],
  [0x67, forNow('QUERY_FAILED', 'the SMSC could not query the message')],
  [0xc0, invalid('the optional part of the PDU')],
  [0xc1, forProvider('PROTOCOL_ERROR', 'the SMSC does not allow an optional parameter')],
  [0xc2, invalid('the length of an optional parameter')],
  [0xc3, forProvider('PROTOCOL_ERROR', 'the SMSC says an optional parameter is missing')],
  [0xc4, invalid('the value of an optional parameter')],
  [0xfe, forMessage('DELIVERY_FAILED', 'the SMSC could not deliver the message')],
  [0xff, forNow('UNKNOWN_ERROR', 'the SMSC reported an unknown error')],
  [0x100, notAllowed('the SMSC does not authorise the account for this service type')],
  [0x101, notAllowed('the SMSC prohibits this operation for the account')],
  [0x102, forNow('SERVICE_UNAVAILABLE', 'the SMSC says the service type is unavailable')],
  [0x103, notAllowed('the SMSC denied the service type')],
  [0x104, forProvider('INVALID_DATA_CODING', 'the SMSC says the data coding is invalid')],
])

/** Total: every status has a meaning; undefined is success. */
export function toSmppError(status: number, overrides: StatusOverrides = {}): SmppError | undefined {
  if (status === 0) return undefined
  const listed = SMPP_ERRORS.get(status) ?? unlisted(status)
  const meaning = overrides[status]
  return meaning === undefined ? listed : withMeaning(listed, meaning)
}

function withMeaning({ code, detail }: SmppError, meaning: StatusMeaning): SmppError {
  switch (meaning) {
    case 'message':
      return forMessage(code, detail)
    case 'provider':
      return forProvider(code, detail)
    case 'later':
      return forNow(code, detail)
  }
}

/** The status as the specification writes it: `0x58`. */
export const originalCodeOf = (status: number): string => `0x${status.toString(16)}`

const unlisted = (status: number): Rejection =>
  forProvider(`SMPP_0X${status.toString(16).toUpperCase()}`, `the SMSC answered with status ${originalCodeOf(status)}`)

/** Whether everything sent to this SMSC must slow down; the part is submitted again. */
export const isThrottling = (status: number): boolean => status === THROTTLED || status === QUEUE_FULL
