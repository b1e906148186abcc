/** Checks of an email's own content before it is sent. Other checks cover its recipients and its HTML. */

import { isSingleLine } from '../../lib/single-line.ts'
import type { Check } from '../message/events.ts'
import type { EmailContent } from '../message/message.ts'
import { parseEmailAddress } from './address.ts'
import { headerProblem } from './headers.ts'

export const MAX_SUBJECT_CHARACTERS = 150
export const MAX_HTML_BYTES = 512 * 1024

export type CheckFailed = Readonly<{ check: Check; code: string; detail: string }>

/** Finds addresses, headers and subjects that could inject other headers. */
export function integrityProblem(content: EmailContent): CheckFailed | undefined {
  const { to, from, replyTo = [], cc = [], bcc = [], subject, headers = {} } = content
  const boxes = [...(from === undefined ? [] : [from]), ...replyTo, ...cc, ...bcc]
  const addresses = [to, ...boxes.map(({ address }) => address)]
  const names = boxes.map(({ name = '' }) => name)
  if (addresses.some((address) => parseEmailAddress(address) !== address)) return payload('an address is invalid')
  if (![subject, ...names].every(isSingleLine)) return payload('a subject or a display name contains a line break')
  const header = Object.entries(headers).find(([name, value]) => headerProblem(name, value) !== undefined)
  return header === undefined ? undefined : payload('a header is not allowed')
}

/** A mail that arrived over SMTP may be plain text, without a subject. */
export function templateProblem({
  subject,
  html,
  source,
}: Pick<EmailContent, 'subject' | 'html' | 'source'>): CheckFailed | undefined {
  if (source !== undefined) return isTooLarge(html) ? template(`the html ${TOO_LARGE}`) : undefined
  const [ofHtml, ofSubject] = [htmlProblem(html), subjectProblem(subject)]
  if (ofHtml !== undefined) return template(`the html ${ofHtml}`)
  return ofSubject === undefined ? undefined : template(`the subject ${ofSubject}`)
}

export function htmlProblem(html: string): string | undefined {
  if (html.trim() === '') return 'is empty'
  return isTooLarge(html) ? TOO_LARGE : undefined
}

export function subjectProblem(subject: string): string | undefined {
  if (subject.trim() === '') return 'is empty'
  // A code point has at most two UTF-16 units.
  const isLong = subject.length > 2 * MAX_SUBJECT_CHARACTERS || [...subject].length > MAX_SUBJECT_CHARACTERS
  return isLong ? `has more than ${MAX_SUBJECT_CHARACTERS} characters` : undefined
}

export const TOO_LARGE = `is larger than ${MAX_HTML_BYTES / 1024} KB`
/** Applies to the HTML and to the text part. */
export const isTooLarge = (text: string): boolean =>
  // A UTF-16 unit takes at most three bytes in UTF-8, so most texts need no encoding to be checked.
  3 * text.length > MAX_HTML_BYTES && (text.length > MAX_HTML_BYTES || bytesOf(text) > MAX_HTML_BYTES)

const payload = (detail: string): CheckFailed => ({ check: 'INTEGRITY', code: 'INVALID_PAYLOAD', detail })

export const template = (detail: string): CheckFailed => ({ check: 'TEMPLATE', code: 'INVALID_TEMPLATE', detail })

const UTF8 = new TextEncoder()
const bytesOf = (text: string): number => UTF8.encode(text).length
