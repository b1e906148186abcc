import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toSegmentation } from './segments.ts'
import { MAX_SMS_CHARACTERS, parseSmsBody } from './sms-body.ts'

const ofLength = (min: number, max: number, unit: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(fc.integer({ min, max }), unit).map(([length, unit]) => unit.repeat(length).slice(0, length))
const unit = fc.constantFrom('a', 'я', '€', 'ab c', 'x\ny')

test('S1-P3 a text of over 1600 characters is refused', () => {
  const long = ofLength(1, 3_000, unit).map((text) => `a${text.padEnd(MAX_SMS_CHARACTERS, 'b')}b`)
  fc.assert(fc.property(long, (text) => assert.equal(parseSmsBody(text), 'too-long')))
  fc.assert(fc.property(fc.integer({ min: 1601, max: 1700 }), (n) => parseSmsBody('😀'.repeat(n)) === 'too-long'))
})

test('S1-P3 a text of 1 to 1600 characters is accepted with its segments', () => {
  const short = ofLength(0, MAX_SMS_CHARACTERS - 2, unit).map((text) => `a${text}b`)
  fc.assert(fc.property(short, (text) => assert.deepEqual(parseSmsBody(text), { text, ...toSegmentation(text) })))
})

test('S1-P3 the limit is exactly 1600', () => {
  assert.equal(MAX_SMS_CHARACTERS, 1600)
  assert.deepEqual(parseSmsBody('a'.repeat(1600)), {
    text: 'a'.repeat(1600),
    encoding: 'gsm7',
    units: 1600,
    segments: 11,
  })
  assert.equal(parseSmsBody('a'.repeat(1601)), 'too-long')
})

test('trims a text before measuring it', () => {
  const body = { text: 'hi there', encoding: 'gsm7', units: 8, segments: 1 }
  assert.deepEqual(parseSmsBody(' \n hi there\t\u00a0'), body)
  assert.deepEqual(parseSmsBody(`hi there${' '.repeat(2_000)}`), body)
})

test('a blank text is empty', () => {
  for (const text of ['', ' ', '\n\t\r\u00a0']) assert.equal(parseSmsBody(text), 'empty')
})

test('refuses lone surrogates and NUL', () => {
  for (const text of ['a\0b', '\0', '\ud83d', 'a\ude00b', '\ude00\ud83d']) assert.equal(parseSmsBody(text), 'not-text')
  assert.notEqual(parseSmsBody('\ud83d\ude00'), 'not-text')
})
