/**
 * What the status of an SMPP response means (SMPP v3.4, 5.1.3). Anything but ESME_ROK says that the request failed, and
 * a submit_sm_resp then names no message (4.4.2): it is a refusal, never doubt. The same goes for a generic_nack, by
 * which an SMSC tells that it could not even make out the request (4.3.1). Statuses from 0x400 on are each SMSC's own,
 * so an operator says what they mean there.
 */
import { type Deferral, forMessage, forNow, forProvider, type Rejection, TOO_FAST } from '../provider-errors.ts'

export type SmppError = Rejection | Deferral

/** Whom a status blames, or that the message may come again later. */
export type StatusMeaning = 'message' | 'provider' | 'later'

/** What an operator knows better than the table, by the status. */
export type StatusOverrides = Readonly<Record<number, StatusMeaning>>

const THROTTLED = 0x58
const QUEUE_FULL = 0x14

/** The SMSC finds fault with how we speak; another may not. */
const fault = (what: string): Rejection => forProvider('PROTOCOL_ERROR', `the SMSC finds fault with ${what}`)
const rejected = (why: string): Rejection => forMessage('MESSAGE_REJECTED', why)
const badAddress = (what: string): Rejection => forProvider('INVALID_ADDRESS_TYPE', `the SMSC does not accept ${what}`)
const notAllowed = (why: string): Rejection => forProvider('NOT_ALLOWED', why)
const badLogin = (what: string): Rejection =>
  forProvider('AUTHENTICATION_FAILED', `the SMSC does not accept the ${what}`)

/** By command_status. */
export const SMPP_ERRORS: ReadonlyMap<number, SmppError> = new Map<number, SmppError>([
  [0x01, fault('the length of the text')],
  [0x02, fault('the length of a command')],
  [0x03, fault('a command it does not know')],
  [0x04, forNow('NOT_BOUND', 'the SMSC does not take the session for bound')],
  [0x05, forNow('ALREADY_BOUND', 'the SMSC takes the session for bound already')],
  [0x06, fault('the priority')],
  [0x07, fault('the wish for receipts')],
  [0x08, forNow('INTERNAL_ERROR', 'the SMSC failed')],
  [0x0a, forProvider('INVALID_SENDER_ID', 'the sender is not valid or not allowed')],
  [0x0b, forMessage('INVALID_NUMBER', 'the recipient is not a valid number')],
  [0x0c, rejected('the SMSC does not know the message that is meant')],
  [0x0d, forNow('BIND_FAILED', 'the SMSC does not take the session')],
  [0x0e, badLogin('password')],
  [0x0f, badLogin('system id')],
  [0x11, rejected('the message could not be cancelled')],
  [0x13, rejected('the message could not be replaced')],
  [QUEUE_FULL, forNow('QUEUE_FULL', 'too many messages wait at the SMSC')],
  [0x15, forProvider('INVALID_SERVICE_TYPE', 'the SMSC does not know the service type')],
  [0x33, fault('the number of recipients')],
  [0x34, fault('a distribution list')],
  [0x40, fault('the kind of recipient')],
  [0x42, fault('a replacement')],
  [0x43, fault('the class of the message')],
  [0x44, fault('a distribution list')],
  [0x45, forNow('SUBMIT_FAILED', 'the SMSC did not take the message and does not say why')],
  [0x48, badAddress('the type of number of the sender')],
  [0x49, badAddress('the numbering plan of the sender')],
  [0x50, badAddress('the type of number of the recipient')],
  [0x51, badAddress('the numbering plan of the recipient')],
  [0x53, badLogin('system type')],
  [0x54, rejected('the SMSC finds fault with a replacement')],
  [0x55, rejected('the SMSC finds fault with the number of messages')],
  [THROTTLED, TOO_FAST],
  [0x61, fault('the time of delivery')],
  [0x62, fault('the validity period')],
  [0x63, fault('a text of its own')],
  [0x64, forNow('RECEIVER_ERROR', 'the receiving side cannot take the message for now')],
  [0x65, rejected('the receiving side does not take the message')],
  [0x66, rejected('the receiving side refuses the message')],
  [0x67, forNow('QUERY_FAILED', 'the SMSC could not look for the message')],
  [0xc0, fault('the optional fields')],
  [0xc1, fault('an optional field it does not allow')],
  [0xc2, fault('the length of an optional field')],
  [0xc3, fault('an optional field it misses')],
  [0xc4, fault('the value of an optional field')],
  [0xfe, forMessage('DELIVERY_FAILED', 'the SMSC could not deliver the message')],
  [0xff, forNow('UNKNOWN_ERROR', 'the SMSC does not know itself why')],
  [0x100, notAllowed('the account may not use this service type')],
  [0x101, notAllowed('the account may not do this')],
  [0x102, forNow('SERVICE_UNAVAILABLE', 'the service type is not available')],
  [0x103, notAllowed('the service type is denied')],
  [0x104, forProvider('INVALID_DATA_CODING', 'the SMSC does not know the encoding of the text')],
])

/** Total: any status means something; undefined is success. */
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

const unlisted = (status: number): Rejection =>
  forProvider(`SMPP_0X${status.toString(16).toUpperCase()}`, 'the SMSC refused with a status that is not listed here')

/** Too much at once: the whole link has to slow down, and the same part may go again. */
export const isThrottling = (status: number): boolean => status === THROTTLED || status === QUEUE_FULL
