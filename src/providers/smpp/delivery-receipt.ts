/**
 * A delivery receipt of an SMSC: what became of one part, and under which name. The optional fields of SMPP
 * are read first, then the customary text, of which every SMSC has a dialect. The text quotes the message,
 * so nothing of it but a short error code leaves this file.
 */
import type { PartReport } from '../../domain/message/part-reports.ts'

export type ReceiptFields = Readonly<{
  esmClass: number
  text: string
  receiptedMessageId?: string
  messageState?: number
  /** One octet for the kind of network, two for its code. */
  networkErrorCode?: Uint8Array
}>

/** `ids` as they were written there: that of the optional field first, then that of the text. */
export type SmppReceipt = Readonly<{ ids: Ids; report: Omit<PartReport, 'at'> }>

export type Ids = readonly [first: string, second?: string]

const KIND_OF_MESSAGE = 0x3c
const FINAL = 0x04
const INTERMEDIATE = 0x20

type Ending = Readonly<{ state: 'dropped'; code: string; why: string }>
type Standing = Readonly<{ state: 'accepted' | 'delivered' }> | Ending

const lost = (code: string, why: string): Ending => ({ state: 'dropped', code, why })

const ACCEPTED: Standing = { state: 'accepted' }
const DELIVERED: Standing = { state: 'delivered' }
const EXPIRED = lost('EXPIRED', 'the validity period ended before the message was delivered')
const DELETED = lost('DELETED', 'the message was deleted at the SMSC')
const UNDELIVERABLE = lost('UNDELIVERABLE', 'the message could not be delivered')
const UNKNOWN = lost('UNKNOWN', 'the SMSC does not know what became of the message')
const REJECTED = lost('REJECTED', 'the network refused the message')
const SKIPPED = lost('SKIPPED', 'the SMSC passed over the message')

/** By `message_state`, which counts from zero. */
const BY_NUMBER = [
  ACCEPTED,
  ACCEPTED,
  DELIVERED,
  EXPIRED,
  DELETED,
  UNDELIVERABLE,
  ACCEPTED,
  UNKNOWN,
  REJECTED,
  SKIPPED,
] as const

/** By the first five letters of `stat`, which tell the short and the long spellings apart from all others. */
const BY_WORD = new Map<string, Standing>([
  ['SCHED', ACCEPTED],
  ['ENROU', ACCEPTED],
  ['ACCEP', ACCEPTED],
  ['DELIV', DELIVERED],
  ['EXPIR', EXPIRED],
  ['DELET', DELETED],
  ['UNDEL', UNDELIVERABLE],
  ['FAILE', UNDELIVERABLE],
  ['UNKNO', UNKNOWN],
  ['REJEC', REJECTED],
  ['SKIPP', SKIPPED],
])

export function readReceipt(fields: ReceiptFields): SmppReceipt | 'not a receipt' | 'unreadable' {
  const kind = fields.esmClass & KIND_OF_MESSAGE
  // A phone can write the text of a receipt, but not the optional fields of one.
  const isTold = fields.receiptedMessageId !== undefined && fields.messageState !== undefined
  if (kind !== FINAL && kind !== INTERMEDIATE && !isTold) return 'not a receipt'

  const text = fields.text.replaceAll('\0', ' ')
  const ids = idsOf(fields, text)
  const standing = BY_NUMBER[fields.messageState ?? -1] ?? BY_WORD.get(fieldOf(text, STAT).slice(0, 5).toUpperCase())
  if (ids === undefined || standing === undefined) return 'unreadable'
  // What is on its way may still arrive, whatever it says of one try.
  return { ids, report: kind === INTERMEDIATE ? ACCEPTED : toReport(standing, errorOf(fields, text)) }
}

/** The text is searched for a second id only before the quote: what the message says must not name another message. */
function idsOf({ receiptedMessageId = '' }: ReceiptFields, text: string): Ids | undefined {
  const told = receiptedMessageId.replaceAll('\0', ' ').trim()
  const written = fieldOf(told === '' ? text : beforeQuote(text), ID)
  if (told === '') return written === '' ? undefined : [written]
  return written === '' || written === told ? [told] : [told, written]
}

function toReport(standing: Standing, error: string): SmppReceipt['report'] {
  if (standing.state !== 'dropped') return standing
  const { state, code, why } = standing
  return { state, code, detail: `${why}${error}` }
}

/** A value ends at a space or a comma. One with a colon is the next field, and this one is empty. */
const ID = /(?<![\w-])id\s*:\s*([^\s:,;]+)(?![^\s,;])/i
const STAT = /(?<![\w-])stat\s*:\s*([^\s:,;]+)(?![^\s,;])/i
const ERR = /(?<![\w-])err\s*:\s*([^\s:,;]+)(?![^\s,;])/i
const QUOTE = /(?<![\w-])text\s*:/i

const beforeQuote = (text: string): string => text.split(QUOTE, 1)[0] ?? ''

const fieldOf = (text: string, field: RegExp): string => field.exec(text)?.[1] ?? ''

const NETWORKS = ['', 'ANSI-136 ', 'IS-95 ', 'GSM '] as const

/** In the quoted message anything might look like a code, so one is only sought before it. */
function errorOf({ networkErrorCode }: ReceiptFields, text: string): string {
  const [network, high, low] = networkErrorCode ?? []
  if (network !== undefined && high !== undefined && low !== undefined) {
    return `, ${NETWORKS[network] ?? ''}network error ${high * 256 + low}`
  }
  const code = fieldOf(beforeQuote(text), ERR)
  return /^(?!0+$)[\w-]{1,8}$/.test(code) ? `, error ${code}` : ''
}
