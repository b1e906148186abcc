import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EmailContent } from '../message/message.ts'
import { type EmailRequest, parseEmailRequest } from '../requests/email-request.ts'
import { integrityProblem, templateProblem } from './checks.ts'

const REQUEST: EmailRequest = { to: 'ana@example.com', subject: 'Hello', html: '<p>Hello</p>' }
const FILE = { filename: 'a.txt', content_type: 'text/plain', content: 'aGk=' }

/** Characters that break a line, and text that would form a header after one. */
const BREAKS = ['\r\n', '\n', '\r', '\0', '\u2028', '\u2029', '\u0085', '\v', '\f', '\x1b', '\ud800']
const WORDS = [
  'Bcc: eve@evil.example',
  'ana@example.com',
  '<',
  '>',
  '"',
  '\\',
  ',',
  ';',
  ':',
  ' ',
  '@',
  '=?utf-8?q?a?=',
]
const piece = fc.oneof(
  fc.constantFrom(...BREAKS),
  fc.constantFrom(...WORDS),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const nasty = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
const around = (before: string, after = '') =>
  fc.oneof(
    nasty,
    nasty.map((text) => `${before}${text}${after}`),
  )

const FIELDS: Readonly<Record<string, fc.Arbitrary<Partial<EmailRequest>>>> = {
  to: around('ana', '@example.com').map((to) => ({ to })),
  subject: around('Hello').map((subject) => ({ subject })),
  from: around('Acme', ' <a@acme.example>').map((from) => ({ from })),
  'from in quotes': around('"Acme', '" <a@acme.example>').map((from) => ({ from })),
  reply_to: around('Acme <a', '@acme.example>').map((reply_to) => ({ reply_to })),
  cc: around('Bob', '<bob@example.com>').map((text) => ({ cc: [text] })),
  bcc: around('bob@example.com').map((text) => ({ bcc: [text] })),
  'the name of a header': around('X-A').map((name) => ({ headers: { [name]: 'a' } })),
  'the value of a header': around('a').map((value) => ({ headers: { 'X-A': value } })),
  filename: around('a', '.pdf').map((filename) => ({ attachments: [{ ...FILE, filename }] })),
  content_type: around('text/plain').map((content_type) => ({ attachments: [{ ...FILE, content_type }] })),
  content_id: around('logo').map((content_id) => ({ attachments: [{ ...FILE, content_id }] })),
  content: around('aGkh').map((content) => ({ attachments: [{ ...FILE, content }] })),
  'unsubscribe url': around('https://acme.example/stop?').map((url) => ({ unsubscribe: { url } })),
  'unsubscribe mailto': around('stop@acme.example').map((mailto) => ({ unsubscribe: { mailto } })),
}

/** Everything of an email that goes into a header. */
function linesOf(content: EmailContent): readonly string[] {
  const { to, from, replyTo = [], cc = [], bcc = [], subject, headers = {}, attachments = [], unsubscribe } = content
  const boxes = [...(from === undefined ? [] : [from]), ...replyTo, ...cc, ...bcc]
  return [
    to,
    subject,
    ...boxes.flatMap(({ address, name = '' }) => [address, name]),
    ...Object.entries(headers).flat(),
    ...attachments.flatMap(({ filename, contentType, content, contentId = '' }) => [
      filename,
      contentType,
      content,
      contentId,
    ]),
    unsubscribe?.url ?? '',
    unsubscribe?.mailto ?? '',
  ]
}

for (const [field, change] of Object.entries(FIELDS)) {
  test(`no line break gets into an email through ${field}`, () => {
    fc.assert(
      fc.property(change, (change) => {
        const parsed = parseEmailRequest({ ...REQUEST, ...change })
        if (parsed.kind === 'bad') return
        for (const line of linesOf(parsed.content)) assert.ok(!/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(line), line)
        assert.equal(integrityProblem(parsed.content), undefined)
        assert.equal(templateProblem(parsed.content), undefined)
        assert.match(parsed.content.unsubscribe?.url ?? '', /^[\x21-\x3b=\x3f-\x7e]*$/)
      }),
      { numRuns: 500 },
    )
  })
}
