/**
 * Encodes and decodes PDUs with the package `smpp`, and adds types.
 *
 * The package decodes texts and times, and fails on what some SMSCs write there: in GSM 03.38 the underscore of a
 * message id becomes a §. We disable that and keep octets.
 *
 * It also reads an optional C-string to the next NUL, beyond its length if an SMSC omits the NUL. We read the one that we
 * need by its length.
 */
import { createRequire } from 'node:module'

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

export type BindFields = Readonly<{
  system_id: string
  password: string
  system_type: string
  interface_version: number
}>

/** The fields of received PDUs that we read. Any may be missing, whatever the protocol says. */
export type ReceivedFields = Readonly<{
  message_id?: string
  esm_class?: number
  data_coding?: number
  short_message?: Buffer
  message_payload?: Buffer
  receipted_message_id?: string
  message_state?: number
  network_error_code?: Buffer
}>

/** Of an unreadable PDU only the header is known. */
export type Pdu = Readonly<{
  command: string
  isResponse: boolean
  status: number
  sequence: number
  isReadable: boolean
  fields: ReceivedFields
}>

export const HEAD_OCTETS = 16
export const MAX_OCTETS = 64 * 1024
/** Set in the command ids of responses. */
const RESPONSE = 0x80000000

type Package = typeof import('smpp') & Pick<typeof import('smpp/lib/defs.js'), 'commandsById'>
let loaded: Package | undefined

/** Loaded on first use: it has 12 MB of encodings, and most gateways have no SMSC. */
export function smppPackage(): Package {
  loaded ??= load(createRequire(import.meta.url))
  return loaded
}

function load(require: NodeJS.Require): Package {
  const smpp = require('smpp') as typeof import('smpp')
  const { commandsById, tlvs } = require('smpp/lib/defs.js') as typeof import('smpp/lib/defs.js')
  smpp.PDU.maxLength = MAX_OCTETS
  smpp.PDU.prototype._filter = () => undefined
  tlvs.receipted_message_id.type = { ...tlvs.receipted_message_id.type, read: readString }
  return { ...smpp, commandsById }
}

/** Ends at its length, or at an earlier NUL. */
function readString(buffer: Buffer, offset: number, length: number): string {
  const [string = ''] = buffer.toString('latin1', offset, offset + length).split('\0', 1)
  return string
}

export type Fields = SubmitFields | BindFields | Readonly<{ message_id: string }> | Readonly<Record<string, never>>

/** A PDU with a non-zero status has no body. */
export function toOctets(command: string, sequence: number, status = 0, fields: Fields = {}): Buffer {
  const { PDU } = smppPackage()
  return new PDU(command, { ...fields, command_status: status, sequence_number: sequence }).toBuffer()
}

/** `frame` is exactly one PDU. */
export function toPdu(frame: Buffer): Pdu {
  const id = frame.readUInt32BE(4)
  const header = { isResponse: id >= RESPONSE, status: frame.readUInt32BE(8), sequence: frame.readUInt32BE(12) }
  const { PDU, commandsById } = smppPackage()
  try {
    const pdu = new PDU(frame)
    return { ...header, command: pdu.command, isReadable: true, fields: pdu as ReceivedFields }
  } catch {
    const command = commandsById[id]?.command ?? 'unknown'
    return { ...header, command, isReadable: false, fields: {} }
  }
}
