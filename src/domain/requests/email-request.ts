/**
 * Parses a request to send an email, and reports every problem. Everything that passes is safe to write into a header.
 * The HTML is inspected elsewhere.
 */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import { isSingleLine } from '../../lib/single-line.ts'
import { type EmailAddress, parseEmailAddress } from '../email/address.ts'
import { type AttachmentFields, readAttachments } from '../email/attachments.ts'
import { htmlProblem, isTooLarge, subjectProblem, TOO_LARGE, template } from '../email/checks.ts'
import { headerProblem } from '../email/headers.ts'
import { ADDRESS, type PeopleFields, readPeople } from '../email/people.ts'
import type { EmailContent, Unsubscribe } from '../message/message.ts'
import { urlProblem } from './endpoint-request.ts'
import {
  type Bad,
  beside,
  type CommonFields,
  type Composed,
  type FieldProblem,
  isText,
  type NameFields,
  NO_TEXT,
  NOT_TEXT,
  noteIn,
  readAddress,
  readDeadline,
  sorted,
  toNamed,
  unprintable,
} from './request-fields.ts'

export type MailTexts = Pick<EmailContent, 'subject' | 'html' | 'text'>
export type EmailComposed = Composed<EmailAddress, MailTexts>

/** The fields as received, their JSON types already checked. */
export type EmailRequest = NameFields &
  CommonFields &
  PeopleFields &
  Readonly<{
    to?: string
    subject?: string
    html?: string
    text?: string
    headers?: Readonly<Record<string, string>>
    attachments?: readonly AttachmentFields[]
    unsubscribe?: Readonly<{ url?: string; mailto?: string }>
  }>

export type ParsedEmail =
  | Readonly<{ kind: 'ok'; content: EmailContent }>
  | Readonly<{ kind: 'bad'; problems: readonly FieldProblem[] }>

/** `composed` holds the recipient and the rendered template, where the request names them. */
export function parseEmailRequest(request: EmailRequest, composed?: EmailComposed): ParsedEmail {
  const problems: FieldProblem[] = composed === undefined ? [] : [...composed.problems]
  const bad = noteIn(problems)
  const to = readAddress(request, composed, ADDRESS, bad)
  const people = readPeople(request, to, bad)
  const texts = readTexts(request, composed, bad)
  const headers = readHeaders(request.headers ?? {}, bad)
  const attachments = readAttachments(request.attachments ?? [], bad)
  const unsubscribe = request.unsubscribe === undefined ? undefined : readUnsubscribe(request.unsubscribe, bad)
  const expiresAt = request.expires_at === undefined ? undefined : readDeadline(request.expires_at, bad)
  const { metadata, tags = [], callback_url: callbackUrl } = request
  for (const path of unprintable(request)) bad(path, NOT_TEXT)

  if (to === undefined || texts === undefined || problems.length > 0) return { kind: 'bad', problems }
  const content: EmailContent = omitUndefined({
    channel: 'email' as const,
    kind: 'email' as const,
    to,
    ...people,
    ...texts,
    headers,
    attachments,
    unsubscribe,
    ...(composed && toNamed(composed)),
    metadata: sorted(metadata),
    tags,
    expiresAt,
    callbackUrl,
  })
  return { kind: 'ok', content }
}

function readTexts(request: EmailRequest, composed: EmailComposed | undefined, bad: Bad): MailTexts | undefined {
  const { subject, html, text, template: named } = request
  if (named === undefined) {
    if (subject === undefined) bad('subject', NO_TEXT)
    if (html === undefined) bad('html', NO_TEXT)
    checkTexts(request, bad)
    return subject === undefined || html === undefined ? undefined : toTexts(subject, html, text)
  }
  const given = (['subject', 'html', 'text'] as const).find((part) => request[part] !== undefined)
  if (given !== undefined) return bad('template', beside(given))
  if (composed?.text === undefined) return undefined
  checkTexts(composed.text, (part, problem, code) => bad('template', `renders an email whose ${part} ${problem}`, code))
  return toTexts(composed.text.subject, composed.text.html, composed.text.text)
}

/** An empty text counts as missing. */
const toTexts = (subject: string, html: string, text = ''): MailTexts => ({
  subject,
  html,
  ...(text.trim() === '' ? {} : { text }),
})

/** A missing subject is reported elsewhere. */
function checkTexts({ subject = '-', html = '-', text = '' }: Partial<MailTexts>, bad: Bad): void {
  const [ofSubject, ofHtml] = [subjectProblem(subject), htmlProblem(html)]
  if (ofSubject !== undefined) bad('subject', ofSubject, template(ofSubject).code)
  else if (!isSingleLine(subject)) bad('subject', 'must be one line')
  if (ofHtml !== undefined) bad('html', ofHtml, template(ofHtml).code)
  else if (!isText(html)) bad('html', NOT_TEXT)
  if (isTooLarge(text)) bad('text', TOO_LARGE)
  else if (!isText(text)) bad('text', NOT_TEXT)
}

/** Sorted, so that the order of the fields does not matter for idempotency. */
function readHeaders(said: Readonly<Record<string, string>>, bad: Bad): EmailContent['headers'] | undefined {
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(said)) {
    const isTwice = seen.has(name.toLowerCase())
    const problem = isTwice ? 'is given twice (header names are case-insensitive)' : headerProblem(name, value)
    if (problem !== undefined) bad(`headers/${toPointer(name)}`, problem)
    seen.add(name.toLowerCase())
  }
  return seen.size === 0 ? undefined : sorted(said)
}

const toPointer = (name: string): string => name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')

/** It goes into a single header line, which has little room for anything else. */
const LONGEST_LINK = 900

function readUnsubscribe(said: NonNullable<EmailRequest['unsubscribe']>, bad: Bad): Unsubscribe | undefined {
  const url = said.url === undefined ? undefined : readLink(said.url, bad)
  const mailto =
    said.mailto === undefined ? undefined : (parseEmailAddress(said.mailto) ?? bad('unsubscribe/mailto', ADDRESS.wrong))
  if (said.url === undefined && said.mailto === undefined) return bad('unsubscribe', 'must have url or mailto')
  return omitUndefined({ url, mailto })
}

/** In serialized form, which cannot contain a closing angle bracket. */
function readLink(text: string, bad: Bad): string | undefined {
  const link = urlProblem(text) === undefined ? URL.parse(text) : null
  if (link?.protocol !== 'https:') return bad('unsubscribe/url', 'must be an https URL without a fragment')
  return link.href.length <= LONGEST_LINK
    ? link.href
    : bad('unsubscribe/url', `must be at most ${LONGEST_LINK} characters`)
}
