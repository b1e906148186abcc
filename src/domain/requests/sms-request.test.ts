import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant } from '../../lib/time.ts'
import type { RecipientId } from '../directory/recipient.ts'
import { toAsked } from '../message/message.ts'
import type { PhoneNumber } from '../message/phone-number.ts'
import { type ParsedSms, parseSmsRequest, type SmsComposed, type SmsRequest } from './sms-request.ts'

const NOW = instant(Date.UTC(2030, 0, 1))
const REQUEST: SmsRequest = { to: '+5511987654321', message: 'hello' }

const parse = (change: Partial<SmsRequest>, maxParts = 24): ParsedSms =>
  parseSmsRequest({ ...REQUEST, ...change }, maxParts)

/** The paths of the refused fields. */
function refused(change: Partial<SmsRequest>, maxParts?: number): readonly string[] {
  const parsed = parse(change, maxParts)
  return parsed.kind === 'bad' ? parsed.problems.map(({ path }) => path) : []
}

test('accepts a request with a number and a text', () => {
  assert.deepEqual(parse({}), {
    kind: 'ok',
    content: { channel: 'sms', kind: 'sms', to: '+5511987654321', body: 'hello', metadata: {}, tags: [] },
    segmentation: { text: 'hello', encoding: 'gsm7', units: 5, segments: 1 },
  })
})

test('keeps all fields, with texts trimmed and times parsed', () => {
  const parsed = parse({
    message: ' hello ',
    type: 'flash_sms',
    sender_id: ' Pombo ',
    metadata: { order: '7' },
    tags: ['shop'],
    expires_at: '2030-01-01T00:05:00Z',
    callback_url: 'https://example.com/hook',
  })
  assert.deepEqual(parsed.kind === 'ok' && parsed.content, {
    channel: 'sms',
    kind: 'flash_sms',
    to: '+5511987654321',
    from: 'Pombo',
    body: 'hello',
    metadata: { order: '7' },
    tags: ['shop'],
    expiresAt: instant(NOW + 300_000),
    callbackUrl: 'https://example.com/hook',
  })
})

test('the content has its fields in one order, because a repeated call is compared with the stored content as JSON', () => {
  const parsed = parse({
    callback_url: 'https://example.com/hook',
    expires_at: '2030-01-01T00:05:00Z',
    tags: ['shop'],
    metadata: { order: '7' },
    sender_id: 'Pombo',
  })
  const fields = parsed.kind === 'ok' ? Object.keys(parsed.content) : []
  const expected = ['channel', 'kind', 'to', 'from', 'body', 'metadata', 'tags', 'expiresAt', 'callbackUrl']
  assert.deepEqual(fields, expected)
})

test('S1-P2 a request to anything but an E.164 number is refused', () => {
  const wrong = fc.string({ unit: fc.constantFrom(...'+0123456789 x') }).filter((to) => !/^\+[1-9]\d{1,14}$/.test(to))
  fc.assert(fc.property(wrong, (to) => assert.deepEqual(refused({ to }), ['to'])))
})

test('S1-P3 a request with a message of over 1600 characters is refused', () => {
  const length = fc.integer({ min: 1601, max: 5_000 })
  fc.assert(fc.property(length, (length) => assert.deepEqual(refused({ message: 'a'.repeat(length) }), ['message'])))
})

test('reports all invalid fields at once', () => {
  const bad = {
    to: '5511',
    message: ' ',
    sender_id: '+',
    expires_at: 'soon',
    metadata: { a: '\0' },
    tags: ['ok', '\ud800'],
  }
  assert.deepEqual(refused(bad), ['to', 'message', 'sender_id', 'expires_at', 'metadata', 'tags/1'])
  assert.deepEqual(refused({ metadata: { '\0': 'a' } }), ['metadata'])
  assert.deepEqual(refused({ message: 'a\0' }), ['message'])
})

test('refuses a message with too many segments and names the characters that force UCS-2', () => {
  const problem = (message: string, maxParts: number): unknown => {
    const parsed = parse({ message }, maxParts)
    return parsed.kind === 'bad' && parsed.problems[0]?.message
  }
  assert.equal(problem('a'.repeat(307), 2), 'would take 3 segments; the maximum is 2')
  assert.equal(problem(`ã${'a'.repeat(134)}ç`, 2), 'would take 3 segments; the maximum is 2; UCS-2 is needed for ã ç')
  assert.deepEqual(refused({ message: 'a'.repeat(306) }, 2), [])
})

