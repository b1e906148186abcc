import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { editDistance, nearest } from './nearest.ts'

test('the nearest name is found, and none that is far', () => {
  assert.equal(nearest('serch', ['serve', 'search', 'show']), 'search')
  assert.equal(nearest('xyz', ['serve', 'search', 'show']), undefined)
})

test('a distance is zero for equal words only, the same both ways, and never more than the longer word', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.string({ unit: 'grapheme-ascii' }), (one, other) => {
      const distance = editDistance(one, other)
      assert.equal(distance === 0, one === other)
      assert.equal(distance, editDistance(other, one))
      assert(distance <= Math.max(one.length, other.length))
    }),
  )
})

test('one letter added is a distance of one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.nat(), (word, place) => {
      const at = place % (word.length + 1)
      assert.equal(editDistance(word, `${word.slice(0, at)}~${word.slice(at)}`), 1)
    }),
  )
})
