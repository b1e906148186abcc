/** The SMS parts counted by the console, compared with the gateway. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isOutsideGsm, toSegments } from '../../../console/src/ui/segments.ts'
import { nonGsmCharacters, toSegmentation, toTextParts } from '../../../src/domain/message/segments.ts'
import { anyText } from '../../support/gsm-texts.ts'

test('S3-SEG splits every text like the gateway, in the same encoding', () => {
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

test('reports the same non-GSM characters as the gateway', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.deepEqual([...new Set([...text].filter(isOutsideGsm))], [...nonGsmCharacters(text)])
    }),
  )
})

test('an empty text is one empty part', () => {
  assert.deepEqual(toSegments(''), { encoding: 'gsm7', parts: [{ text: '', units: 0 }], room: 160 })
})

test('the room is that of a single part until it is full, then that of a multipart message', () => {
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
