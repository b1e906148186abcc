/**
 * Composes a mail (RFC 5322 and MIME). Bcc recipients appear only in the envelope. The Message-ID contains the
 * attempt's reference, so a bounce that quotes it identifies the attempt.
 */
import { randomUUID } from 'node:crypto'
import MailComposer from 'nodemailer/lib/mail-composer'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import { isContentType } from '../domain/email/attachments.ts'
import { headerProblem } from '../domain/email/headers.ts'
import type { Mailbox } from '../domain/email/mailbox.ts'
import { toReference } from '../domain/message/attempt-reference.ts'
import type { Attachment, EmailContent, Unsubscribe } from '../domain/message/message.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import type { Instant } from '../lib/time.ts'
import type { EmailAttempt } from '../ports/provider.ts'
import { toAscii } from './envelope.ts'
import { toBytes } from './mime-bytes.ts'
import { completeSource } from './mime-source.ts'

/** `messageId` is without angle brackets. */
export type Mail = Readonly<{ raw: Buffer; messageId: string }>

/** Longer texts are sent as base64, which is larger than quoted-printable but much faster to encode. */
const LONG = 64 * 1024

export async function toMail({ content, ref }: EmailAttempt, sender: Mailbox, at: Instant): Promise<Mail> {
  const from = content.from ?? sender
  const messageId = `${toReference(ref)}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`
  if (content.source !== undefined) return completeSource(content.source, ref, messageId)
  const composer = new MailComposer({
    // Random: nobody who writes into a mail may guess the boundary.
    baseBoundary: randomUUID(),
    from: toAddress(from),
    to: toAddress({ address: content.to }),
    ...(content.cc?.length ? { cc: content.cc.map(toAddress) } : {}),
    ...(content.replyTo?.length ? { replyTo: content.replyTo.map(toAddress) } : {}),
    messageId,
    date: new Date(at),
    headers: [...toHeaders(content)],
    html: toLines(content.html),
    ...(content.text ? { text: toLines(content.text) } : {}),
    attachments: content.attachments?.map(toAttachment),
    ...(content.html.length > LONG ? { encoding: 'base64' } : {}),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return { raw: toBytes(composer.compile()), messageId }
}

const toAddress = ({ name = '', address }: Mailbox) => ({ name: toUncoded(name), address: toAscii(address) })

/** A name that looks like an encoded word would be displayed decoded. */
const toUncoded = (name: string): string => name.replaceAll('=?', '= ?')

type Header = Readonly<{ key: string; value: string | Readonly<{ prepared: true; foldLines: true; value: string }> }>

/** A list, because nodemailer reads an object with the keys `key` and `value` as a single header. */
function toHeaders({ subject, headers = {}, unsubscribe }: EmailContent): readonly Header[] {
  const theirs = Object.entries(headers).filter(([name, value]) => headerProblem(name, value) === undefined)
  const isAutomatic = theirs.some(([name]) => name.toLowerCase() === 'auto-submitted')
  return [
    toHeader('Subject', subject),
    ...theirs.map(([name, value]) => toHeader(name, value)),
    ...(isAutomatic ? [] : [{ key: 'Auto-Submitted', value: 'auto-generated' }]),
    ...toUnsubscribeHeaders(unsubscribe),
  ]
}

/** The longest line that RFC 5322, 2.1.1 allows, less the header's name. */
const LONGEST_WORD = 900

/** Uses encoded words where the plain text would not survive. */
function toHeader(key: string, text: string): Header {
  const value = text.replace(/[\r\n]+/g, ' ')
  if (isPlain(value)) return { key, value }
  return { key, value: { prepared: true, foldLines: true, value: encodeWord(value.toWellFormed(), 'B', 52) } }
}

const isPlain = (value: string): boolean =>
  /^[!-~](?:[ -~]*[!-~])?$/.test(value) &&
  !value.includes('=?') &&
  value.split(' ').every((word) => word.length <= LONGEST_WORD)

/** One-click unsubscribe (RFC 8058) if there is a URL. */
function toUnsubscribeHeaders({ url, mailto }: Unsubscribe = {}): readonly Header[] {
  const page = url !== undefined && URL.canParse(url) ? new URL(url).href : undefined
  const ways = [page, mailto && `mailto:${encodeURI(mailto.toWellFormed()).replace(/[?&#]/g, encodeURIComponent)}`]
  const list = ways.flatMap((way) => (way === undefined ? [] : [`<${way}>`])).join(', ')
  if (list === '') return []
  return [
    { key: 'List-Unsubscribe', value: { prepared: true, foldLines: true, value: list } },
    ...(page === undefined ? [] : [{ key: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' }]),
  ]
}

const toAttachment = ({ filename, contentType, content, contentId }: Attachment) =>
  omitUndefined({
    filename: toUncoded(filename),
    contentType: isContentType(contentType) ? contentType : 'application/octet-stream',
    content: Buffer.from(content, 'base64'),
    cid: contentId === undefined ? undefined : toAscii(contentId),
  })

/** A lone CR or LF ends a line for some readers only. */
const toLines = (text: string): string => text.toWellFormed().replace(/\r\n?|\n/g, '\r\n')
