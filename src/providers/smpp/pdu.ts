/**
 * The package `smpp`, with types: what an SMSC and we say to each other, to octets and back.
 *
 * It would read texts and times for us, and stumble over what some SMSCs write there; in GSM 03.38 the
 * underscore of a message id is a §. So that is taken out of it, and octets stay octets.
 *
 * It also reads an optional C-string up to the next NUL, past its length where an SMSC leaves the NUL out. The
 * one that we need is read by its length.
 */
import { createRequire } from 'node:module'

/** What a submit is made of. */
export type SubmitFields = Readonly<{
  service_type: string
  source_addr_ton: number
  source_addr_npi: number
  source_addr: string
  dest_addr_ton: number
  dest_addr_npi: number
  destination_addr: string
  esm_class: number
  validity_period: string
  registered_delivery: number
  data_coding: number
  short_message: Buffer
  message_payload?: Buffer
  sar_msg_ref_num?: number
  sar_total_segments?: number
  sar_segment_seqnum?: number
}>

/** What a bind is made of. */
export type BindFields = Readonly<{
  system_id: string
  password: string
  system_type: string
  interface_version: number
}>

/** What we read of what comes. Any of it may be missing, whatever the protocol says. */
export type HeardFields = Readonly<{
  message_id?: string
  esm_class?: number
  data_coding?: number
  short_message?: Buffer
  message_payload?: Buffer
  receipted_message_id?: string
  message_state?: number
  network_error_code?: Buffer
}>

/** Of an unreadable one only the head is known. */
export type Pdu = Readonly<{
  command: string
  isResponse: boolean
  status: number
  sequence: number
  isReadable: boolean
  fields: HeardFields
}>

export const HEAD_OCTETS = 16
export const MOST_OCTETS = 64 * 1024
/** The ids of responses have this bit. */
const RESPONSE = 0x80000000

type Package = typeof import('smpp') & Pick<typeof import('smpp/lib/defs.js'), 'commandsById'>
let loaded: Package | undefined

/** Loaded when there is the first to be written: it brings 12 MB of encodings, and most gateways have no SMSC. */
export function smppPackage(): Package {
  loaded ??= load(createRequire(import.meta.url))
  return loaded
}

function load(require: NodeJS.Require): Package {
  const smpp = require('smpp') as typeof import('smpp')
  const { commandsById, tlvs } = require('smpp/lib/defs.js') as typeof import('smpp/lib/defs.js')
  smpp.PDU.maxLength = MOST_OCTETS
  smpp.PDU.prototype._filter = () => undefined
  tlvs.receipted_message_id.type = { ...tlvs.receipted_message_id.type, read: readString }
  return { ...smpp, commandsById }
}

/** Ends with its length, or with a NUL before that. */
function readString(buffer: Buffer, offset: number, length: number): string {
  const [string = ''] = buffer.toString('latin1', offset, offset + length).split('\0', 1)
  return string
}

export type Fields = SubmitFields | BindFields | Readonly<{ message_id: string }> | Readonly<Record<string, never>>

/** One with a status other than zero has no body. */
export function toOctets(command: string, sequence: number, status = 0, fields: Fields = {}): Buffer {
  const { PDU } = smppPackage()
  return new PDU(command, { ...fields, command_status: status, sequence_number: sequence }).toBuffer()
}

/** `frame` is as long as it says itself. */
export function toPdu(frame: Buffer): Pdu {
  const id = frame.readUInt32BE(4)
  const head = { isResponse: id >= RESPONSE, status: frame.readUInt32BE(8), sequence: frame.readUInt32BE(12) }
  const { PDU, commandsById } = smppPackage()
  try {
    const pdu = new PDU(frame)
    return { ...head, command: pdu.command, isReadable: true, fields: pdu as HeardFields }
  } catch {
    const command = commandsById[id]?.command ?? 'unknown'
    return { ...head, command, isReadable: false, fields: {} }
  }
}
