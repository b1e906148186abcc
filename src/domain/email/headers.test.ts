import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { headerProblem } from './headers.ts'

for (const [name, value] of [
  ['X-Order', 'A-17'],
  ['x', '-'],
  ['X-Job-Title', 'x'],
  ['X-Mcdonald', 'x'],
  ['X-Campaign-Id', 'spring sale, 2030; "a" <b>'],
  ['In-Reply-To', '<1@acme.example>'],
  ['References', '<1@acme.example> <2@acme.example>'],
  ['List-Id', 'News <news.acme.example>'],
  ['Auto-Submitted', 'auto-generated'],
  ['X-Name', 'Zoë 漢 🕊'],
  ['X'.repeat(76), 'v'.repeat(998)],
] as const) {
  test(`${name.slice(0, 20)} is allowed`, () => {
    assert.equal(headerProblem(name, value), undefined)
  })
}

const RESERVED = 'is reserved'
const NAME = 'must have a name of 1 to 76 letters, digits and hyphens'
const LINE = 'must be one line of text'
const EMPTY = 'must not be empty'

/** Control headers of various relays. */
const RELAY_HEADERS = [
  'X-SES-Configuration-Set',
  'X-MC-Subaccount',
  'X-Mailgun-Drop-Message',
  'X-SMTPAPI',
  'x-pm-message-stream',
  'X-SG-EID',
  'X-MSG-EID',
  'X-MSYS-API',
  'X-MJ-TemplateID',
  'X-Virtual-MTA',
  'X-MS-Exchange-Organization-SCL',
]

for (const [name, value, problem] of [
  ['', 'x', NAME],
  ['-X', 'x', NAME],
  ['X-', 'x', NAME],
  ['X Order', 'x', NAME],
  ['X:', 'x', NAME],
  ['X\r\nBcc', 'x', NAME],
  ['X\n', 'x', NAME],
  ['Ünlaut', 'x', NAME],
  ['X'.repeat(77), 'x', NAME],
  ['Bcc', 'eve@evil.example', RESERVED],
  ['bCC', 'eve@evil.example', RESERVED],
  ['From', 'x', RESERVED],
  ['Sender', 'x', RESERVED],
  ['Message-ID', 'x', RESERVED],
  ['Content-Type', 'text/plain', RESERVED],
  ['Resent-To', 'x', RESERVED],
  ['DKIM-Signature', 'x', RESERVED],
  ['List-Unsubscribe-Post', 'x', RESERVED],
  ['x-pombo-attempt', 'x', RESERVED],
  ...RELAY_HEADERS.map((name) => [name, 'x', RESERVED] as const),
  ['X-Order', '', EMPTY],
  ['X-Order', ' \t', EMPTY],
  ['X-Order', 'x\r\nBcc: eve@evil.example', LINE],
  ['X-Order', 'x\nBcc: eve@evil.example', LINE],
  ['X-Order', 'x\rBcc: eve@evil.example', LINE],
  ['X-Order', 'x\0', LINE],
  ['X-Order', 'x\u2029y', LINE],
  ['X-Order', '\udc00', LINE],
  ['X-Order', 'v'.repeat(999), 'must have at most 998 characters'],
] as const) {
  test(`${JSON.stringify(name.slice(0, 30))}: ${JSON.stringify(value.slice(0, 30))} ${problem}`, () => {
    assert.equal(headerProblem(name, value), problem)
  })
}

test('an allowed header is one line with a valid name', () => {
  const piece = fc.constantFrom(
    'X-Order',
    'Bcc',
    ':',
    ' ',
    '\r',
    '\n',
    '\r\n',
    '\0',
    'é',
    '\u0085',
    '\u2028',
    'a@b.example',
    '-',
    '\t',
  )
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  const property = fc.property(
    fc.oneof(text, fc.constant('X-Order')),
    fc.oneof(text, fc.string({ unit: 'binary' })),
    (name, value) => {
      if (headerProblem(name, value) !== undefined) return
      assert.match(`${name}: ${value}`, /^[A-Za-z0-9-]+: [^\r\n\0\u0085\u2028\u2029]*$/)
      assert.doesNotMatch(name, /^(?:bcc|cc|to|from|subject|content-.*)$/i)
    },
  )
  fc.assert(property, { numRuns: 2_000 })
})
