import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ALPHABET, anyText, ESC, EXTENDED } from '../../../test/support/gsm-texts.ts'
import { type Room, toSegmentation } from '../../domain/message/segments.ts'
import { type Alphabet, toParts } from './parts.ts'

const BY_CODE = new Map(Array.from(EXTENDED, ([character, code]) => [code, character]))

const DECODERS: Readonly<Record<Alphabet, (octets: Uint8Array) => string>> = {
  gsm7: (octets) =>
    Array.from(octets, (code, at) => {
      if (code === ESC) return ''
      return octets[at - 1] === ESC ? BY_CODE.get(code) : ALPHABET[code]
    }).join(''),
  latin1: (octets) => String.fromCharCode(...octets),
  ucs2: (octets) => {
    const { buffer, byteOffset, byteLength } = octets
    const view = new DataView(buffer, byteOffset, byteLength)
    return Array.from({ length: byteLength / 2 }, (_, at) => String.fromCharCode(view.getUint16(at * 2))).join('')
  },
}

/** In septets or UTF-16 units, as a phone counts them. */
const unitsOf = (octets: Uint8Array, alphabet: Alphabet): number => {
  if (alphabet === 'ucs2') return octets.length / 2
  return alphabet === 'gsm7' ? octets.length : toSegmentation(DECODERS.latin1(octets)).units
}

const cut = (text: string, alphabet: Alphabet, room?: Room): readonly Uint8Array[] => {
  const parts = toParts(text, alphabet, room)
  assert.ok(parts !== undefined)
  return parts
}

const lengths = (text: string, alphabet: Alphabet, room?: Room): readonly number[] =>
  cut(text, alphabet, room).map((part) => part.length)

const x = (text: string, times: number): string => text.repeat(times)

describe('the encoding of a text', () => {
  test('uses one octet per septet in GSM 03.38, and an escape before extensions', () => {
    assert.deepEqual(cut('@$Ç\n_ §¿aà€[', 'gsm7'), [
      Uint8Array.of(0, 2, 9, 10, 0x11, 0x20, 0x5f, 0x60, 0x61, 0x7f, ESC, 0x65, ESC, 0x3c),
    ])
  })

  test('is big-endian in UCS-2, with surrogates as they are', () => {
    assert.deepEqual(cut('aя😀', 'ucs2'), [Uint8Array.of(0, 0x61, 4, 0x4f, 0xd8, 0x3d, 0xde, 0)])
  })

  test('uses one octet per character in Latin-1, also where GSM 03.38 needs two septets', () => {
    assert.deepEqual(cut('@é[', 'latin1'), [Uint8Array.of(0x40, 0xe9, 0x5b)])
    assert.deepEqual(lengths(x('[', 80), 'latin1'), [80])
    assert.deepEqual(lengths(x('[', 81), 'latin1'), [76, 5])
  })

  test('is undefined if the alphabet lacks a character', () => {
    for (const text of ['10 €', 'ΔΩ']) assert.equal(toParts(text, 'latin1'), undefined, text)
    for (const text of ['ã', '`', '😀']) {
      assert.equal(toParts(text, 'gsm7'), undefined, text)
      assert.equal(toParts(text, 'latin1'), undefined, text)
    }
  })

  test('is one empty part for an empty text', () => {
    for (const alphabet of ['gsm7', 'latin1', 'ucs2'] as const) assert.deepEqual(cut('', alphabet), [new Uint8Array()])
  })
})

/** The size of a part with a 16-bit reference. */
const WIDE_REFERENCE = { gsm7: { single: 160, part: 152 }, ucs2: { single: 70, part: 66 } } as const

describe('S3-SEG long texts', () => {
  for (const [name, text, octets, wide] of [
    ['a×160', x('a', 160), [160], [160]],
    ['a×161', x('a', 161), [153, 8], [152, 9]],
    ['a×306', x('a', 306), [153, 153], [152, 152, 2]],
    ['a×307', x('a', 307), [153, 153, 1], [152, 152, 3]],
    ['€×80', x('€', 80), [160], [160]],
    ['€×153', x('€', 153), [152, 152, 2], [152, 152, 2]],
    ['a×151+€+a×8', `${x('a', 151)}€${x('a', 8)}`, [153, 8], [151, 10]],
    ['a×152+€+a×8', `${x('a', 152)}€${x('a', 8)}`, [152, 10], [152, 10]],
  ] as const) {
    test(`${name} is ${octets.join(' + ')} octets of GSM 03.38`, () => {
      assert.deepEqual(lengths(text, 'gsm7'), octets)
      assert.deepEqual(lengths(text, 'gsm7', WIDE_REFERENCE.gsm7), wide)
    })
  }

  for (const [name, text, octets, wide] of [
    ['я×70', x('я', 70), [140], [140]],
    ['я×71', x('я', 71), [134, 8], [132, 10]],
    ['я×134', x('я', 134), [134, 134], [132, 132, 4]],
    ['😀×35', x('😀', 35), [140], [140]],
    ['😀×67', x('😀', 67), [132, 132, 4], [132, 132, 4]],
    ['я×66+😀+я×66', `${x('я', 66)}😀${x('я', 66)}`, [132, 134, 2], [132, 132, 4]],
    ['я×65+😀+я×65', `${x('я', 65)}😀${x('я', 65)}`, [134, 130], [130, 132, 2]],
  ] as const) {
    test(`${name} is ${octets.join(' + ')} octets of UCS-2`, () => {
      assert.deepEqual(lengths(text, 'ucs2'), octets)
      assert.deepEqual(lengths(text, 'ucs2', WIDE_REFERENCE.ucs2), wide)
    })
  }

  test('S3-SEG any text has as many parts as segments', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { encoding, segments } = toSegmentation(text)
        assert.equal(cut(text, encoding).length, segments)
      }),
    )
  })

  const anyRoom = fc
    .tuple(fc.integer({ min: 2, max: 200 }), fc.nat(10))
    .map(([part, header]) => ({ single: part + header, part }))
  const anyAlphabet = fc.constantFrom('gsm7', 'latin1', 'ucs2')

  test('S3-SEG the parts of any text join to it, none is too long, and no pair is split', () => {
    fc.assert(
      fc.property(anyText, anyAlphabet, anyRoom, (text, alphabet, room) => {
        const parts = toParts(text, alphabet, room)
        if (parts === undefined) return assert.notEqual(alphabet, 'ucs2')
        const texts = parts.map(DECODERS[alphabet])
        assert.equal(texts.join(''), text)
        const most = parts.length === 1 ? room.single : room.part
        assert.ok(parts.every((part) => unitsOf(part, alphabet) <= most))
        assert.ok(parts.length === 1 || parts.every((part) => part.length > 0))
        assert.ok(alphabet !== 'gsm7' || parts.every((part) => part.at(-1) !== ESC))
        assert.ok(!text.isWellFormed() || texts.every((one) => one.isWellFormed()))
      }),
      { numRuns: 500 },
    )
  })
})
