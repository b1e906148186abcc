import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { GSM_BASIC, GSM_ESCAPE, GSM_EXTENSION } from '../../domain/message/segments.ts'
import { codingOf, toText } from './texts.ts'

for (const [dataCoding, expected] of [
  [0x00, 'gsm7'],
  [0x01, 'latin1'],
  [0x03, 'latin1'],
  [0x08, 'ucs2'],
  [0x10, 'gsm7 flash'],
  [0x11, 'gsm7'],
  [0x18, 'ucs2 flash'],
  [0xf0, 'gsm7 flash'],
  [0xf1, 'gsm7'],
  [0x02, undefined],
  [0x04, undefined],
  [0x05, undefined],
  [0x14, undefined],
  [0xf4, undefined],
  [0x20, undefined],
] as const) {
  test(`data_coding ${dataCoding.toString(16)} is ${expected ?? 'refused'}`, () => {
    const coding = codingOf(dataCoding)
    assert.equal(coding && `${coding.alphabet}${coding.isFlash ? ' flash' : ''}`, expected)
  })
}

test('every character of GSM 03.38 is decoded', () => {
  const basic = Array.from(GSM_BASIC, ([character, code]) => ({ character, octets: [code] }))
  const extended = Array.from(GSM_EXTENSION, ([character, code]) => ({ character, octets: [GSM_ESCAPE, code] }))
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...basic, ...extended)), (all) => {
      const octets = Uint8Array.from(all.flatMap((one) => one.octets))
      assert.equal(toText(octets, 'gsm7'), all.map(({ character }) => character).join(''))
    }),
  )
})

test('an unknown extension is shown as the basic character, and a last escape as a space', () => {
  assert.equal(toText(Uint8Array.of(0x1b, 0x41, 0x1b), 'gsm7'), 'A ')
})

test('octets above 7f are not GSM 03.38, and half a unit is not UCS-2', () => {
  assert.equal(toText(Uint8Array.of(0x80), 'gsm7'), undefined)
  assert.equal(toText(Uint8Array.of(0x1b, 0x80), 'gsm7'), undefined)
  assert.equal(toText(Uint8Array.of(0, 0x41, 0), 'ucs2'), undefined)
})

test('UCS-2 is big-endian, and decoding leaves the octets alone', () => {
  const octets = Uint8Array.of(0x04, 0x1f, 0xd8, 0x3c, 0xdf, 0x89)
  assert.equal(toText(octets, 'ucs2'), 'П🎉')
  assert.equal(octets[0], 0x04)
})
