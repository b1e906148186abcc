/**
 * Finds out whether a short message is a part of a longer one: by its user data header (`UDHI` in esm_class), with an 8-bit
 * or a 16-bit reference, or by the optional parameters `sar_*`.
 */
import { numberOf } from './octet-reader.ts'
import { TAGS } from './pdu.ts'
import type { SubmitRequest } from './requests.ts'

export type PartOf = Readonly<{ reference: string; total: number; number: number }>

/** `octets` are the text without a header. */
export type Unwrapped = Readonly<{ octets: Buffer; part?: PartOf }>

const UDHI = 0x40
const JOINT_8_BIT = 0x00
const JOINT_16_BIT = 0x08

/** Undefined when the header is wrong, or is about something else, such as ports and national alphabets. */
export function unwrap(request: Pick<SubmitRequest, 'esmClass' | 'octets' | 'optionals'>): Unwrapped | undefined {
  if ((request.esmClass & UDHI) !== 0) return fromHeader(request.octets)
  const { octets, optionals } = request
  const total = numberOf(optionals, TAGS.sar_total_segments, 1)
  const number = numberOf(optionals, TAGS.sar_segment_seqnum, 1)
  const reference = numberOf(optionals, TAGS.sar_msg_ref_num, 2)
  if (total === undefined && number === undefined && reference === undefined) return { octets }
  if (total === undefined || number === undefined || reference === undefined) return undefined
  return toPart(octets, { reference: `sar ${reference}`, total, number })
}

function fromHeader(octets: Buffer): Unwrapped | undefined {
  const end = 1 + (octets[0] ?? octets.length)
  if (end > octets.length) return undefined
  const text = octets.subarray(end)
  let part: PartOf | undefined
  for (let at = 1; at < end; ) {
    const [element, length] = [octets[at], octets[at + 1]]
    if (element === undefined || length === undefined || at + 2 + length > end) return undefined
    const value = octets.subarray(at + 2, at + 2 + length)
    part = toReference(element, value)
    if (part === undefined) return undefined
    at += 2 + length
  }
  return part === undefined ? { octets: text } : toPart(text, part)
}

function toReference(element: number, value: Buffer): PartOf | undefined {
  const octets = element === JOINT_8_BIT ? 1 : element === JOINT_16_BIT ? 2 : 0
  if (octets === 0 || value.length !== octets + 2) return undefined
  const [total = 0, number = 0] = value.subarray(octets)
  return { reference: `${octets} ${value.readUIntBE(0, octets)}`, total, number }
}

/** A message of one part is a whole message. */
function toPart(octets: Buffer, part: PartOf): Unwrapped | undefined {
  if (part.number < 1 || part.number > part.total) return undefined
  return part.total === 1 ? { octets } : { octets, part }
}
