/**
 * Reads one mail. The bytes are kept as they are, except for headers that must not be sent on; From and Date are added
 * where they are missing (RFC 6409, 8). Runs in a thread for mails that are not small.
 */
import { createHash } from 'node:crypto'
import { domainToASCII } from 'node:url'
import PostalMime, { type Attachment, addressParser } from 'postal-mime'
import { type EmailAddress, parseEmailAddress } from '../../domain/email/address.ts'
import { isTooLarge, MAX_HTML_BYTES } from '../../domain/email/checks.ts'
import { type Mailbox, parseMailbox } from '../../domain/email/mailbox.ts'
import { MAX_REPLY_TO } from '../../domain/email/people.ts'
import type { AttachmentSummary } from '../../domain/message/message.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Instant } from '../../lib/time.ts'
import type { MailDefaults, MailFlaw, ReadMail, UnreadableMail } from '../../ports/mail-reader.ts'
import { type HeaderField, hasField, isKept, joinMail, splitMail, valuesOf } from './header-block.ts'
import { readOwnHeaders, toText } from './own-headers.ts'

const MAX_HEADER_BYTES = 256 * 1024
/** Lines that may begin a part. */
const MAX_PART_LINES = 20_000
const MAX_DEPTH = 50
/** A mail that was forwarded as often goes in circles. */
const MAX_HOPS = 50
const LONGEST_SUBJECT = 998
const LONGEST_FILENAME = 255

export async function readMail(bytes: Uint8Array, defaults: MailDefaults): Promise<ReadMail | UnreadableMail> {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { fields, body } = splitMail(raw)
  const flaw = flawIn(raw, fields)
  if (flaw !== undefined) return flaw
  const from = readFrom(fields, defaults)
  if (from === undefined) return unreadable('sender', 'the header From must name one address, in ASCII or with an IDN')
  const own = readOwnHeaders(fields)
  if (typeof own === 'string') return unreadable('headers', own)
  const kept = fields.filter(isKept)
  const mail = joinMail([...missing(kept, from, defaults), ...kept], body)
  const parsed = await parse(mail)
  if (parsed === undefined) return unreadable('headers', `the parts are nested deeper than ${MAX_DEPTH}`)
  const { html = '', text, subject = '', attachments } = parsed
  if (isTooLarge(html)) return unreadable('too_large', `the html is larger than ${MAX_HTML_BYTES / 1024} KB`)
  const { isBulk, ...labels } = own
  const replyTo = readReplyTo(fields)
  const identity = identityOf(fields, body, [
    from,
    replyTo,
    subject,
    toSaid(html),
    toSaid(text),
    attachments.map(toFingerprint),
    labels,
    isBulk,
  ])
  return omitUndefined({
    kind: 'read' as const,
    content: {
      from,
      subject: toText(subject).slice(0, LONGEST_SUBJECT),
      html: toStorable(html),
      ...(text === undefined || text.trim() === '' ? {} : { text: shortened(toStorable(text)) }),
      ...replyTo,
      source: { raw: mail.toString('base64'), attachments: attachments.map(toSummary) },
      ...labels,
    },
    sender: readSender(fields),
    isBulk,
    identity,
  })
}

const unreadable = (flaw: MailFlaw, detail: string): UnreadableMail => ({ kind: 'unreadable', flaw, detail })

/** What must not be passed on: another server may read a lone CR or LF as a line break, and take a text for commands. */
function flawIn(raw: Buffer, fields: readonly HeaderField[]): UnreadableMail | undefined {
  const text = raw.toString('latin1')
  if (/\r(?!\n)|(?<!\r)\n|\0/.test(text))
    return unreadable('line_breaks', 'every line must end with CR LF, without NUL')
  const headerBytes = fields.reduce((sum, field) => sum + field.text.length, 0)
  if (headerBytes > MAX_HEADER_BYTES) return unreadable('headers', 'the headers are too large')
  if (fields.filter(({ name }) => name === 'received').length > MAX_HOPS) return unreadable('loop', 'too many hops')
  let parts = 0
  for (let at = text.indexOf('\r\n--'); at !== -1; at = text.indexOf('\r\n--', at + 4)) parts += 1
  return parts > MAX_PART_LINES ? unreadable('headers', 'the mail has too many parts') : undefined
}

