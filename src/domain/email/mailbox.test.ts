import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseMailbox } from './mailbox.ts'

for (const [text, expected] of [
  ['ana@acme.example', { address: 'ana@acme.example' }],
  [' ana@ACME.example ', { address: 'ana@acme.example' }],
  ['<ana@acme.example>', { address: 'ana@acme.example' }],
  ['"" <ana@acme.example>', { address: 'ana@acme.example' }],
  ['Ana <ana@acme.example>', { address: 'ana@acme.example', name: 'Ana' }],
  ['Ana<ana@acme.example>', { address: 'ana@acme.example', name: 'Ana' }],
  ['Ana of Acme, Ltd. <ana@acme.example>', { address: 'ana@acme.example', name: 'Ana of Acme, Ltd.' }],
  ['"Acme, Ltd <1>" <ana@acme.example>', { address: 'ana@acme.example', name: 'Acme, Ltd <1>' }],
  ['"Ana \\"A\\\\B\\" C" <ana@acme.example>', { address: 'ana@acme.example', name: 'Ana "A\\B" C' }],
  ['Zoë 漢 🕊 <z@acme.example>', { address: 'z@acme.example', name: 'Zoë 漢 🕊' }],
  [`${'n'.repeat(100)} <z@acme.example>`, { address: 'z@acme.example', name: 'n'.repeat(100) }],
] as const) {
  test(`${text} is a mailbox`, () => {
    assert.deepEqual(parseMailbox(text), expected)
  })
}

for (const text of [
  '',
  'Ana',
  'Ana <>',
  'Ana <ana>',
  'Ana <ana@acme.example',
  'Ana ana@acme.example',
  'Ana <ana@acme.example> and more',
  'Ana <ana@acme.example>, Bob <bob@acme.example>',
  'ana@acme.example, bob@acme.example',
  'Ana <<ana@acme.example>>',
  '"Ana <ana@acme.example>',
  'Ana "A" <ana@acme.example>',
  'Ana\r\nBcc: eve@evil.example <ana@acme.example>',
  '"Ana\nBcc: eve@evil.example" <ana@acme.example>',
  'Ana <ana@acme.example\r\n>',
  'Ana\u2028Eve <ana@acme.example>',
  'Ana\0 <ana@acme.example>',
  '\ud800 <ana@acme.example>',
  `${'n'.repeat(101)} <ana@acme.example>`,
]) {
  test(`${JSON.stringify(text)} is not a mailbox`, () => {
    assert.equal(parseMailbox(text), undefined)
  })
}

const part = fc.constantFrom(
  'ana',
  '@',
  'acme.example',
  '<',
  '>',
  '"',
  '\\',
  ',',
  ':',
  ';',
  '\r\n',
  '\n',
  '\0',
  ' ',
  'é',
  '\u2028',
  '\u0085',
)

test('a parsed mailbox has a valid address and a name on one line', () => {
  const texts = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
  const likely = fc.tuple(texts, texts).map(([name, rest]) => `${name} <ana@acme.example>${rest}`)
  const property = fc.property(fc.oneof(texts, likely, fc.string({ unit: 'binary' })), (text) => {
    const box = parseMailbox(text)
    if (box === undefined) return
    assert.match(box.address, /^[^\s<>",]+@[a-z0-9.-]+$/)
    assert.doesNotMatch(box.name ?? '', /[\r\n\0\u0085\u2028\u2029]/)
  })
  fc.assert(property, { numRuns: 2_000 })
})

test('a quoted name is unescaped', () => {
  const names = fc.array(fc.constantFrom('A', 'b', '"', '\\', '<', '>', ',', 'é', '🕊', '@'), {
    minLength: 1,
    maxLength: 30,
  })
  const property = fc.property(names, (letters) => {
    const name = letters.join('')
    const quoted = name.replace(/["\\]/g, '\\$&')
    assert.deepEqual(parseMailbox(`"${quoted}" <ana@acme.example>`), { address: 'ana@acme.example', name })
  })
  fc.assert(property, { numRuns: 500 })
})
