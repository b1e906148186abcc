import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { Unavailable } from '../../ports/unavailable.ts'
import { Database, openPool } from './database.ts'

/** A message of PostgreSQL's protocol: a type, the length, and what it holds. */
function toMessage(type: string, ...parts: readonly (string | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const head = Buffer.from([type.charCodeAt(0), 0, 0, 0, 0])
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const AUTHENTICATED = toMessage('R', [0, 0, 0, 0])
const READY = toMessage('Z', 'I')
const TERMINATED = toMessage('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')

test('a server that shuts down while it answers a new connection is unavailable, and ends no process', async () => {
  await using server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, TERMINATED])))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await using database = new Database(openPool(`postgres://pombo@127.0.0.1:${port}/pombo`), async () => undefined)
  await assert.rejects(database.asSystem('select 1'), Unavailable)
})
