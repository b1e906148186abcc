/**
 * What a mail must be before it is sent, as far as its own words tell. Whom it is for and what its html hides is for
 * others to find out.
 */

import { isLine } from '../../lib/single-line.ts'
import type { Check } from '../message/events.ts'
import type { EmailContent } from '../message/message.ts'
import { parseEmailAddress } from './address.ts'
import { headerProblem } from './headers.ts'

export const MAX_SUBJECT_CHARACTERS = 150
export const MAX_HTML_BYTES = 512 * 1024

export type CheckFailed = Readonly<{ check: Check; code: string; detail: string }>

/** What could be taken for something else on its way: an address, a header or a subject that is more than that. */
export function integrityProblem(content: EmailContent): CheckFailed | undefined {
  const { to, from, replyTo = [], cc = [], bcc = [], subject, headers = {} } = content
  const boxes = [...(from === undefined ? [] : [from]), ...replyTo, ...cc, ...bcc]
  const addresses = [to, ...boxes.map(({ address }) => address)]
  const names = boxes.map(({ name = '' }) => name)
  if (addresses.some((address) => parseEmailAddress(address) !== address)) return payload('an address is none')
  if (![subject, ...names].every(isLine)) return payload('a line break is where none may be')
  const header = Object.entries(headers).find(([name, value]) => headerProblem(name, value) !== undefined)
  return header === undefined ? undefined : payload('a header is not allowed')
}

export function templateProblem({ subject, html }: Pick<EmailContent, 'subject' | 'html'>): CheckFailed | undefined {
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
  // No character has more than two units.
  const isLong = subject.length > 2 * MAX_SUBJECT_CHARACTERS || [...subject].length > MAX_SUBJECT_CHARACTERS
  return isLong ? `has more than ${MAX_SUBJECT_CHARACTERS} characters` : undefined
}

export const TOO_LARGE = `is larger than ${MAX_HTML_BYTES / 1024} KB`
/** Of html, and of the text beside it. */
export const isTooLarge = (text: string): boolean =>
  // No unit makes more than three bytes, and hardly any text comes near the bound.
  3 * text.length > MAX_HTML_BYTES && (text.length > MAX_HTML_BYTES || bytesOf(text) > MAX_HTML_BYTES)

const payload = (detail: string): CheckFailed => ({ check: 'INTEGRITY', code: 'INVALID_PAYLOAD', detail })

export const template = (detail: string): CheckFailed => ({ check: 'TEMPLATE', code: 'INVALID_TEMPLATE', detail })

const UTF8 = new TextEncoder()
const bytesOf = (text: string): number => UTF8.encode(text).length
