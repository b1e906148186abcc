/** How the console counts the parts of an SMS while it is written, held to how the gateway cuts it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isOutsideGsm, toSegments } from '../../../console/src/ui/segments.ts'
import { nonGsmCharacters, toSegmentation, toTextParts } from '../../../src/domain/message/segments.ts'
import { anyText } from '../../support/gsm-texts.ts'

test('S3-SEG the console cuts every text into the parts of the gateway, in the same encoding', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { encoding, parts, room } = toSegments(text)
      assert.equal(encoding, toSegmentation(text).encoding)
      assert.deepEqual(parts, toTextParts(text))
      assert.ok(parts.every(({ units }) => units <= room))
    }),
    { numRuns: 500 },
  )
})

test('the characters that cost a text its encoding are those that the gateway names', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.deepEqual([...new Set([...text].filter(isOutsideGsm))], [...nonGsmCharacters(text)])
    }),
  )
})

test('an empty text is one empty part, with all its room', () => {
  assert.deepEqual(toSegments(''), { encoding: 'gsm7', parts: [{ text: '', units: 0 }], room: 160 })
})

test('the room is that of one part alone up to its last unit, and of a joined part from the next', () => {
  const shapeOf = (text: string): unknown => {
    const { parts, room } = toSegments(text)
    return [parts.length, room]
  }
  assert.deepEqual(shapeOf('a'.repeat(160)), [1, 160])
  assert.deepEqual(shapeOf('a'.repeat(161)), [2, 153])
  assert.deepEqual(shapeOf(`${'a'.repeat(159)}€`), [2, 153])
  assert.deepEqual(shapeOf('я'.repeat(70)), [1, 70])
  assert.deepEqual(shapeOf(`${'я'.repeat(69)}😀`), [2, 67])
})
