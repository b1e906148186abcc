import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PNG } from 'pngjs'
import { comparePictures } from './compare.ts'

function square(size: number, dots = 0): Buffer {
  const png = new PNG({ width: size, height: size })
  png.data.fill(255)
  for (let dot = 0; dot < dots; dot += 1) png.data.fill(0, dot * 4, dot * 4 + 3)
  return PNG.sync.write(png)
}

test('equal pictures are the same, and so are those with as few different pixels as tolerated', () => {
  assert.deepEqual(comparePictures(square(10), square(10), 0), { kind: 'same' })
  assert.deepEqual(comparePictures(square(10), square(10, 1), 0.01), { kind: 'same' })
})

test('more different pixels are drawn, and another size is named', () => {
  const found = comparePictures(square(10), square(10, 2), 0.01)
  assert.ok(found.kind === 'different' && found.diff !== undefined)
  assert.equal(found.why, '2 pixels differ')
  assert.equal(PNG.sync.read(found.diff).width, 10)
  const sized = comparePictures(square(10), square(9), 1)
  assert.deepEqual(sized, { kind: 'different', why: '9 × 9 instead of 10 × 10 pixels' })
})
