import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openCallKeys } from './call-keys.ts'

test('calls with the same arguments have the same key, in any order of the fields', () => {
  const keyOf = openCallKeys()
  assert.equal(keyOf({ to: '1', data: { a: 1, b: 2 } }), keyOf({ data: { b: 2, a: 1 }, to: '1' }))
  assert.equal(keyOf({ to: '1', tag: undefined }), keyOf({ to: '1' }))
  assert.match(keyOf({}), /^mcp-[\w-]{43}$/)
})

test('calls with other arguments have another key', () => {
  const keyOf = openCallKeys()
  const args = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string()), fc.integer()))
  fc.assert(
    fc.property(args, args, (one, other) => {
      const same = JSON.stringify(Object.entries(one).toSorted()) === JSON.stringify(Object.entries(other).toSorted())
      return same || keyOf(one) !== keyOf(other)
    }),
  )
  assert.notEqual(keyOf({ tags: ['a', 'b'] }), keyOf({ tags: ['b', 'a'] }))
})

test('another process has other keys: nobody can guess a text from the id of its message', () => {
  assert.notEqual(openCallKeys()({ to: '1' }), openCallKeys()({ to: '1' }))
})
