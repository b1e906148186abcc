/** The reference implementation here encodes and splits a text; the code under test only counts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ALPHABET, anyText, ESC, EXTENDED } from '../../../test/support/gsm-texts.ts'
import { nonGsmCharacters, type Segmentation, toSegmentation, toTextParts } from './segments.ts'

const x = (text: string, times: number): string => text.repeat(times)
const gsm = (units: number, segments: number): Segmentation => ({ encoding: 'gsm7', units, segments })
const ucs = (units: number, segments: number): Segmentation => ({ encoding: 'ucs2', units, segments })

const VECTORS: readonly (readonly [string, string, Segmentation])[] = [
  ['nothing', '', gsm(0, 1)],
  ['a×160', x('a', 160), gsm(160, 1)],
  ['a×161', x('a', 161), gsm(161, 2)],
  ['a×306', x('a', 306), gsm(306, 2)],
  ['a×307', x('a', 307), gsm(307, 3)],
  ['a×459', x('a', 459), gsm(459, 3)],
  ['a×460', x('a', 460), gsm(460, 4)],
  ['€×80', x('€', 80), gsm(160, 1)],
  ['€×81', x('€', 81), gsm(162, 2)],
  ['€×152', x('€', 152), gsm(304, 2)],
  ['€×153', x('€', 153), gsm(306, 3)],
  ['a×158+€', `${x('a', 158)}€`, gsm(160, 1)],
  ['a×159+€', `${x('a', 159)}€`, gsm(161, 2)],
  ['a×152+€+a×151', `${x('a', 152)}€${x('a', 151)}`, gsm(305, 2)],
  ['a×152+€+a×152', `${x('a', 152)}€${x('a', 152)}`, gsm(306, 3)],
  ['a×1600', x('a', 1600), gsm(1600, 11)],
  ['[', '[', gsm(2, 1)],
  ['я×70', x('я', 70), ucs(70, 1)],
  ['я×71', x('я', 71), ucs(71, 2)],
  ['я×134', x('я', 134), ucs(134, 2)],
  ['я×135', x('я', 135), ucs(135, 3)],
  ['😀×35', x('😀', 35), ucs(70, 1)],
  ['😀×36', x('😀', 36), ucs(72, 2)],
  ['😀×66', x('😀', 66), ucs(132, 2)],
  ['😀×67', x('😀', 67), ucs(134, 3)],
  ['я×66+😀+я×66', `${x('я', 66)}😀${x('я', 66)}`, ucs(134, 3)],
  ['a×69+’', `${x('a', 69)}’`, ucs(70, 1)],
  ['a×70+’', `${x('a', 70)}’`, ucs(71, 2)],
  ['a×160+backtick', `${x('a', 160)}\``, ucs(161, 3)],
  ['я×1600', x('я', 1600), ucs(1600, 24)],
]

for (const [name, text, expected] of VECTORS) {
  test(`S3-SEG ${name} is ${expected.units} units of ${expected.encoding} in ${expected.segments}`, () => {
    assert.deepEqual(toSegmentation(text), expected)
  })
}

/** The septets of a text, or undefined when a character has none. */
function toSeptets(text: string): readonly number[] | undefined {
  const codes = text.split('').map((unit) => {
    const extended = EXTENDED.get(unit)
    return extended === undefined ? [ALPHABET.indexOf(unit)] : [ESC, extended]
  })
  return codes.some(([code]) => code === -1) ? undefined : codes.flat()
}

const toUnits = (text: string): readonly number[] => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

type Codes = Readonly<{ codes: readonly number[]; single: number; room: number; mayCut: (at: number) => boolean }>

function encode(text: string): Codes {
  const septets = toSeptets(text)
  if (septets) return { codes: septets, single: 160, room: 153, mayCut: (at) => septets[at - 1] !== ESC }
  const units = toUnits(text)
  const mayCut = (at: number): boolean => !(isHigh(units[at - 1] ?? 0) && isLow(units[at] ?? 0))
  return { codes: units, single: 70, room: 67, mayCut }
}

