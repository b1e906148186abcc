/** Delivery receipts as deliver_sm: the customary text, and the same in optional parameters. They never quote the message. */
import type { Owed, ReceiptState, SmppAddress } from '../../domain/message/receipt-request.ts'
import type { Instant } from '../../lib/time.ts'
import { cString, STATUS, TAGS, toBody, toOptional } from './pdu.ts'
import { toReceiptTime } from './times.ts'

export type Receipt = Readonly<{
  owed: Owed
  /** The id that submit_sm was answered with. */
  id: string
  /** Of the message: the receipt travels the other way. */
  source: SmppAddress
  destination: SmppAddress
  state: ReceiptState
  submittedAt: Instant
  doneAt: Instant
}>

/** `error` is what `err:` says, where it says anything but zero: which of our states it is, as networks number theirs differently. */
const STATES: Readonly<Record<ReceiptState, Readonly<{ number: number; error: number }>>> = {
  ENROUTE: { number: 1, error: 0 },
  DELIVRD: { number: 2, error: 0 },
  EXPIRED: { number: 3, error: 2 },
  UNDELIV: { number: 5, error: 1 },
  ACCEPTD: { number: 6, error: 0 },
  UNKNOWN: { number: 7, error: 4 },
  REJECTD: { number: 8, error: 3 },
}
export const messageStateOf = (state: ReceiptState): number => STATES[state].number

const RECEIPT = 0x04
const INTERMEDIATE = 0x20
/** Of network_error_code: the error is the message center's own. */
const MESSAGE_CENTER = 8

export function toDeliver({ owed, id, source, destination, state, submittedAt, doneAt }: Receipt): Buffer {
  const { number, error } = STATES[state]
  const isDelivered = state === 'DELIVRD'
  const text = [
    `id:${id} sub:001 dlvrd:${isDelivered ? '001' : '000'} submit date:${toReceiptTime(submittedAt)}`,
    `done date:${toReceiptTime(doneAt)} stat:${state} err:${String(error).padStart(3, '0')} text:`,
  ].join(' ')
  const short = Buffer.from(text, 'latin1')
  return toBody(
    '',
    ...[destination.ton, destination.npi, destination.address],
    ...[source.ton, source.npi, source.address],
    // esm_class, protocol_id, priority_flag, two times, and the flags and codings of a message that is for the client.
    ...[owed === 'final' ? RECEIPT : INTERMEDIATE, 0, 0, '', '', 0, 0, 0, 0],
    short.length,
    short,
    toOptional(TAGS.receipted_message_id, cString(id)),
    toOptional(TAGS.message_state, Buffer.of(number)),
    ...(error === 0 ? [] : [toOptional(TAGS.network_error_code, Buffer.of(MESSAGE_CENTER, 0, error))]),
  )
}

/** A receipt that the client will never take is not sent again. */
const NEVER: ReadonlySet<number> = new Set([STATUS.rejected, 0x66])

export const isTaken = (status: number): boolean => status === STATUS.ok || NEVER.has(status)
