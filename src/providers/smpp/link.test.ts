import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { Link } from './link.ts'
import { toOctets } from './pdu.ts'

const MOST_UNSENT = 8 * 1024 * 1024
const LARGE = { system_id: 'shop', password: 'x'.repeat(60_000), system_type: '', interface_version: 0x34 }

test('an SMSC that writes on and reads nothing cannot keep a connection open that has ended', async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    sockets.push(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  let isClosed = false
  const { port } = server.address() as AddressInfo
  const link = new Link(
    { host: '127.0.0.1', port },
    {
      onOpen: () => undefined,
      onPdu: () => undefined,
      onClose: () => {
        isClosed = true
      },
    },
  )
  const smsc = await until('the connection', () => sockets[0])
  // More than the network takes.
  for (let sent = 0; sent < MOST_UNSENT; sent += LARGE.password.length) link.write('bind_transceiver', 1, 0, LARGE)
  link.end()
  const writing = setInterval(() => smsc.write(toOctets('enquire_link', 1)), 50)
  try {
    await until('the end', () => isClosed, { withinMs: 5_000 })
  } finally {
    clearInterval(writing)
  }
})
