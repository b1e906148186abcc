/** A second, independent table of GSM 03.38 to test the code against, and texts close to every limit. */
import fc from 'fast-check'

export const ESC = 0x1b
/** GSM 03.38 by code, 16 per line; the escape character is at 0x1B. */
export const ALPHABET = [
  '@£$¥èéùìòÇ\nØø\rÅå',
  'Δ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ',
  ' !"#¤%&\'()*+,-./',
  '0123456789:;<=>?',
  '¡ABCDEFGHIJKLMNO',
  'PQRSTUVWXYZÄÖÑÜ§',
  '¿abcdefghijklmno',
  'pqrstuvwxyzäöñüà',
].join('')
export const EXTENDED = new Map(
  Object.entries({ '\f': 10, '^': 20, '{': 40, '}': 41, '\\': 47, '[': 60, '~': 61, ']': 62, '|': 64, '€': 101 }),
)

const textOf = (unit: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .integer({ min: 0, max: 500 })
    .chain((length) => fc.array(unit, { minLength: length, maxLength: length }))
    .map((characters) => characters.join(''))
const basic = fc.constantFrom(...ALPHABET.replace('\u001b', ''))
const extended = fc.constantFrom(...EXTENDED.keys())
export const anyText = fc.oneof(
  textOf(fc.oneof(basic, extended)),
  textOf(fc.oneof({ weight: 9, arbitrary: basic }, { weight: 1, arbitrary: extended })),
  textOf(fc.oneof(basic, fc.constantFrom('я', '😀', '`'))),
  textOf(fc.oneof({ weight: 9, arbitrary: fc.constant('я') }, { weight: 1, arbitrary: fc.constant('😀') })),
  textOf(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
  textOf(fc.constantFrom('a', '\ud83d', '\ude00')),
)
