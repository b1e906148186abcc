/**
 * The PDUs of SMPP 3.4 as octets. Clients are not trusted, so everything is read by its bounds: a field that does not end
 * where it must makes the PDU unreadable, and nothing else happens.
 */

export const HEAD_OCTETS = 16
/** Enough for a message_payload of 64 KB, were it not refused long before. */
export const MAX_OCTETS = 68 * 1024

export const COMMANDS = {
  generic_nack: 0x80000000,
  bind_receiver: 0x01,
  bind_transmitter: 0x02,
  query_sm: 0x03,
  submit_sm: 0x04,
  deliver_sm: 0x05,
  unbind: 0x06,
  replace_sm: 0x07,
  cancel_sm: 0x08,
  bind_transceiver: 0x09,
  enquire_link: 0x15,
  submit_multi: 0x21,
  data_sm: 0x103,
} as const
export type Command = keyof typeof COMMANDS

/** Set in the ids of responses. */
export const RESPONSE = 0x80000000

const NAMES: ReadonlyMap<number, Command> = new Map(
  Object.entries(COMMANDS).map(([name, id]) => [id, name as Command] as const),
)

/** Statuses that we answer with. */
export const STATUS = {
  ok: 0x00,
  invalidMessageLength: 0x01,
  invalidCommandLength: 0x02,
  invalidCommand: 0x03,
  wrongBindState: 0x04,
  alreadyBound: 0x05,
  systemError: 0x08,
  invalidSource: 0x0a,
  invalidDestination: 0x0b,
  invalidMessageId: 0x0c,
  bindFailed: 0x0d,
  wrongPassword: 0x0e,
  cancelFailed: 0x11,
  replaceFailed: 0x13,
  queueFull: 0x14,
  invalidDestinationCount: 0x33,
  invalidListName: 0x34,
  invalidEsmClass: 0x43,
  submitFailed: 0x45,
  invalidDestinationTon: 0x50,
  throttled: 0x58,
  invalidSchedule: 0x61,
  invalidExpiry: 0x62,
  invalidDefaultMessage: 0x63,
  rejected: 0x65,
  queryFailed: 0x67,
  invalidOptional: 0xc4,
  unknownError: 0xff,
  invalidDataCoding: 0x104,
} as const
export type Status = (typeof STATUS)[keyof typeof STATUS]

/** Optional parameters. Those from 0x1400 are ours. */
export const TAGS = {
  receipted_message_id: 0x001e,
  sar_msg_ref_num: 0x020c,
  sar_total_segments: 0x020e,
  sar_segment_seqnum: 0x020f,
  sc_interface_version: 0x0210,
  network_error_code: 0x0423,
  message_payload: 0x0424,
  message_state: 0x0427,
  pombo_idempotency_key: 0x1400,
} as const

export type Header = Readonly<{
  /** Undefined for a command that we do not know. */
  command: Command | undefined
  isResponse: boolean
  status: number
  sequence: number
}>

/** `frame` has at least a header. */
export function readHeader(frame: Buffer): Header {
  const id = frame.readUInt32BE(4)
  const isResponse = id > RESPONSE
  return {
    command: NAMES.get(isResponse ? id - RESPONSE : id),
    isResponse: id >= RESPONSE,
    status: frame.readUInt32BE(8),
    sequence: frame.readUInt32BE(12),
  }
}

/** A PDU without a body, or with this one. */
export function toPdu(commandId: number, sequence: number, status: number, body?: Buffer): Buffer {
  const pdu = Buffer.allocUnsafe(HEAD_OCTETS + (body?.length ?? 0))
  pdu.writeUInt32BE(pdu.length, 0)
  pdu.writeUInt32BE(commandId, 4)
  pdu.writeUInt32BE(status, 8)
  pdu.writeUInt32BE(sequence, 12)
  if (body !== undefined) pdu.set(body, HEAD_OCTETS)
  return pdu
}

/** The octets of a body: numbers are single octets, texts are C-strings in Latin-1, buffers are as they are. */
export function toBody(...fields: readonly (number | string | Buffer)[]): Buffer {
  return Buffer.concat(
    fields.map((field) => {
      if (typeof field === 'number') return Buffer.of(field)
      return typeof field === 'string' ? Buffer.from(`${field}\0`, 'latin1') : field
    }),
  )
}

export function toOptional(tag: number, value: Buffer): Buffer {
  const head = Buffer.allocUnsafe(4)
  head.writeUInt16BE(tag, 0)
  head.writeUInt16BE(value.length, 2)
  return Buffer.concat([head, value])
}

export const cString = (text: string): Buffer => Buffer.from(`${text}\0`, 'latin1')
