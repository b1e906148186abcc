/** The parts of a message: what is sealed of each, and the message that they make. */
import type { Lane } from '../../domain/message/message.ts'
import type { SmppAddress } from '../../domain/message/receipt-request.ts'
import { type Instant, instant } from '../../lib/time.ts'
import { STATUS } from './pdu.ts'
import { Answered } from './statuses.ts'
import { type Draft, decode } from './submission.ts'
import { codingOf } from './texts.ts'

export type PartContent = Readonly<{
  octets: Buffer
  coding: number
  source: SmppAddress
  destination: SmppAddress
  registered: number
  lane: Lane
  expiresAt: Instant | undefined
  /** The id that receipts name, if it is not the message's own. */
  receiptId?: string
}>

export const sealPart = ({ octets, ...rest }: PartContent): string =>
  JSON.stringify({ ...rest, octets: octets.toString('base64') })

export function openPart(text: string): PartContent {
  const { octets, expiresAt, ...rest } = JSON.parse(text)
  return { ...rest, expiresAt: expiresAt && instant(expiresAt), octets: Buffer.from(octets, 'base64') }
}

/** The terms of the first part count; receipts are owed for each. Parts may be cut within a character. */
export function toJointDraft(parts: readonly PartContent[], key: string): Draft {
  const [first] = parts
  const coding = codingOf(first?.coding ?? 0)
  if (first === undefined || coding === undefined) throw new Answered(STATUS.invalidDataCoding)
  const isUniform = parts.every((part) => part.coding === first.coding)
  const { source, destination, lane, expiresAt, receiptId } = first
  const text = isUniform
    ? decode(Buffer.concat(parts.map(({ octets }) => octets)), coding)
    : parts.map(({ octets, coding: one }) => decode(octets, codingOf(one) ?? coding)).join('')
  return {
    ...{ source, destination, text, isFlash: coding.isFlash, lane, expiresAt },
    idempotencyKey: key,
    receipt: {
      registered: parts.map(({ registered }) => registered),
      ...(receiptId === undefined ? {} : { id: receiptId }),
    },
  }
}
