/** Decodes submits as a phone would: concatenates the parts and decodes the octets. */
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

type Part = Readonly<{ submit: SubmitFields; key: string; index: number; total: number; octets: Buffer }>

const WITH_HEADER = 0x40
const ALPHABET = 0x0c
const UCS2 = 0x08
const CLASS_0 = 0x10

/** Only complete messages, in the order of their first parts. */
export function toMessages(submits: readonly SubmitFields[], alphabet: 'gsm7' | 'latin1' = 'gsm7'): SmscMessage[] {
  const parts = submits.map(toPart)
  return [...Map.groupBy(parts, ({ key }) => key).values()].flatMap((group) => {
    const [first] = group
    const indexes = new Set(group.map(({ index }) => index))
    if (first === undefined || indexes.size < first.total) return []
    const octets = group.toSorted((one, other) => one.index - other.index).map((part) => part.octets)
    // Each part is decoded alone, as a phone does: a character split across parts stays broken.
    const text = octets.map((part) => toText(part, first.submit.data_coding, alphabet)).join('')
    const { source_addr: from, destination_addr: to, data_coding: coding } = first.submit
    return [{ from, to, text, isFlash: (coding & CLASS_0) !== 0, parts: first.total, submit: first.submit }]
  })
}

let singles = 0

function toPart(submit: SubmitFields): Part {
  const { short_message: octets, message_payload: payload, destination_addr: to } = submit
  if (submit.esm_class & WITH_HEADER) {
    const end = (octets[0] ?? 0) + 1
    const [element, length, reference, total = 0, index = 0] = octets.subarray(1, end)
    if (element !== 0 || length !== 3)
      throw new Error('the header is not a concatenation header with an 8-bit reference')
    return { submit, key: `udh ${to} ${reference} ${total}`, index, total, octets: octets.subarray(end) }
  }
  if (submit.sar_msg_ref_num !== undefined) {
    const { sar_msg_ref_num: number, sar_total_segments: total = 0, sar_segment_seqnum: index = 0 } = submit
    return { submit, key: `sar ${to} ${number} ${total}`, index, total, octets }
  }
  singles += 1
  return { submit, key: `single ${singles}`, index: 1, total: 1, octets: payload ?? octets }
}

function toText(octets: Buffer, coding: number, alphabet: 'gsm7' | 'latin1'): string {
  if ((coding & ALPHABET) === UCS2) return new TextDecoder('utf-16be', { fatal: true }).decode(octets)
  return alphabet === 'latin1' ? octets.toString('latin1') : gsmCoder.decode(octets, 0)
}
