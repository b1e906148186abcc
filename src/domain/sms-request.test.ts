import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ParsedSms, parseSmsRequest, type SmsRequest } from './sms-request.ts'
import { instant } from './time.ts'

const NOW = instant(Date.UTC(2030, 0, 1))
const REQUEST: SmsRequest = { to: '+5511987654321', message: 'hello' }

const parse = (change: Partial<SmsRequest>, maxParts = 24): ParsedSms =>
  parseSmsRequest({ ...REQUEST, ...change }, maxParts)

/** The paths of the fields that were refused. */
function refused(change: Partial<SmsRequest>, maxParts?: number): readonly string[] {
  const parsed = parse(change, maxParts)
  return parsed.kind === 'bad' ? parsed.problems.map(({ path }) => path) : []
}

test('a request of a number and a text is enough', () => {
  assert.deepEqual(parse({}), {
    kind: 'ok',
    content: { channel: 'sms', kind: 'sms', to: '+5511987654321', body: 'hello', metadata: {}, tags: [] },
    segmentation: { text: 'hello', encoding: 'gsm7', units: 5, segments: 1 },
  })
})

test('everything a caller may say is kept, with texts trimmed and times read', () => {
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

test('S1-P2 a request to anything but an E.164 number is refused', () => {
  const wrong = fc.string({ unit: fc.constantFrom(...'+0123456789 x') }).filter((to) => !/^\+[1-9]\d{1,14}$/.test(to))
  fc.assert(fc.property(wrong, (to) => assert.deepEqual(refused({ to }), ['to'])))
})

test('S1-P3 a request with a message of over 1600 characters is refused', () => {
  const length = fc.integer({ min: 1601, max: 5_000 })
  fc.assert(fc.property(length, (length) => assert.deepEqual(refused({ message: 'a'.repeat(length) }), ['message'])))
})

test('every bad field is named at once', () => {
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

test('a message of too many parts is told how many, and which characters force UCS-2', () => {
  const problem = (message: string, maxParts: number): unknown => {
    const parsed = parse({ message }, maxParts)
    return parsed.kind === 'bad' && parsed.problems[0]?.message
  }
  assert.equal(problem('a'.repeat(307), 2), 'would be 3 parts, more than the 2 allowed')
  assert.equal(problem(`ã${'a'.repeat(134)}ç`, 2), 'would be 3 parts, more than the 2 allowed; ã ç force UCS-2')
  assert.deepEqual(refused({ message: 'a'.repeat(306) }, 2), [])
})

test('two requests that differ only in the order of their metadata have the same content', () => {
  const entries = fc.uniqueArray(fc.tuple(fc.string(), fc.string()), { selector: ([key]) => key, maxLength: 6 })
  const metadata = entries.filter((entries) => !entries.flat().join('').includes('\0'))
  fc.assert(
    fc.property(metadata, (entries) => {
      const [one, other] = [entries, entries.toReversed()].map((list) => parse({ metadata: Object.fromEntries(list) }))
      assert.equal(JSON.stringify(one), JSON.stringify(other))
    }),
  )
})
