import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { seconds } from '../../lib/time.ts'
import { Connection } from './connection.ts'
import { COMMANDS, STATUS, toPdu } from './pdu.ts'

const ENQUIRY = toPdu(COMMANDS.enquire_link, 1, STATUS.ok)
const MEGABYTE = 1024 * 1024
const MEGABYTES = 64

type Accepted = Readonly<{ socket: Socket; connection: Connection }>

/** A connection over loopback, and its client, which does not read. */
async function openWorld() {
  let accepted: Accepted | undefined
  const server = createServer((socket) => {
    const connection = new Connection(socket, {
      onPdu: () => undefined,
      onBadLength: () => connection.end(),
      onClose: () => undefined,
      isFull: () => false,
    })
    accepted = { socket, connection }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => undefined)
  after(() => {
    client.destroy()
    accepted?.socket.destroy()
    server.close()
  })
  return { client, ...(await until('the connection', () => accepted)) }
}

/** Writes until the network takes no more. */
async function fill({ socket, connection }: Accepted): Promise<void> {
  const pdu = toPdu(COMMANDS.generic_nack, 1, STATUS.ok, Buffer.alloc(64 * 1024))
  let stuck = 0
  while (stuck < 20) {
    if (socket.writableLength === 0) connection.write(pdu)
    const before = socket.writableLength
    await new Promise(setImmediate)
    stuck = socket.writableLength === before && before > 0 ? stuck + 1 : 0
  }
}

test('a client that writes on and reads nothing cannot keep a connection open that has ended', async () => {
  const { client, socket, connection } = await openWorld()
  await fill({ socket, connection })
  connection.end()
  const writing = setInterval(() => client.write(ENQUIRY), 50)
  try {
    await once(socket, 'close', { signal: AbortSignal.timeout(seconds(5)) })
  } finally {
    clearInterval(writing)
  }
})

test('what a client writes after the end is not kept', async () => {
  const { client, socket, connection } = await openWorld()
  await fill({ socket, connection })
  connection.end()
  const closed = once(socket, 'close')
  const chunk = Buffer.alloc(MEGABYTE, ENQUIRY)
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  for (let sent = 0; sent < MEGABYTES && !socket.destroyed; sent += 1) {
    const written = new Promise((resolve) => client.write(chunk, resolve))
    await Promise.race([written, closed])
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  assert.ok(socket.bytesRead > 4 * MEGABYTE, `only ${socket.bytesRead} octets were read`)
  // Each octet is read into memory once, and collected at some time.
  assert.ok(most < 1.5 * MEGABYTES * MEGABYTE, `${most} octets were held`)
})
