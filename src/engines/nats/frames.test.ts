import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Frame, FrameWriter } from './frames.ts'

const LIMIT = 1_000_000

function collect() {
  const pieces: Uint8Array[] = []
  const writer = new FrameWriter((piece) => pieces.push(piece))
  return { pieces, writer, write: (frame: Frame) => writer.write(frame, LIMIT) }
}

function encode(...frames: readonly Frame[]): string {
  const { pieces, writer, write } = collect()
  for (const frame of frames) write(frame)
  writer.flush()
  return Buffer.concat(pieces).toString()
}

describe('a message is encoded', () => {
  test('with a payload, and without', () => {
    assert.equal(encode({ subject: 'a.b', payload: 'text' }), 'PUB a.b 4\r\ntext\r\n')
    assert.equal(encode({ subject: 'a.b', payload: Buffer.from([1, 2]) }), 'PUB a.b 2\r\n\x01\x02\r\n')
    assert.equal(encode({ subject: 'a.b', payload: '' }), 'PUB a.b 0\r\n\r\n')
  })

  test('with a subject for its replies', () => {
    assert.equal(encode({ subject: 'a', payload: 'x', reply: 'inbox.7' }), 'PUB a inbox.7 1\r\nx\r\n')
  })

  test('with headers', () => {
    const headers = { First: 'one', Second: 2 }
    const block = 'NATS/1.0\r\nFirst: one\r\nSecond: 2\r\n\r\n'
    assert.equal(encode({ subject: 'a', payload: 'xy', headers }), `HPUB a ${block.length} 37\r\n${block}xy\r\n`)
  })

  test('with lengths in bytes, not in characters', () => {
    const block = 'NATS/1.0\r\nName: é\r\n\r\n'
    assert.equal(encode({ subject: 'ü.€', payload: '😀é' }), 'PUB ü.€ 6\r\n😀é\r\n')
    assert.equal(encode({ subject: 'a', payload: '', headers: { Name: 'é' } }), `HPUB a 22 22\r\n${block}\r\n`)
  })
})

describe('an invalid message is refused, and leaves no trace', () => {
  const invalid: Readonly<Record<string, Frame>> = {
    'no subject': { subject: '', payload: '' },
    'a space in the subject': { subject: 'a b', payload: '' },
    'a line break in the subject': { subject: 'a\r\nPUB b', payload: '' },
    'a colon in the name of a header': { subject: 'a', payload: '', headers: { 'a:b': 1 } },
    'a line break in a header': { subject: 'a', payload: '', headers: { a: 'b\r\nc: d' } },
    'a payload above the limit': { subject: 'a', payload: Buffer.alloc(LIMIT + 1) },
    'a payload above the limit with its headers': { subject: 'a', payload: Buffer.alloc(LIMIT - 3), headers: { a: 1 } },
  }
  for (const [name, frame] of Object.entries(invalid)) {
    test(name, () => {
      const { pieces, writer, write } = collect()
      write({ subject: 'before', payload: '1' })
      assert.throws(() => write(frame))
      write({ subject: 'after', payload: '2' })
      writer.flush()
      assert.equal(Buffer.concat(pieces).toString(), 'PUB before 1\r\n1\r\nPUB after 1\r\n2\r\n')
    })
  }
})

describe('messages are handed over', () => {
  test('in one piece, once', () => {
    const { pieces, writer, write } = collect()
    for (const payload of ['1', '2', '3']) write({ subject: 'a', payload })
    assert.equal(pieces.length, 0)
    writer.flush()
    writer.flush()
    assert.equal(pieces.length, 1)
  })

  test('not after they were dropped', () => {
    const { pieces, writer, write } = collect()
    write({ subject: 'a', payload: 'lost' })
    writer.drop()
    write({ subject: 'a', payload: 'kept' })
    writer.flush()
    assert.deepEqual(pieces.map(String), [String(Buffer.from('PUB a 4\r\nkept\r\n'))])
  })

  test('in order and complete, however many and large they are, and are never overwritten', () => {
    const { pieces, writer, write } = collect()
    const sizes = [1, 40_000, 200_000, 3, 65_536, 0, 12_000]
    const expected: string[] = []
    for (let round = 0; round < 50; round += 1) {
      const payload = String.fromCharCode(97 + (round % 26)).repeat(sizes[round % sizes.length] ?? 0)
      write({ subject: `s.${round}`, payload: round % 2 === 0 ? payload : Buffer.from(payload) })
      if (round % 5 === 0) writer.flush()
      expected.push(`PUB s.${round} ${payload.length}\r\n${payload}\r\n`)
    }
    writer.flush()
    assert.equal(Buffer.concat(pieces).toString(), expected.join(''))
  })
})
