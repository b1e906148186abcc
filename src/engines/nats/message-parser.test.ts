import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Parser } from '@nats-io/nats-core/internal'
import fc from 'fast-check'
import { MessageParser } from './message-parser.ts'

type Parse = (push: (event: object) => void) => { parse(piece: Uint8Array): void }

const ours: Parse = (push) => new MessageParser(new Parser({ push }), push)
const theirs: Parse = (push) => new Parser({ push })

/** What a parser makes of these pieces, in plain data. */
function read(toParser: Parse, pieces: readonly Uint8Array[]) {
  const events: object[] = []
  const parser = toParser((event) => events.push(toPlain(event)))
  for (const piece of pieces) parser.parse(piece)
  return events
}

const toPlain = (value: object): object =>
  Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      if (part instanceof Uint8Array) return [name, Buffer.from(part).toString('latin1')]
      return [name, typeof part === 'object' && part !== null ? toPlain(part) : part]
    }),
  )

function cut(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const edges = [...cuts.map((at) => at % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b)
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end))
}

const token = fc.stringMatching(/^[a-z0-9$_.]{1,20}$/)
const body = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1'))
const reply = fc.oneof(
  fc.constant(''),
  token.map((name) => `${name} `),
)
const plain = fc
  .tuple(token, fc.nat(), reply, body)
  .map(([subject, sid, to, data]) => `MSG ${subject} ${sid} ${to}${data.length}\r\n${data}\r\n`)
const headed = fc.tuple(token, fc.nat(), reply, body).map(([subject, sid, to, data]) => {
  const block = 'NATS/1.0\r\nName: value\r\n\r\n'
  return `HMSG ${subject} ${sid} ${to}${block.length} ${block.length + data.length}\r\n${block}${data}\r\n`
})
const other = fc.constantFrom('PING\r\n', 'PONG\r\n', '+OK\r\n', "-ERR 'no'\r\n", 'INFO {}\r\n', 'msg a 1\t2\r\nxx\r\n')
const commands = fc.array(fc.oneof({ weight: 3, arbitrary: fc.oneof(plain, headed) }, other), { maxLength: 12 })

test('reads what the driver reads, wherever the bytes are cut', () => {
  const property = fc.property(commands, fc.array(fc.nat(), { maxLength: 5 }), (lines, cuts) => {
    const pieces = cut(Buffer.from(lines.join(''), 'latin1'), cuts)
    assert.deepEqual(read(ours, pieces), read(theirs, pieces))
  })
  fc.assert(property, { numRuns: 1_000 })
})

test('leaves lines that are no message to the driver', () => {
  const [whole, after] = ['MSG a 1 2\r\nxx\r\n', 'PING\r\n']
  for (const broken of [
    'MSG a 1\r\n',
    'MSG a b 2\r\nxx\r\n',
    'HMSG a 1 9 2\r\nxx\r\n',
    'MSG a 1 r q w 2\r\n',
    'HELLO\r\n',
  ]) {
    assert.throws(() => read(ours, [Buffer.from(whole + broken + after)]), /parse error|Parse Error|Missing/i, broken)
  }
})
