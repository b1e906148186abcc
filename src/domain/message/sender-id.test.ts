import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseSenderId } from './sender-id.ts'

test('numbers, short codes and names are accepted', () => {
  const senders = [
    '+5511987654321',
    '28500',
    '5511987654321',
    'Pombo',
    'C&A',
    'Canal+',
    'Dr. No',
    'my_shop-2',
    'Ação',
    '7',
  ]
  for (const text of senders) assert.equal(parseSenderId(text), text, text)
})

test('what is neither a number nor a name is refused', () => {
  const wrong = [
    '',
    '   ',
    '+',
    '++55',
    '+55 11',
    '+Pombo',
    '-x',
    '.x',
    '&',
    'a@b',
    'a\nb',
    'a\0b',
    'a<b>',
    'a/b',
    '😀',
  ]
  for (const text of wrong) assert.equal(parseSenderId(text), undefined, JSON.stringify(text))
})

test('blanks around a sender do not belong to it', () => {
  assert.equal(parseSenderId('  Pombo\n'), 'Pombo')
})

test('a sender has one to twenty characters, its plus included', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.constantFrom('a', '7', 'ç', '漢'), (length, character) => {
      assert.equal(parseSenderId(character.repeat(length)) !== undefined, length <= 20)
      assert.equal(parseSenderId(`+${'5'.repeat(length)}`) !== undefined, length <= 19)
    }),
  )
})

test('whatever is accepted is one line of one to twenty letters, digits and a few marks', () => {
  const text = fc.string({ unit: fc.constantFrom(...'aZ9é+ ._&-@\n\t<'), maxLength: 25 })
  fc.assert(
    fc.property(text, (text) => {
      const sender = parseSenderId(text)
      if (sender !== undefined) assert.match(sender, /^[\p{L}\p{N} ._&+-]{1,20}$/u)
    }),
    { numRuns: 500 },
  )
})
