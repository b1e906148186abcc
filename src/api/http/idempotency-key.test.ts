import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseIdempotencyKey } from './idempotency-key.ts'

const printable = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 255 })
const quote = (key: string): string => `"${key.replace(/["\\]/g, '\\$&')}"`

test('reads a key bare, quoted, from the field, and from both', () => {
  fc.assert(
    fc.property(printable, (key) => {
      assert.equal(parseIdempotencyKey(quote(key), undefined), key)
      assert.equal(parseIdempotencyKey(undefined, key), key)
      assert.equal(parseIdempotencyKey(quote(key), key), key)
      if (!key.startsWith('"')) assert.equal(parseIdempotencyKey(key, key), key)
    }),
  )
})

for (const [name, header, field, why] of [
  ['no key', undefined, undefined, /required/],
  ['two different keys', 'a', 'b', /differs from the header/],
  ['a quoted key beside another', '"a"', '"a"', /differs from the header/],
  ['an empty header', '', undefined, /1 to 255/],
  ['an empty quoted key', '""', 'a', /1 to 255/],
  ['a quote that never closes', '"a', undefined, /1 to 255/],
  ['a list of two', '"a", "b"', undefined, /1 to 255/],
  ['a header that is too long', 'a'.repeat(256), undefined, /1 to 255/],
  ['a header of other letters', 'chavé', undefined, /1 to 255/],
] as const) {
  test(`${name} is a problem of the field`, () => {
    const problem = parseIdempotencyKey(header, field)
    assert.ok(typeof problem === 'object')
    assert.equal(problem.path, '/idempotency_key')
    assert.match(problem.message, why)
  })
}
