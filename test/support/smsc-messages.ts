/** What a phone would show of the submits that an SMSC took: parts put together, octets read. */
import { gsmCoder } from 'smpp/lib/defs.js'
import type { SubmitFields } from '../../src/providers/smpp/pdu.ts'

export type SmscMessage = Readonly<{
  from: string
  to: string
  text: string
  isFlash: boolean
  parts: number
  submit: SubmitFields
}>

type Piece = Readonly<{ submit: SubmitFields; key: string; place: number; total: number; octets: Buffer }>

const WITH_HEADER = 0x40
const ALPHABET = 0x0c
const UCS2 = 0x08
const CLASS_0 = 0x10

/** Only what is whole, in the order of the first parts. */
export function toMessages(submits: readonly SubmitFields[], alphabet: 'gsm7' | 'latin1' = 'gsm7'): SmscMessage[] {
  const pieces = submits.map(toPiece)
  return [...Map.groupBy(pieces, ({ key }) => key).values()].flatMap((group) => {
    const [first] = group
    const places = new Set(group.map(({ place }) => place))
    if (first === undefined || places.size < first.total) return []
    const octets = group.toSorted((one, other) => one.place - other.place).map((piece) => piece.octets)
    // Each part is read on its own, as a phone does: what was cut in the middle of a character stays cut.
    const text = octets.map((part) => toText(part, first.submit.data_coding, alphabet)).join('')
    const { source_addr: from, destination_addr: to, data_coding: coding } = first.submit
    return [{ from, to, text, isFlash: (coding & CLASS_0) !== 0, parts: first.total, submit: first.submit }]
  })
}

let nextAlone = 0

function toPiece(submit: SubmitFields): Piece {
  const { short_message: octets, message_payload: payload, destination_addr: to } = submit
  if (submit.esm_class & WITH_HEADER) {
    const end = (octets[0] ?? 0) + 1
    const [element, length, reference, total = 0, place = 0] = octets.subarray(1, end)
    if (element !== 0 || length !== 3) throw new Error('a header with other than a reference of 8 bits')
    return { submit, key: `udh ${to} ${reference} ${total}`, place, total, octets: octets.subarray(end) }
  }
  if (submit.sar_msg_ref_num !== undefined) {
    const { sar_msg_ref_num: number, sar_total_segments: total = 0, sar_segment_seqnum: place = 0 } = submit
    return { submit, key: `sar ${to} ${number} ${total}`, place, total, octets }
  }
  nextAlone += 1
  return { submit, key: `alone ${nextAlone}`, place: 1, total: 1, octets: payload ?? octets }
}

function toText(octets: Buffer, coding: number, alphabet: 'gsm7' | 'latin1'): string {
  if ((coding & ALPHABET) === UCS2) return new TextDecoder('utf-16be', { fatal: true }).decode(octets)
  return alphabet === 'latin1' ? octets.toString('latin1') : gsmCoder.decode(octets, 0)
}
