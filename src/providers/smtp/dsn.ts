/**
 * Reads delivery status notifications, the bounce mails of a mail server (RFC 3464; RFC 6533 for addresses that are not
 * ASCII). The attempt is identified by the address that the notification came to, by our envelope id, or by the
 * returned headers. The report comes before the returned mail, so a truncated notification is still readable.
 */
import type { Attachment } from 'postal-mime'
import { parseEmailAddress } from '../../domain/email/address.ts'
import type { AttemptRef } from '../../domain/ids.ts'
import { parseReference, toReference } from '../../domain/message/attempt-reference.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Receipt } from '../../ports/provider.ts'
import { ATTEMPT_HEADER } from '../mime-source.ts'
import { toBounce } from './errors.ts'

/** The fields of one group, by name in lower case. */
type Fields = ReadonlyMap<string, string>

/**
 * Empty if it is not such a notification, or not about one of our mails. `ref` is the attempt whose bounce address it
 * came to.
 */
export async function readDsn(raw: Uint8Array, ref?: AttemptRef): Promise<readonly Receipt[]> {
  const parts = await partsOf(raw)
  const report = parts.find(({ mimeType }) => STATUS_TYPES.has(mimeType))
  if (report === undefined) return []
  const [ofMail = new Map(), ...ofRecipients] = toGroups(textOf(report))
  const mail = identify(ofMail, parts, ref)
  return mail === undefined ? [] : ofRecipients.flatMap((fields) => toReceipt(mail, fields) ?? [])
}

const STATUS_TYPES = new Set(['message/delivery-status', 'message/global-delivery-status'])

async function partsOf(raw: Uint8Array): Promise<readonly Attachment[]> {
  // Loaded on demand: few processes read bounces.
  const { default: PostalMime } = await import('postal-mime')
  try {
    const mail = await PostalMime.parse(raw, { forceRfc822Attachments: true, maxNestingDepth: 20 })
    return mail.attachments
  } catch {
    // Too deeply nested, or endless headers: not a notification of a real server.
    return []
  }
}

const textOf = ({ content }: Attachment): string =>
  typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('latin1')

/** Groups are separated by empty lines; a line that begins with a space continues the previous one. */
function toGroups(text: string): readonly Fields[] {
  const unfolded = text.replace(/\r\n?/g, '\n').replace(/\n[ \t]+/g, ' ')
  return unfolded
    .split(/\n{2,}/)
    .filter((group) => group.trim() !== '')
    .map(toFields)
}

function toFields(group: string): Fields {
  const pairs = group.split('\n').map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
  })
  return new Map(pairs)
}

type ReportedMail = Readonly<{ ref: AttemptRef; messageId: string }>

function identify(
  ofMail: Fields,
  parts: readonly Attachment[],
  known: AttemptRef | undefined,
): ReportedMail | undefined {
  const headers = returnedHeaders(parts)
  const messageId = /<([^<>]*)>/.exec(headers?.get('message-id') ?? '')?.[1] ?? ''
  const ref =
    known ??
    parseReference(fromXtext(ofMail.get('original-envelope-id') ?? '')) ??
    parseReference(headers?.get(ATTEMPT_HEADER.toLowerCase()) ?? '') ??
    parseReference(localOf(messageId))
  return ref && { ref, messageId }
}

const RETURNED_TYPES = new Set(['text/rfc822-headers', 'message/rfc822', 'message/global', 'message/global-headers'])

/** Undefined if the mail was not returned. */
function returnedHeaders(parts: readonly Attachment[]): Fields | undefined {
  const returned = parts.find(({ mimeType }) => RETURNED_TYPES.has(mimeType))
  return returned && toGroups(textOf(returned))[0]
}

const localOf = (messageId: string): string => messageId.slice(0, messageId.lastIndexOf('@'))

/** `+3D` is `=` (RFC 3461, 4). */
const fromXtext = (text: string): string =>
  text.replace(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

function toReceipt({ ref, messageId }: ReportedMail, fields: Fields): Receipt | undefined {
  const [, status = ''] = /^([245]\.\d{1,3}\.\d{1,3})(?!\S)/.exec(fields.get('status') ?? '') ?? []
  const action = (fields.get('action') ?? '').toLowerCase()
  const report = toReport(action, status)
  if (report === undefined) return undefined
  const about = addressOf(fields.get('original-recipient')) ?? addressOf(fields.get('final-recipient'))
  return omitUndefined({
    ref,
    providerMessageId: messageId === '' ? toReference(ref) : messageId,
    reportId: `${action} ${status}`.trim(),
    ...report,
    unauthenticated: true as const,
    about,
  })
}

type Report = Pick<Receipt, 'state' | 'code' | 'detail' | 'suppresses' | 'noDeliveryReports'>

function toReport(action: string, status: string): Report | undefined {
  const detail = `the mail server reported the delivery as ${action} ${status}`.trim()
  switch (action) {
    case 'failed':
      return { state: 'bounced', ...toBounce(status), detail }
    case 'delayed':
      return { state: 'accepted', code: 'DELAYED', detail, noDeliveryReports: true }
    case 'delivered':
      return { state: 'delivered' }
    // Forwarded to a server that does not report, or to a mailing list: not delivered to a mailbox yet.
    case 'relayed':
    case 'expanded':
      return { state: 'accepted', noDeliveryReports: true }
    default:
      return undefined
  }
}

/** From `rfc822;maria@example.org`. */
function addressOf(field = '') {
  const [, address = ''] = /^(?:rfc822|utf-8)\s*;\s*<?([^<>\s]+)>?/i.exec(field) ?? []
  return parseEmailAddress(fromXtext(address))
}
