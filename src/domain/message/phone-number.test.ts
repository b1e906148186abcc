import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maskPhoneNumber, type PhoneNumber, parsePhoneNumber } from './phone-number.ts'

const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 14 })
const e164 = fc.tuple(fc.integer({ min: 1, max: 9 }), digits).map(([first, rest]) => `+${first}${rest.join('')}`)

/** Written without a regular expression, to be independent of the one under test. */
function isE164(text: string): boolean {
  const [plus, first, ...rest] = text.split('')
  const isDigit = (character: string): boolean => '0123456789'.includes(character)
  const isLead = first !== undefined && first !== '0' && isDigit(first)
  return plus === '+' && isLead && rest.every(isDigit) && rest.length >= 1 && rest.length <= 14
}

test('S1-P2 every string of the E.164 format is accepted unchanged', () => {
  fc.assert(fc.property(e164, (text) => assert.equal(parsePhoneNumber(text), text)))
})

test('S1-P2 every string not of the E.164 format is refused', () => {
  const nearly = fc.string({ unit: fc.constantFrom(...'+0123456789 -()\n٣'), maxLength: 18 })
  const spoilt = fc.tuple(e164, fc.nat({ max: 15 }), fc.constantFrom('', ' ', '+', 'x', '\n', '１', '00000000000000'))
  const altered = spoilt.map(([text, index, by]) => text.slice(0, index) + by + text.slice(index + 1))
  fc.assert(
    fc.property(fc.oneof(nearly, altered, fc.string({ unit: 'binary' })), (text) => {
      assert.equal(parsePhoneNumber(text), isE164(text) ? text : undefined)
    }),
    { numRuns: 1_000 },
  )
})

test('S1-P2 common number formats that are not E.164 are refused', () => {
  const wrong = ['', '+', '+1', '5511987654321', '+0511987654321', '+1234567890123456', '+55 11 98765-4321']
  for (const text of [...wrong, '+5511987654321\n', '+٥٥١١٩٨٧٦', '++5511']) {
    assert.equal(parsePhoneNumber(text), undefined, JSON.stringify(text))
  }
})

test('S1-P14 a masked number shows its last four digits, no other, and not its length', () => {
  const long = e164.filter((text) => text.length > 5)
  fc.assert(
    fc.property(long, (text) => {
      const masked = maskPhoneNumber(text as PhoneNumber)
      assert.match(masked, /^\+\*{7}\d{4}$/)
      assert.ok(text.endsWith(masked.slice(-4)))
    }),
  )
})

test('S1-P14 a number of four digits or fewer shows none', () => {
  for (const text of ['+12', '+123', '+1234']) assert.equal(maskPhoneNumber(text as PhoneNumber), '+*******')
  assert.equal(maskPhoneNumber('+12345' as PhoneNumber), '+*******2345')
})