/** Two senders would be read differently by different programs. */
function readFrom(fields: readonly HeaderField[], { from }: MailDefaults): Mailbox | undefined {
  const values = valuesOf(fields, 'from')
  const [value = '', ...others] = values
  if (values.length === 0) return from && { address: from }
  const [box, ...boxes] = others.length === 0 ? addressParser(value, { flatten: true }) : []
  return boxes.length === 0 && box?.address !== undefined ? toMailbox(box.name, box.address) : undefined
}

/** One that cannot be read counts as missing: it cannot be shown either. */
function readSender(fields: readonly HeaderField[]): EmailAddress | undefined {
  const [box] = addressParser(valuesOf(fields, 'sender').join(','), { flatten: true })
  return box?.address === undefined ? undefined : toAddress(box.address)
}

/** Shown only: the header itself is sent as it is. */
function readReplyTo(fields: readonly HeaderField[]): Pick<ReadMail['content'], 'replyTo'> {
  const boxes = addressParser(valuesOf(fields, 'reply-to').join(','), { flatten: true })
  const replyTo = boxes.flatMap((box) => toMailbox(box.name, box.address ?? '') ?? []).slice(0, MAX_REPLY_TO)
  return replyTo.length === 0 ? {} : { replyTo }
}

function toMailbox(said: string, text: string): Mailbox | undefined {
  const address = toAddress(text)
  const name = toText(said).replaceAll(/["\\]/g, '')
  return address && (name === '' ? { address } : (parseMailbox(`"${name}" <${address}>`) ?? { address }))
}

function toAddress(text: string): EmailAddress | undefined {
  const at = text.lastIndexOf('@')
  return parseEmailAddress(`${text.slice(0, at)}@${domainToASCII(text.slice(at + 1))}`)
}

function missing(fields: readonly HeaderField[], { address }: Mailbox, { at }: MailDefaults): readonly HeaderField[] {
  return [
    ...(hasField(fields, 'from') ? [] : [{ name: 'from', text: `From: <${address}>\r\n` }]),
    ...(hasField(fields, 'date') ? [] : [{ name: 'date', text: `Date: ${toDate(at)}\r\n` }]),
  ]
}

/** `GMT` is an obsolete zone in mail. */
const toDate = (at: Instant): string => new Date(at).toUTCString().replace('GMT', '+0000')

async function parse(mail: Buffer) {
  try {
    return await PostalMime.parse(mail, { forceRfc822Attachments: true, maxNestingDepth: MAX_DEPTH })
  } catch {
    return undefined
  }
}

/**
 * A client that sends a mail again sends the same Message-ID and says the same; trace headers, boundaries and encodings
 * may differ. Without a Message-ID it must send the same bytes with the same Date. Without either, nothing tells a
 * repeated mail from the next one.
 */
function identityOf(fields: readonly HeaderField[], body: Buffer, said: readonly unknown[]): string | undefined {
  const [messageId = ''] = valuesOf(fields, 'message-id')
  if (messageId !== '') return hash(JSON.stringify([messageId, ...said]))
  if (!hasField(fields, 'date')) return undefined
  const untraced = fields.filter(({ name }) => name !== 'received')
  return hash(joinMail(untraced, body))
}

/** Encodings differ in line breaks and at the end. */
const toSaid = (text = ''): string => text.replaceAll('\r\n', '\n').trimEnd()

const hash = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

const bytesOf = ({ content }: Attachment): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer)

const toFingerprint = (attachment: Attachment) => [attachment.filename, attachment.mimeType, hash(bytesOf(attachment))]

const toSummary = (attachment: Attachment): AttachmentSummary => ({
  filename: toText(attachment.filename ?? '').slice(0, LONGEST_FILENAME) || 'attachment',
  contentType: attachment.mimeType.slice(0, LONGEST_FILENAME),
  size: bytesOf(attachment).length,
})

/** PostgreSQL stores no NUL. */
const toStorable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

/** The whole text is in the source. */
const shortened = (text: string): string => (isTooLarge(text) ? text.slice(0, MAX_HTML_BYTES / 3) : text)
