import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import type { RecipientId } from '../directory/recipient.ts'
import type { EmailAddress } from '../email/address.ts'
import { toAsked } from '../message/message.ts'
import { type EmailComposed, type EmailRequest, type ParsedEmail, parseEmailRequest } from './email-request.ts'
import type { FieldProblem } from './request-fields.ts'

const REQUEST: EmailRequest = { to: 'ana@example.com', subject: 'Hello', html: '<p>Hello</p>' }
const FILE = { filename: 'a.txt', content_type: 'text/plain', content: 'aGk=' }

const parse = (change: Partial<EmailRequest>): ParsedEmail => parseEmailRequest({ ...REQUEST, ...change })

function problemsOf(change: Partial<EmailRequest>): readonly FieldProblem[] {
  const parsed = parse(change)
  return parsed.kind === 'bad' ? parsed.problems : []
}

/** The paths of the refused fields. */
const refused = (change: Partial<EmailRequest>): readonly string[] => problemsOf(change).map(({ path }) => path)

test('accepts a request with an address, a subject and html', () => {
  assert.deepEqual(parse({}), {
    kind: 'ok',
    content: { channel: 'email', kind: 'email', ...REQUEST, metadata: {}, tags: [] },
  })
})

test('keeps all fields, in a fixed order', () => {
  const parsed = parse({
    callback_url: 'https://example.com/hook',
    expires_at: '2030-01-01T00:05:00Z',
    tags: ['shop'],
    metadata: { order: '7' },
    unsubscribe: { mailto: 'stop@Acme.example', url: 'https://acme.example/stop?u=<1>' },
    attachments: [{ ...FILE, content: 'aGkh\r\naGk=', content_id: 'logo@acme' }],
    headers: { 'X-B': 'b', 'X-A': 'ä' },
    text: 'Hello',
    bcc: ['"Doe, \\"Jo\\"" <jo@example.com>'],
    cc: ['bob@Example.COM', 'Carol <carol@example.com>'],
    reply_to: 'Acme Help <help@acme.example>',
    from: 'Acme <hello@acme.example>',
  })
  const content = {
    channel: 'email',
    kind: 'email',
    to: 'ana@example.com',
    from: { address: 'hello@acme.example', name: 'Acme' },
    replyTo: [{ address: 'help@acme.example', name: 'Acme Help' }],
    cc: [{ address: 'bob@example.com' }, { address: 'carol@example.com', name: 'Carol' }],
    bcc: [{ address: 'jo@example.com', name: 'Doe, "Jo"' }],
    subject: 'Hello',
    html: '<p>Hello</p>',
    text: 'Hello',
    headers: { 'X-A': 'ä', 'X-B': 'b' },
    attachments: [{ filename: 'a.txt', contentType: 'text/plain', content: 'aGkhaGk=', contentId: 'logo@acme' }],
    unsubscribe: { url: 'https://acme.example/stop?u=%3C1%3E', mailto: 'stop@acme.example' },
    metadata: { order: '7' },
    tags: ['shop'],
    expiresAt: instant(Date.UTC(2030, 0, 1, 0, 5)),
    callbackUrl: 'https://example.com/hook',
  }
  assert.equal(JSON.stringify(parsed), JSON.stringify({ kind: 'ok', content }))
})

test('treats empty fields as missing', () => {
  const empty = { reply_to: [], cc: [], bcc: [], headers: {}, attachments: [], text: ' ' }
  assert.equal(JSON.stringify(parse(empty)), JSON.stringify(parse({})))
})

test('accepts several reply-to addresses', () => {
  const parsed = parse({ reply_to: ['a@example.com', 'B <b@example.com>'] })
  const replyTo = [{ address: 'a@example.com' }, { address: 'b@example.com', name: 'B' }]
  assert.deepEqual(parsed.kind === 'ok' && parsed.content.replyTo, replyTo)
})

test('reports all invalid fields at once', () => {
  const bad = {
    to: 'ana',
    subject: 'a\nb',
    html: '\0',
    text: '\ud800',
    from: 'Acme',
    reply_to: ['a@example.com', 'b'],
    cc: ['c'],
    bcc: ['d@'],
    headers: { Bcc: 'x@example.com', 'X-A': 'a\r\nBcc: x@example.com', 'a/b~': '' },
    attachments: [{ filename: '../x', content_type: 'text/plain; a=b', content: '!', content_id: '<x>' }],
    unsubscribe: { url: 'http://example.com', mailto: 'x' },
    expires_at: 'soon',
    metadata: { a: '\0' },
    tags: ['ok', '\ud800'],
  }
  assert.deepEqual(refused(bad), [
    'to',
    'from',
    'reply_to/1',
    'cc/0',
    'bcc/0',
    'subject',
    'html',
    'text',
    'headers/Bcc',
    'headers/X-A',
    'headers/a~1b~0',
    'attachments/0/filename',
    'attachments/0/content_type',
    'attachments/0/content',
    'attachments/0/content_id',
    'unsubscribe/url',
    'unsubscribe/mailto',
    'expires_at',
    'metadata',
    'tags/1',
  ])
})

test('reports an invalid subject or html with the code INVALID_TEMPLATE', () => {
  const code = 'INVALID_TEMPLATE'
  for (const [change, path, message] of [
    [{ subject: ' ' }, 'subject', 'is empty'],
    [{ subject: '😀'.repeat(151) }, 'subject', 'has more than 150 characters'],
    [{ html: ' \n' }, 'html', 'is empty'],
    [{ html: 'é'.repeat(256 * 1024 + 1) }, 'html', 'is larger than 512 KB'],
  ] as const) {
    assert.deepEqual(problemsOf(change), [{ path, message, code }])
  }
  assert.deepEqual(refused({ subject: '😀'.repeat(150), html: 'é'.repeat(256 * 1024) }), [])
  assert.deepEqual(refused({ text: 'é'.repeat(256 * 1024) }), [])
  assert.deepEqual(problemsOf({ text: 'é'.repeat(256 * 1024 + 1) }), [
    { path: 'text', message: 'is larger than 512 KB' },
  ])
})

