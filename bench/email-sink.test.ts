import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startProcess } from './processes.ts'

const PIECES = [
  ['EHLO us\r\nMAIL FROM:<a@acme.example>\r\nRC', 'PT TO:<b@example.com>\r\nDATA\r\n'],
  ['Subject: hi\r\n\r\n..a dot\r\n', 'QUIT\r\n', '.\r', '\nMAIL FROM:<a@acme.example>\r\n'],
  ['DATA\r\n.\r\nWHAT\r\nQUIT\r\n'],
].flat()

test('answers pipelined commands, finds the end of a split email, and handles QUIT', {
  timeout: 30_000,
}, async () => {
  await using sink = await startProcess({
    name: 'the mail server',
    file: process.execPath,
    args: [join(import.meta.dirname, 'email-sink.ts')],
    ready: /^(\d+)$/m,
  })
  const socket = connect({ port: Number(sink.matched[1]), host: '127.0.0.1', noDelay: true })
  const answers = text(socket)
  await once(socket, 'connect')
  for (const piece of PIECES) {
    await new Promise((resolve) => socket.write(piece, resolve))
    await new Promise(setImmediate)
  }
  const codes = (await answers).split('\r\n').filter((line) => line[3] === ' ')
  assert.deepEqual(
    codes.map((line) => line.slice(0, 3)),
    ['220', '250', '250', '250', '354', '250', '250', '354', '250', '502', '221'],
  )
})
