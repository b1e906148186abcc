/** A message as submit_sm PDUs, one per part. An SMSC expects numbers without the plus sign, and the sender's type. */
import type { Instant } from '../../lib/time.ts'
import type { SmsAttempt } from '../../ports/provider.ts'
import { EXPIRED, forProvider, type Rejection } from '../provider-errors.ts'
import type { ConcatenationReferences } from './concatenation-references.ts'
import { type Alphabet, toParts } from './parts.ts'
import type { SubmitFields } from './pdu.ts'

export const LONG_MESSAGES = ['udh', 'sar', 'payload'] as const
type LongMessages = (typeof LONG_MESSAGES)[number]

/** How a provider writes messages. */
export type Style = Readonly<{
  longMessages: LongMessages
  /** The SMSC's default alphabet. */
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
/** Flash: displayed at once and not stored. */
const CLASS_0 = 0x10

const INVALID_SENDER = forProvider('INVALID_SENDER_ID', 'SMPP allows only senders of 1 to 20 ASCII characters')
const NOT_IN_LATIN1 = forProvider(
  'INVALID_DATA_CODING',
  'the message has a character that is not in Latin-1, and in UCS-2 it would need more segments',
)

/** The submits, or why there are none. */
export function toSubmits(
  style: Style,
  attempt: SmsAttempt,
  now: Instant,
  references: ConcatenationReferences,
): readonly SubmitFields[] | Rejection {
  const { content, expiresAt } = attempt
  const source = toSource(style, content.from ?? style.sender ?? '')
  const validity = expiresAt === undefined ? '' : toValidityPeriod(now, expiresAt)
  if (source === undefined) return INVALID_SENDER
  if (validity === undefined) return EXPIRED
  const encoded = encode(style, attempt)
  if (encoded === undefined) return NOT_IN_LATIN1
  const { parts, coding } = encoded
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
  return concatenate(style.longMessages, parts, () => references.next(recipient)).map((text) => ({
    ...common,
    ...text,
  }))
}

const SECONDS_PER_DAY = 24 * 60 * 60
/** Two digits of days. Months vary in length, so they are not used. */
const MAX_VALIDITY_SECONDS = 99 * SECONDS_PER_DAY

/**
 * The time that is left, as `YYMMDDhhmmss000R`; undefined if it is over. It is relative, because the SMSC's clock may
 * differ from ours. Less than a second counts as one.
 */
export function toValidityPeriod(from: Instant, until: Instant): string | undefined {
  if (until <= from) return undefined
  const left = Math.min(MAX_VALIDITY_SECONDS, Math.max(1, Math.floor((until - from) / 1000)))
  const [days, hours, minutes] = [left / SECONDS_PER_DAY, (left / 3600) % 24, (left / 60) % 60]
  return `0000${[days, hours, minutes, left % 60].map(twoDigits).join('')}000R`
}

const twoDigits = (value: number): string => String(Math.floor(value)).padStart(2, '0')

type Source = Pick<SubmitFields, 'source_addr' | 'source_addr_ton' | 'source_addr_npi'>

/** Without a sender the SMSC uses the account's default. */
function toSource({ sourceTon, sourceNpi }: Style, sender: string): Source | undefined {
  if (!/^[\x20-\x7e]{0,20}$/.test(sender)) return undefined
  const [ton, npi] = typeOf(sender)
  return {
    source_addr: sender.replace(/^\+(?=\d+$)/, ''),
    source_addr_ton: sourceTon ?? ton,
    source_addr_npi: sourceNpi ?? npi,
  }
}

/** Type of number and numbering plan. */
function typeOf(sender: string): readonly [number, number] {
  if (sender === '') return [0, 0]
  if (/^\d{1,8}$/.test(sender)) return [3, 0]
  return /^\+?\d+$/.test(sender) ? [1, 1] : [5, 0]
}

type Encoded = Readonly<{ parts: readonly Uint8Array[]; coding: number }>

/** Undefined if it would need more parts than the `segments` that we reported to the sender. */
function encode({ alphabet }: Style, { content, encoding, segments }: SmsAttempt): Encoded | undefined {
  const { body } = content
  const parts = encoding === 'gsm7' ? toParts(body, alphabet) : undefined
  if (parts !== undefined) return { parts, coding: DEFAULT_ALPHABET }
  // Some characters of GSM 03.38 are not in Latin-1.
  const wide = toParts(body, 'ucs2')
  return wide.length > segments ? undefined : { parts: wide, coding: UCS2 }
}

type Text = Readonly<Pick<SubmitFields, 'short_message'> & Partial<SubmitFields>>

function concatenate(how: LongMessages, parts: readonly Uint8Array[], reference: () => number): readonly Text[] {
  if (parts.length <= 1) return [{ short_message: Buffer.concat(parts) }]
  // The SMSC splits it.
  if (how === 'payload') return [{ short_message: Buffer.alloc(0), message_payload: Buffer.concat(parts) }]
  const number = reference()
  const total = parts.length
  return parts.map((part, index) =>
    how === 'udh'
      ? { short_message: Buffer.concat([toHeader(number, total, index), part]), esm_class: WITH_HEADER }
      : {
          short_message: Buffer.from(part),
          sar_msg_ref_num: number,
          sar_total_segments: total,
          sar_segment_seqnum: index + 1,
        },
  )
}

/** A user data header of five octets: element 0, three octets long: reference, number of parts, and number of this part. */
const toHeader = (reference: number, total: number, index: number): Buffer =>
  Buffer.from([5, 0, 3, reference, total, index + 1])
