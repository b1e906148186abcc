import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BAD_LENGTH, FrameReader } from './frame-reader.ts'

const BOUNDS = { min: 8, max: 64 }

function frameOf(body: Uint8Array): Buffer {
  const frame = Buffer.alloc(4 + body.length)
  frame.writeUInt32BE(frame.length)
  frame.set(body, 4)
  return frame
}

function readAll(reader: FrameReader): Buffer[] {
  const frames: Buffer[] = []
  for (let next = reader.next(); next !== undefined; next = reader.next()) {
    if (next === BAD_LENGTH) assert.fail('a length is out of bounds')
    frames.push(Buffer.from(next))
  }
  return frames
}

test('frames arrive whole, however the stream is cut', () => {
  const bodies = fc.array(fc.uint8Array({ minLength: 4, maxLength: 60 }), { maxLength: 8 })
  fc.assert(
    fc.property(bodies, fc.array(fc.integer({ min: 1, max: 20 })), (all, cuts) => {
      const frames = all.map(frameOf)
      const stream = Buffer.concat(frames)
      const reader = new FrameReader(BOUNDS)
      const read: Buffer[] = []
      let at = 0
      for (const cut of [...cuts, stream.length]) {
        reader.push(stream.subarray(at, at + cut))
        at += cut
        read.push(...readAll(reader))
      }
      assert.deepEqual(read, frames)
    }),
  )
})

for (const length of [0, 7, 65, 0xffff_ffff]) {
  test(`a length of ${length} ends the stream as soon as it has arrived`, () => {
    const reader = new FrameReader(BOUNDS)
    const octets = Buffer.alloc(4)
    octets.writeUInt32BE(length)
    reader.push(octets.subarray(0, 3))
    assert.equal(reader.next(), undefined)
    reader.push(octets.subarray(3))
    assert.equal(reader.next(), BAD_LENGTH)
  })
}