test('the order of metadata does not change the content', () => {
  const entries = fc.uniqueArray(fc.tuple(fc.string(), fc.string()), { selector: ([key]) => key, maxLength: 6 })
  const metadata = entries.filter((entries) => !entries.flat().join('').includes('\0'))
  fc.assert(
    fc.property(metadata, (entries) => {
      const [one, other] = [entries, entries.toReversed()].map((list) => parse({ metadata: Object.fromEntries(list) }))
      assert.equal(JSON.stringify(one), JSON.stringify(other))
    }),
  )
})

const COMPOSED: SmsComposed = {
  names: { recipient: { externalId: 'user-42' }, template: { name: 'hi', data: { name: 'Ana' } } },
  recipientId: '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as RecipientId,
  to: '+5511987654321' as PhoneNumber,
  text: ' Hi Ana ',
  problems: [],
}
const NAMING: SmsRequest = { recipient_external_id: 'user-42', template: { name: 'hi', data: { name: 'Ana' } } }

test('uses the composed recipient and template, and keeps the names of the request', () => {
  const parsed = parseSmsRequest(NAMING, 24, COMPOSED)
  assert.deepEqual(parsed.kind === 'ok' && parsed.content, {
    channel: 'sms',
    kind: 'sms',
    to: '+5511987654321',
    body: 'Hi Ana',
    recipientId: COMPOSED.recipientId,
    recipientExternalId: 'user-42',
    template: COMPOSED.names.template,
    metadata: {},
    tags: [],
  })
})

test('requests with the same names are equal, whatever they were composed to', () => {
  const asked = (composed: Partial<SmsComposed>, request = NAMING): string => {
    const parsed = parseSmsRequest(request, 24, { ...COMPOSED, ...composed })
    return parsed.kind === 'ok' ? JSON.stringify(toAsked(parsed.content)) : ''
  }
  const elsewhere = { to: '+10' as PhoneNumber, text: 'Oi Ana', recipientId: 'another' as RecipientId }
  assert.equal(asked(elsewhere), asked({}))
  const other = { ...COMPOSED.names, template: { name: 'hi', data: { name: 'Ben' } } }
  assert.notEqual(asked({ names: other }), asked({}))
  assert.notEqual(asked({ names: { recipient: { externalId: 'user-43' } } }), asked({}))
  assert.notEqual(asked({ names: {} }), asked({ ...elsewhere, names: {} }))
})

test('requires exactly one form of recipient and of text', () => {
  const paths = (request: SmsRequest): readonly string[] => {
    const parsed = parseSmsRequest(request, 24, COMPOSED)
    return parsed.kind === 'bad' ? parsed.problems.map(({ path }) => path) : []
  }
  assert.deepEqual(paths({}), ['to', 'message'])
  assert.deepEqual(paths({ ...NAMING, to: '+10' }), ['recipient_external_id'])
  assert.deepEqual(paths({ ...NAMING, recipient_id: 'x' }), ['recipient_external_id'])
  assert.deepEqual(paths({ to: '+10', recipient_id: 'x', message: 'hi' }), ['recipient_id'])
  assert.deepEqual(paths({ ...NAMING, message: 'hi' }), ['template'])
  assert.deepEqual(paths({ recipient_id: 'x', message: 'hi' }), [])
  assert.deepEqual(paths({ to: '+10', template: { name: 'hi' } }), [])
})

test('reports name problems with all others, and problems of a rendered text on the template', () => {
  const problems = [{ path: 'recipient_external_id', message: 'is not the id of a recipient in the directory' }]
  const { to: _, ...lost } = COMPOSED
  const parsed = parseSmsRequest({ ...NAMING, sender_id: '+' }, 24, { ...lost, text: ' ', problems })
  assert.deepEqual(parsed.kind === 'bad' && parsed.problems, [
    ...problems,
    { path: 'template', message: 'renders a text that must not be empty' },
    { path: 'sender_id', message: 'must be 1 to 20 letters, digits, spaces or . _ & + -' },
  ])
})
