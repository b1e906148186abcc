/**
 * What a mail server reports of a mail by a mail of its own (RFC 3464, and RFC 6533 for addresses that are not
 * ASCII). Which attempt it is about shows by the envelope id that we gave, or by the Message-ID among the headers
 * that come back. The report comes first, so a mail whose end is missing says all the same.
 */
import type { Attachment } from 'postal-mime'
import { parseEmailAddress } from '../../domain/email/address.ts'
import type { AttemptRef } from '../../domain/ids.ts'
import { parseReference, toReference } from '../../domain/message/attempt-reference.ts'
import type { Receipt } from '../../ports/provider.ts'
import { toBounce } from './errors.ts'

/** A group of lines, by their names in lower case. */
type Fields = ReadonlyMap<string, string>

/** None where it is no such report, or not about a mail of ours. */
export async function readDsn(raw: Uint8Array): Promise<readonly Receipt[]> {
  const parts = await partsOf(raw)
  const report = parts.find(({ mimeType }) => REPORTS.has(mimeType))
  if (report === undefined) return []
  const [ofMail = new Map(), ...ofRecipients] = toGroups(textOf(report))
  const named = namedBy(ofMail, parts)
  return named === undefined ? [] : ofRecipients.flatMap((fields) => toReceipt(named, fields) ?? [])
}

const REPORTS = new Set(['message/delivery-status', 'message/global-delivery-status'])

async function partsOf(raw: Uint8Array): Promise<readonly Attachment[]> {
  // Hardly any process reads bounces.
  const { default: PostalMime } = await import('postal-mime')
  try {
    const mail = await PostalMime.parse(raw, { forceRfc822Attachments: true, maxNestingDepth: 20 })
    return mail.attachments
  } catch {
    // Too many parts in parts, or headers without end: no server writes such a report.
    return []
  }
}

const textOf = ({ content }: Attachment): string =>
  typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('latin1')

/** Groups are separated by empty lines; a line that begins with a space goes on with the one before. */
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

type Named = Readonly<{ ref: AttemptRef; messageId: string }>

function namedBy(ofMail: Fields, parts: readonly Attachment[]): Named | undefined {
  const messageId = messageIdOf(parts)
  const ref = parseReference(fromXtext(ofMail.get('original-envelope-id') ?? '')) ?? parseReference(localOf(messageId))
  return ref && { ref, messageId }
}

const RETURNED = new Set(['text/rfc822-headers', 'message/rfc822', 'message/global', 'message/global-headers'])

/** Empty where nothing came back. */
function messageIdOf(parts: readonly Attachment[]): string {
  const returned = parts.find(({ mimeType }) => RETURNED.has(mimeType))
  const [headers] = returned === undefined ? [] : toGroups(textOf(returned))
  return /<([^<>]*)>/.exec(headers?.get('message-id') ?? '')?.[1] ?? ''
}

const localOf = (messageId: string): string => messageId.slice(0, messageId.lastIndexOf('@'))

/** `+3D` for `=` and the like (RFC 3461, 4). */
const fromXtext = (text: string): string =>
  text.replace(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

function toReceipt({ ref, messageId }: Named, fields: Fields): Receipt | undefined {
  const [, status = ''] = /^([245]\.\d{1,3}\.\d{1,3})(?!\S)/.exec(fields.get('status') ?? '') ?? []
  const action = (fields.get('action') ?? '').toLowerCase()
  const said = toState(action, status)
  if (said === undefined) return undefined
  const about = addressOf(fields.get('original-recipient')) ?? addressOf(fields.get('final-recipient'))
  return {
    ref,
    providerMessageId: messageId === '' ? toReference(ref) : messageId,
    reportId: `${action} ${status}`.trim(),
    ...said,
    unauthenticated: true,
    ...(about === undefined ? {} : { about }),
  }
}

type Said = Pick<Receipt, 'state' | 'code' | 'detail' | 'suppresses' | 'noDeliveryReports'>

function toState(action: string, status: string): Said | undefined {
  const detail = `the mail server reports ${action} ${status}`.trim()
  switch (action) {
    case 'failed':
      return { state: 'bounced', ...toBounce(status), detail }
    case 'delayed':
      return { state: 'accepted', code: 'DELAYED', detail, noDeliveryReports: true }
    case 'delivered':
      return { state: 'delivered' }
    // It went on to a server that does not report, or to the members of a list: no mailbox has it yet.
    case 'relayed':
    case 'expanded':
      return { state: 'accepted', noDeliveryReports: true }
    default:
      return undefined
  }
}

/** In `rfc822;maria@example.org`. */
function addressOf(field = '') {
  const [, address = ''] = /^(?:rfc822|utf-8)\s*;\s*<?([^<>\s]+)>?/i.exec(field) ?? []
  return parseEmailAddress(fromXtext(address))
}