/** Cuts after each full part, one code earlier where the cut would split a pair. */
function split({ codes, single, room, mayCut }: Codes): readonly (readonly number[])[] {
  if (codes.length <= single) return [codes]
  const parts: (readonly number[])[] = []
  for (let start = 0; start < codes.length; ) {
    const full = Math.min(start + room, codes.length)
    const end = mayCut(full) ? full : full - 1
    parts.push(codes.slice(start, end))
    start = end
  }
  return parts
}

/** The fewest parts over all valid splits, by trying every one. */
function fewest({ codes, single, room, mayCut }: Codes): number {
  if (codes.length <= single) return 1
  const best = [0]
  for (let end = 1; end <= codes.length; end += 1) {
    const starts = best.slice(Math.max(0, end - room), end)
    best.push(mayCut(end) || end === codes.length ? 1 + Math.min(...starts) : Number.POSITIVE_INFINITY)
  }
  return best.at(-1) ?? 0
}

test('S3-SEG the parts of any text fit, split no pair, and join to the text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const codes = encode(text)
      const parts = split(codes)
      const { encoding, units, segments } = toSegmentation(text)
      assert.equal(segments, parts.length)
      assert.equal(units, codes.codes.length)
      assert.equal(encoding, codes.room === 153 ? 'gsm7' : 'ucs2')
      assert.ok(parts.length === 1 || parts.every((part) => part.length <= codes.room))
      assert.deepEqual(parts.flat(), codes.codes)
      const last = parts.at(-1)
      assert.ok(parts.every((part) => part === last || part.at(-1) !== ESC || encoding === 'ucs2'))
      if (encoding === 'ucs2' && text.isWellFormed()) {
        assert.ok(parts.every((part) => String.fromCharCode(...part).isWellFormed()))
      }
    }),
    { numRuns: 500 },
  )
})

test('S3-SEG no valid split of a text needs fewer parts', () => {
  fc.assert(
    fc.property(anyText, (text) => assert.equal(toSegmentation(text).segments, fewest(encode(text)))),
    { numRuns: 200 },
  )
})

test('S3-SEG the alphabet is the 127 characters of GSM 03.38 and its ten extensions', () => {
  const accepted = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
    (character) => toSegmentation(character).encoding === 'gsm7',
  )
  const table = [...ALPHABET.replace('\u001b', ''), ...EXTENDED.keys()]
  assert.equal(table.length, 137)
  assert.deepEqual(accepted.toSorted(), table.toSorted())
})

test('S3-SEG common non-GSM characters force UCS-2', () => {
  for (const character of '`\tçáíóúâêôãõ‘’“”–—…\u00a0😀漢')
    assert.equal(toSegmentation(character).encoding, 'ucs2', character)
})

test('lists the characters that force UCS-2 once each, in order of appearance', () => {
  assert.deepEqual(nonGsmCharacters('você já é 😀 e já é 😀 €[]'), ['ê', 'á', '😀'])
  assert.deepEqual(nonGsmCharacters('plain €'), [])
})

test('a text is UCS-2 exactly when some character forces it', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.equal(toSegmentation(text).encoding === 'ucs2', nonGsmCharacters(text).length > 0)
    }),
  )
})

test('S3-SEG the displayed parts join to the text, are as long as possible, and match the count', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { encoding, units, segments } = toSegmentation(text)
      const parts = toTextParts(text)
      assert.equal(parts.map((part) => part.text).join(''), text)
      assert.equal(parts.length, segments)
      assert.equal(
        parts.reduce((sum, part) => sum + part.units, 0),
        units,
      )
      const room = encoding === 'gsm7' ? (segments === 1 ? 160 : 153) : segments === 1 ? 70 : 67
      for (const [n, part] of parts.entries()) {
        assert.ok(part.units <= room && part.units >= (n + 1 < parts.length ? room - 1 : 0))
        if (encoding === 'gsm7' || parts.length === 1) assert.equal(toSegmentation(part.text).units, part.units)
      }
    }),
    { numRuns: 300 },
  )
})
