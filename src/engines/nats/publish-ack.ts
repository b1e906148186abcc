/** Reads the answer to a publish. Parsing it as JSON would take longer than everything else about a reply. */

const SEQ = Buffer.from('"seq":')
const END = '}'.charCodeAt(0)
const ZERO = '0'.charCodeAt(0)
/** The third byte of `{"stream"`; errors begin with `{"error"`. */
const S = 's'.charCodeAt(0)

/** The sequence in `{"stream":"…","seq":1}`; undefined for any other answer, such as an error or one with more fields. */
export function readSequence(ack: Uint8Array): number | undefined {
  if (ack[2] !== S || ack[ack.length - 1] !== END) return undefined
  let seq = 0
  let at = ack.length - 2
  for (let unit = 1; ; unit *= 10) {
    const digit = (ack[at] ?? 0) - ZERO
    if (digit < 0 || digit > 9) break
    seq += digit * unit
    at -= 1
  }
  return seq > 0 && endsWithSeq(ack, at) ? seq : undefined
}

/** Whether `"seq":` is what precedes the digits. */
const endsWithSeq = (ack: Uint8Array, at: number): boolean =>
  SEQ.every((byte, index) => ack[at - SEQ.length + 1 + index] === byte)
