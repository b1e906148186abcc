import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EmailContent } from '../message/message.ts'
import type { EmailAddress } from './address.ts'
import { integrityProblem, MAX_HTML_BYTES, templateProblem } from './checks.ts'

const address = (text: string): EmailAddress => text as EmailAddress
const MAIL: EmailContent = {
  channel: 'email',
  kind: 'email',
  to: address('ana@acme.example'),
  from: { address: address('shop@acme.example'), name: 'Shop, Ltd' },
  replyTo: [{ address: address('help@acme.example') }],
  cc: [{ address: address('bob@acme.example'), name: 'Bob' }],
  bcc: [{ address: address('log@acme.example') }],
  subject: 'Your parcel 🕊',
  html: '<p>Hi',
  headers: { 'X-Order': 'A-17' },
  metadata: {},
  tags: [],
}

test('an email as it was accepted has no problem', () => {
  assert.equal(integrityProblem(MAIL), undefined)
  assert.equal(templateProblem(MAIL), undefined)
})

const LINE = 'a subject or a display name contains a line break'
const ADDRESS = 'an address is invalid'
const HEADER = 'a header is not allowed'
const eve = { address: address('eve@evil.example\r\nBcc: more@evil.example') }
const named = { address: address('eve@evil.example'), name: 'Eve\r\nBcc: more@evil.example' }

for (const [what, changes, detail] of [
  ['an address with a line break', { to: eve.address }, ADDRESS],
  ['no address', { to: address('') }, ADDRESS],
  ['two addresses', { to: address('a@b.example, c@d.example') }, ADDRESS],
  ['an address that is not canonical', { to: address('ana@ACME.example') }, ADDRESS],
  ['a sender with a line break', { from: eve }, ADDRESS],
  ['a copy with a line break', { cc: [...(MAIL.cc ?? []), eve] }, ADDRESS],
  ['a bcc with a line break', { bcc: [eve] }, ADDRESS],
  ['a reply-to address with a line break', { replyTo: [eve] }, ADDRESS],
  ['a sender name with a line break', { from: named }, LINE],
  ['a cc name with a line break', { cc: [named] }, LINE],
  ['a subject with a line break', { subject: 'Hi\r\nBcc: more@evil.example' }, LINE],
  ['a subject with a NUL', { subject: 'Hi\0' }, LINE],
  ['a header with a line break', { headers: { 'X-Order': 'A\r\nBcc: more@evil.example' } }, HEADER],
  ['a reserved header', { headers: { 'X-Order': 'A', bcc: 'more@evil.example' } }, HEADER],
] as const) {
  test(`${what} is found without quoting it`, () => {
    assert.deepEqual(integrityProblem({ ...MAIL, ...changes }), { check: 'INTEGRITY', code: 'INVALID_PAYLOAD', detail })
  })
}

for (const [what, changes, detail] of [
  ['no html', { html: '' }, 'the html is empty'],
  ['blank html', { html: ' \n\t' }, 'the html is empty'],
  ['html that is too large', { html: 'x'.repeat(MAX_HTML_BYTES + 1) }, 'the html is larger than 512 KB'],
  ['html that is too large in UTF-8', { html: 'é'.repeat(MAX_HTML_BYTES / 2 + 1) }, 'the html is larger than 512 KB'],
  ['no subject', { subject: '' }, 'the subject is empty'],
  ['a blank subject', { subject: '  ' }, 'the subject is empty'],
  ['a subject that is too long', { subject: '🕊'.repeat(151) }, 'the subject has more than 150 characters'],
  ['neither html nor subject', { html: '', subject: '' }, 'the html is empty'],
] as const) {
  test(`${what} is an invalid template`, () => {
    assert.deepEqual(templateProblem({ ...MAIL, ...changes }), { check: 'TEMPLATE', code: 'INVALID_TEMPLATE', detail })
  })
}

test('a mail that arrived over SMTP may be plain text without a subject, and not too large', () => {
  const plain = { ...MAIL, subject: '', html: '', source: { raw: '', attachments: [] } }
  assert.equal(templateProblem(plain), undefined)
  assert.equal(templateProblem({ ...plain, html: 'x'.repeat(MAX_HTML_BYTES + 1) })?.code, 'INVALID_TEMPLATE')
  assert.equal(integrityProblem({ ...plain, subject: 'a\r\nBcc: b@c.example' })?.code, 'INVALID_PAYLOAD')
})

test('measures html in bytes and a subject in characters, with inclusive limits', () => {
  for (const [letter, bytes] of [
    ['x', 1],
    ['\x7f', 1],
    ['\x80', 2],
    ['\u07ff', 2],
    ['\u0800', 3],
    ['漢', 3],
    ['🕊', 4],
  ] as const) {
    const html = letter.repeat(Math.floor(MAX_HTML_BYTES / bytes))
    assert.equal(templateProblem({ subject: letter.repeat(150), html }), undefined)
    assert.notEqual(templateProblem({ subject: 'Hi', html: html + letter }), undefined)
  }
})

test('measures html by its UTF-8 length, for any characters', () => {
  const property = fc.property(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.integer({ min: -9, max: 9 }),
    (letters, off) => {
      const size = Buffer.byteLength(letters)
      const html = letters + 'x'.repeat(Math.max(MAX_HTML_BYTES - size + off, 0))
      const isTooLarge = templateProblem({ subject: 'Hi', html }) !== undefined
      assert.equal(isTooLarge, Buffer.byteLength(html) > MAX_HTML_BYTES)
    },
  )
  fc.assert(property, { numRuns: 100 })
})
