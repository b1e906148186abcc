/**
 * Reads a delivery receipt: the message id and the state of one part. The optional fields of SMPP come first, then the
 * customary text, of which every SMSC has a dialect. The text quotes the message, so only a short error code leaves this
 * file.
 */
import type { PartReport } from '../../domain/message/part-reports.ts'

export type ReceiptFields = Readonly<{
  esmClass: number
  text: string
  receiptedMessageId?: string
  messageState?: number
  /** One octet for the network type, two for the error code. */
  networkErrorCode?: Uint8Array
}>

/** `ids` as written: that of the optional field first, then that of the text. */
export type SmppReceipt = Readonly<{ ids: Ids; report: Omit<PartReport, 'at'> }>

export type Ids = readonly [first: string, second?: string]

const TYPE_MASK = 0x3c
const FINAL = 0x04
const INTERMEDIATE = 0x20

type Failure = Readonly<{ state: 'dropped'; code: string; reason: string }>
type State = Readonly<{ state: 'accepted' | 'delivered' }> | Failure

const failure = (code: string, reason: string): Failure => ({ state: 'dropped', code, reason })

const ACCEPTED: State = { state: 'accepted' }
const DELIVERED: State = { state: 'delivered' }
const EXPIRED = failure('EXPIRED', 'the validity period ended before the message was delivered')
const DELETED = failure('DELETED', 'the SMSC deleted the message')
const UNDELIVERABLE = failure('UNDELIVERABLE', 'the SMSC could not deliver the message')
const UNKNOWN = failure('UNKNOWN', 'the SMSC reported the state UNKNOWN')
const REJECTED = failure('REJECTED', 'the SMSC or the network rejected the message')
const SKIPPED = failure('SKIPPED', 'the SMSC skipped the message')

/** By `message_state`, from zero. */
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

/** By the first five letters of `stat`, which short and long spellings share. */
const BY_TEXT = new Map<string, State>([
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
  const kind = fields.esmClass & TYPE_MASK
  // A phone can forge the text of a receipt, but not its optional fields.
  const hasFields = fields.receiptedMessageId !== undefined && fields.messageState !== undefined
  if (kind !== FINAL && kind !== INTERMEDIATE && !hasFields) return 'not a receipt'

  const text = fields.text.replaceAll('\0', ' ')
  const ids = idsOf(fields, text)
  const state = BY_NUMBER[fields.messageState ?? -1] ?? BY_TEXT.get(fieldOf(text, STAT).slice(0, 5).toUpperCase())
  if (ids === undefined || state === undefined) return 'unreadable'
  // An intermediate notification is not final, whatever it says about one delivery attempt.
  return { ids, report: kind === INTERMEDIATE ? ACCEPTED : toReport(state, errorOf(fields, text)) }
}

/** A second id is searched only before the quoted text: the content must not refer to another message. */
function idsOf({ receiptedMessageId = '' }: ReceiptFields, text: string): Ids | undefined {
  const field = receiptedMessageId.replaceAll('\0', ' ').trim()
  const written = fieldOf(field === '' ? text : beforeQuote(text), ID)
  if (field === '') return written === '' ? undefined : [written]
  return written === '' || written === field ? [field] : [field, written]
}

function toReport(reported: State, error: string): SmppReceipt['report'] {
  if (reported.state !== 'dropped') return reported
  const { state, code, reason } = reported
  return { state, code, detail: `${reason}${error}` }
}

/** A value ends at a space or a comma. A value with a colon is the next field, and this one is empty. */
const ID = /(?<![\w-])id\s*:\s*([^\s:,;]+)(?![^\s,;])/i
const STAT = /(?<![\w-])stat\s*:\s*([^\s:,;]+)(?![^\s,;])/i
const ERR = /(?<![\w-])err\s*:\s*([^\s:,;]+)(?![^\s,;])/i
const QUOTE = /(?<![\w-])text\s*:/i

const beforeQuote = (text: string): string => text.split(QUOTE, 1)[0] ?? ''

const fieldOf = (text: string, field: RegExp): string => field.exec(text)?.[1] ?? ''

const NETWORKS = ['', 'ANSI-136 ', 'IS-95 ', 'GSM '] as const

/** An error code is searched only before the quoted text, in which anything may look like one. */
function errorOf({ networkErrorCode }: ReceiptFields, text: string): string {
  const [network, high, low] = networkErrorCode ?? []
  if (network !== undefined && high !== undefined && low !== undefined) {
    return `, ${NETWORKS[network] ?? ''}network error ${high * 256 + low}`
  }
  const code = fieldOf(beforeQuote(text), ERR)
  return /^(?!0+$)[\w-]{1,8}$/.test(code) ? `, error ${code}` : ''
}
