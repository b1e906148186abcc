import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../../../test/support/random.ts'
import { ConcatenationReferences } from './concatenation-references.ts'

const times = <T>(count: number, make: () => T): readonly T[] => Array.from({ length: count }, make)

test('start at a random number and repeat after 256 messages to one recipient', () => {
  const references = new ConcatenationReferences(() => 0.999_99)
  const all = times(256, () => references.next('1555'))
  assert.deepEqual([all[0], new Set(all).size, Math.min(...all), Math.max(...all)], [255, 256, 0, 255])
  assert.equal(references.next('1555'), all[0])
})

test('are independent of messages to other recipients', () => {
  const references = new ConcatenationReferences(seededRandom(7))
  const all = times(256, () => {
    for (const other of ['1556', '1557', '1558']) references.next(other)
    return references.next('1555')
  })
  assert.equal(new Set(all).size, 256)
})

test('are remembered for a bounded number of recent recipients', () => {
  let rolls = 0
  const references = new ConcatenationReferences(() => {
    rolls += 1
    return 0
  }, 10)
  for (const recipient of ['a', 'b', 'a', 'c', 'a']) references.next(recipient)
  assert.equal(rolls, 3)
  for (let n = 0; n < 20; n += 1) references.next(`recipient ${n}`)
  references.next('a')
  assert.equal(rolls, 24)
})