test('refuses duplicate recipients, case-insensitively, and more than fifty', () => {
  const people = (count: number, first = 0): string[] =>
    Array.from({ length: count }, (_, nth) => `p${first + nth}@example.com`)
  assert.deepEqual(refused({ cc: ['ANA@example.com'] }), ['cc/0'])
  assert.deepEqual(refused({ cc: ['b@example.com', 'B <B@Example.com>'], bcc: ['b@example.com'] }), ['cc/1', 'bcc/0'])
  assert.deepEqual(refused({ from: 'ana@example.com', reply_to: 'ana@example.com' }), [])
  assert.deepEqual(refused({ cc: people(24), bcc: people(25, 24) }), [])
  assert.deepEqual(refused({ cc: people(24), bcc: people(26, 24) }), ['cc'])
  assert.deepEqual(refused({ bcc: people(50) }), ['bcc'])
})

test('header names are unique, case-insensitively', () => {
  assert.deepEqual(refused({ headers: { 'X-A': '1', 'x-a': '2' } }), ['headers/x-a'])
})

test('unsubscribe needs an https URL or an address', () => {
  assert.deepEqual(refused({ unsubscribe: {} }), ['unsubscribe'])
  for (const url of ['http://a.example', 'https://u:p@a.example', 'https://a.example/#x', 'mailto:a@b.example', 'x']) {
    assert.deepEqual(refused({ unsubscribe: { url } }), ['unsubscribe/url'], url)
  }
  assert.deepEqual(refused({ unsubscribe: { url: `https://a.example/${'x'.repeat(900)}` } }), ['unsubscribe/url'])
  assert.deepEqual(refused({ unsubscribe: { mailto: 'A <a@b.example>' } }), ['unsubscribe/mailto'])
})

test('the order of headers and metadata does not change the content', () => {
  const entries = [
    ['b', '1'],
    ['a', '2'],
    ['C', '3'],
  ] as const
  const [one, other] = [entries, entries.toReversed()].map((list) => {
    const record = Object.fromEntries(list)
    return parse({ metadata: record, headers: record })
  })
  assert.equal(JSON.stringify(one), JSON.stringify(other))
})

const COMPOSED: EmailComposed = {
  names: { recipient: { externalId: 'user-42' }, template: { name: 'hi', data: { name: 'Ana' } } },
  recipientId: '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as RecipientId,
  to: 'ana@example.com' as EmailAddress,
  text: { subject: 'Hi Ana', html: '<p>Hi Ana</p>', text: 'Hi Ana' },
  problems: [],
}
const NAMING: EmailRequest = { recipient_external_id: 'user-42', template: { name: 'hi', data: { name: 'Ana' } } }

test('uses the composed recipient and template, and keeps the names of the request', () => {
  const parsed = parseEmailRequest(NAMING, COMPOSED)
  assert.deepEqual(parsed.kind === 'ok' && parsed.content, {
    channel: 'email',
    kind: 'email',
    to: 'ana@example.com',
    ...COMPOSED.text,
    recipientId: COMPOSED.recipientId,
    recipientExternalId: 'user-42',
    template: COMPOSED.names.template,
    metadata: {},
    tags: [],
  })
})

test('requests with the same names are equal, whatever they were composed to', () => {
  const asked = (composed: Partial<EmailComposed>): string => {
    const parsed = parseEmailRequest(NAMING, { ...COMPOSED, ...composed })
    return parsed.kind === 'ok' ? JSON.stringify(toAsked(parsed.content)) : ''
  }
  const elsewhere = { to: 'ben@example.com' as EmailAddress, text: { subject: 'Oi', html: 'Oi' } }
  assert.equal(asked(elsewhere), asked({}))
  assert.notEqual(asked({ names: { ...COMPOSED.names, template: { name: 'hi', data: {} } } }), asked({}))
})

test('requires exactly one form of recipient and of text', () => {
  const paths = (request: EmailRequest): readonly string[] => {
    const parsed = parseEmailRequest(request, COMPOSED)
    return parsed.kind === 'bad' ? parsed.problems.map(({ path }) => path) : []
  }
  assert.deepEqual(paths({}), ['to', 'subject', 'html'])
  assert.deepEqual(paths({ ...NAMING, to: 'ana@example.com' }), ['recipient_external_id'])
  for (const part of ['subject', 'html', 'text']) assert.deepEqual(paths({ ...NAMING, [part]: 'x' }), ['template'])
  assert.deepEqual(paths({ recipient_id: 'x', subject: 'x', html: 'x' }), [])
})

test('applies the same rules to rendered templates and reports problems on the template', () => {
  const said = (text: Partial<EmailComposed['text']>): unknown => {
    const parsed = parseEmailRequest(NAMING, { ...COMPOSED, text: { subject: 'Hi', html: 'Hi', ...text } })
    return parsed.kind === 'bad' && parsed.problems
  }
  const code = 'INVALID_TEMPLATE'
  assert.deepEqual(said({ html: ' ' }), [{ path: 'template', message: 'renders an email whose html is empty', code }])
  assert.deepEqual(said({ subject: 'a\nBcc: b' }), [
    { path: 'template', message: 'renders an email whose subject must be one line' },
  ])
})
