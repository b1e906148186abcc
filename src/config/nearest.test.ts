import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { editDistance, nearest } from './nearest.ts'

test('finds the nearest name, and none that is too different', () => {
  assert.equal(nearest('serch', ['serve', 'search', 'show']), 'search')
  assert.equal(nearest('xyz', ['serve', 'search', 'show']), undefined)
})

test('the distance is zero only for equal words, symmetric, and at most the length of the longer word', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.string({ unit: 'grapheme-ascii' }), (one, other) => {
      const distance = editDistance(one, other)
      assert.equal(distance === 0, one === other)
      assert.equal(distance, editDistance(other, one))
      assert(distance <= Math.max(one.length, other.length))
    }),
  )
})

test('an added letter is a distance of one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.nat(), (word, position) => {
      const at = position % (word.length + 1)
      assert.equal(editDistance(word, `${word.slice(0, at)}~${word.slice(at)}`), 1)
    }),
  )
})
