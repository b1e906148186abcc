/**
 * A message as the submits that carry it, one for each part. An SMSC takes numbers without the plus sign,
 * and wants to be told what kind of sender it has before it: a number, a short code or a name.
 */

import type { Instant } from '../../lib/time.ts'
import type { SmsAttempt } from '../../ports/provider.ts'
import { forProvider, type Rejection } from '../provider-errors.ts'
import { EXPIRED } from '../validity.ts'
import { type Alphabet, toParts } from './parts.ts'
import type { SubmitFields } from './pdu.ts'
import type { References } from './references.ts'
import { toValidity } from './validity-period.ts'

export const LONG_MESSAGES = ['udh', 'sar', 'payload'] as const
type LongMessages = (typeof LONG_MESSAGES)[number]

/** How a connector writes messages. */
export type Style = Readonly<{
  longMessages: LongMessages
  /** What the SMSC takes octets for where we name no encoding. */
  alphabet: Exclude<Alphabet, 'ucs2'>
  serviceType: string
  sender?: string
  sourceTon?: number
  sourceNpi?: number
  destTon?: number
  destNpi?: number
}>

const FINAL_RECEIPT = 1
const WITH_HEADER = 0x40
const DEFAULT_ALPHABET = 0x00
const UCS2 = 0x08
/** Shown at once, and not kept. */
const CLASS_0 = 0x10

const NO_SUCH_SENDER = forProvider('INVALID_SENDER_ID', 'SMPP takes senders of 1 to 20 ASCII characters only')
const NOT_IN_LATIN1 = forProvider(
  'INVALID_DATA_CODING',
  'Latin-1 lacks a character of the message, and in UCS-2 it would take more parts than its sender was told',
)

/** What is asked of the SMSC, or why it is not even asked. */
export function toSubmits(
  style: Style,
  attempt: SmsAttempt,
  now: Instant,
  references: References,
): readonly SubmitFields[] | Rejection {
  const { content, expiresAt } = attempt
  const source = toSource(style, content.from ?? style.sender ?? '')
  const validity = expiresAt === undefined ? '' : toValidity(now, expiresAt)
  if (source === undefined) return NO_SUCH_SENDER
  if (validity === undefined) return EXPIRED
  const coded = toCoded(style, attempt)
  if (coded === undefined) return NOT_IN_LATIN1
  const { parts, coding } = coded
  const recipient = content.to.replace(/^\+/, '')
  const common = {
    service_type: style.serviceType,
    ...source,
    dest_addr_ton: style.destTon ?? 1,
    dest_addr_npi: style.destNpi ?? 1,
    destination_addr: recipient,
    esm_class: 0,
    validity_period: validity,
    registered_delivery: FINAL_RECEIPT,
    data_coding: coding | (content.kind === 'flash_sms' ? CLASS_0 : 0),
  }
  return join(style.longMessages, parts, () => references.next(recipient)).map((text) => ({ ...common, ...text }))
}

type Source = Pick<SubmitFields, 'source_addr' | 'source_addr_ton' | 'source_addr_npi'>

/** Without a sender the SMSC puts in what our account has. */
function toSource({ sourceTon, sourceNpi }: Style, sender: string): Source | undefined {
  if (!/^[\x20-\x7e]{0,20}$/.test(sender)) return undefined
  const [ton, npi] = kindOf(sender)
  return {
    source_addr: sender.replace(/^\+(?=\d+$)/, ''),
    source_addr_ton: sourceTon ?? ton,
    source_addr_npi: sourceNpi ?? npi,
  }
}

/** Type of number and numbering plan. */
function kindOf(sender: string): readonly [number, number] {
  if (sender === '') return [0, 0]
  if (/^\d{1,8}$/.test(sender)) return [3, 0]
  return /^\+?\d+$/.test(sender) ? [1, 1] : [5, 0]
}

type Coded = Readonly<{ parts: readonly Uint8Array[]; coding: number }>

/** Undefined where it would take more parts than its sender was told. */
function toCoded({ alphabet }: Style, { content, encoding, segments }: SmsAttempt): Coded | undefined {
  const { body } = content
  const parts = encoding === 'gsm7' ? toParts(body, alphabet) : undefined
  if (parts !== undefined) return { parts, coding: DEFAULT_ALPHABET }
  // Some of GSM 03.38 is not in Latin-1.
  const wide = toParts(body, 'ucs2')
  return wide.length > segments ? undefined : { parts: wide, coding: UCS2 }
}

type Text = Readonly<Pick<SubmitFields, 'short_message'> & Partial<SubmitFields>>

function join(how: LongMessages, parts: readonly Uint8Array[], reference: () => number): readonly Text[] {
  if (parts.length <= 1) return [{ short_message: Buffer.concat(parts) }]
  // The SMSC cuts it itself.
  if (how === 'payload') return [{ short_message: Buffer.alloc(0), message_payload: Buffer.concat(parts) }]
  const number = reference()
  const total = parts.length
  return parts.map((part, place) =>
    how === 'udh'
      ? { short_message: Buffer.concat([toHeader(number, total, place), part]), esm_class: WITH_HEADER }
      : {
          short_message: Buffer.from(part),
          sar_msg_ref_num: number,
          sar_total_segments: total,
          sar_segment_seqnum: place + 1,
        },
  )
}

/** A header of five octets: element 0, three octets long: the reference, how many parts, and which this is. */
const toHeader = (reference: number, total: number, place: number): Buffer =>
  Buffer.from([5, 0, 3, reference, total, place + 1])
