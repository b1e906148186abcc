import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { signFrom, toHmacSha1State } from './hmac-sha1.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }).filter((text) => text.isWellFormed()),
  // The lengths around which the padding takes another block.
  fc.integer({ min: 0, max: 300 }).map((length) => 'x'.repeat(length)),
)

test('signs exactly as Node does with the key', () => {
  fc.assert(
    fc.property(anyText, anyText, (key, text) => {
      const expected = createHmac('sha1', key).update(text).digest('base64')
      assert.equal(signFrom(toHmacSha1State(key), text), expected)
    }),
    { numRuns: 500 },
  )
})

test('the state does not contain the key', () => {
  const key = 'pk_live_8f3k1x0q7zab_S3cretS3cretS3cretS3cretS3cretS3cretS3cr'
  const state = Buffer.from(toHmacSha1State(key), 'base64')
  assert.equal(state.length, 40)
  assert.ok(!state.toString('latin1').includes(key.slice(0, 8)))
})
