import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseSenderId } from './sender-id.ts'

test('accepts numbers, short codes and names', () => {
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

test('refuses everything else', () => {
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

test('trims a sender', () => {
  assert.equal(parseSenderId('  Pombo\n'), 'Pombo')
})

test('a sender has 1 to 20 characters, including the plus', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.constantFrom('a', '7', 'ç', '漢'), (length, character) => {
      assert.equal(parseSenderId(character.repeat(length)) !== undefined, length <= 20)
      assert.equal(parseSenderId(`+${'5'.repeat(length)}`) !== undefined, length <= 19)
    }),
  )
})

test('an accepted sender is one line of 1 to 20 letters, digits and a few marks', () => {
  const text = fc.string({ unit: fc.constantFrom(...'aZ9é+ ._&-@\n\t<'), maxLength: 25 })
  fc.assert(
    fc.property(text, (text) => {
      const sender = parseSenderId(text)
      if (sender !== undefined) assert.match(sender, /^[\p{L}\p{N} ._&+-]{1,20}$/u)
    }),
    { numRuns: 500 },
  )
})
