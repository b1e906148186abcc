/** Writes a receipt octet by octet, in forms that SMSCs use and no library writes. */

/** The tag of an optional field and its raw value. */
export type Tlv = readonly [tag: number, value: string]

const DELIVER_SM = 5
const HEAD_OCTETS = 16
const RECEIPT = 0x04

export function toDelivery(text: string, tlvs: readonly Tlv[]): Buffer {
  const octets = Buffer.from(text, 'latin1')
  const body = Buffer.concat([
    // No service type; two addresses, each a type, a plan and no digits.
    Buffer.from([0, 1, 1, 0, 1, 1, 0, RECEIPT]),
    // Protocol, priority, no times, no registered delivery, replacement, coding, no predefined message.
    Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, octets.length]),
    octets,
    ...tlvs.map(toOctets),
  ])
  const head = Buffer.alloc(HEAD_OCTETS)
  head.writeUInt32BE(HEAD_OCTETS + body.length, 0)
  head.writeUInt32BE(DELIVER_SM, 4)
  head.writeUInt32BE(9_999, 12)
  return Buffer.concat([head, body])
}

function toOctets([tag, value]: Tlv): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(tag, 0)
  head.writeUInt16BE(value.length, 2)
  return Buffer.concat([head, Buffer.from(value, 'latin1')])
}
