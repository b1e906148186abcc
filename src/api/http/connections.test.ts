import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import pino from 'pino'
import { until } from '../../../test/support/until.ts'
import { boundConnections, type ConnectionBounds, toNetwork } from './connections.ts'

const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'

test('an address has so many connections at once, and those beyond are closed', async () => {
  await using server = await openServer({ perAddress: 2 })
  const open = [await server.connect(), await server.connect()]
  for (let n = 0; n < 5; n += 1) assert.equal(await server.connect(), undefined)
  for (const socket of open) assert.match(await ask(socket), /^HTTP\/1.1 200 /)
})

test('a connection that closes makes room for one other', async () => {
  await using server = await openServer({ perAddress: 2 })
  await server.connect()
  for (const leave of ['end', 'destroy', 'resetAndDestroy', 'end', 'destroy'] as const) {
    const socket = await server.connect()
    assert.ok(socket)
    assert.equal(await server.connect(), undefined)
    socket[leave]()
    await until('the server to see it', () => server.open() === 1)
  }
})

test('a trusted proxy has as many connections as fit', async () => {
  let isTrusted = true
  await using server = await openServer({ connections: 4, perAddress: 1, isTrusted: () => isTrusted })
  for (let n = 0; n < 3; n += 1) assert.ok(await server.connect())
  isTrusted = false
  assert.ok(await server.connect())
  isTrusted = true
  assert.equal(await server.connect(), undefined)
})

test('who was refused is logged from time to time', async () => {
  await using server = await openServer({ perAddress: 1 })
  await server.connect()
  for (let n = 0; n < 5; n += 1) await server.connect()
  assert.deepEqual(server.lines, [
    { level: 40, reason: 'too many connections of one address', count: 1, msg: 'http: connections refused' },
  ])
})

for (const [what, one, other] of [
  ['an IPv4 address on an IPv6 socket', '::ffff:192.0.2.1', '192.0.2.1'],
  ['the same in capitals', '::FFFF:192.0.2.1', '192.0.2.1'],
  ['addresses of one /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
  ['a /64 with zeros left out', '2001:db8::1', '2001:db8:0:0:a:b:c:d'],
  ['a /64 with zeros left out in the middle', '2001:db8::2:3:4:5:6', '2001:db8:0:2::'],
  ['a /64 with zeros left out at its beginning', '::2:3:4:5:6:7', '0:0:2:3::'],
  ['the loopback address and none at all', '::1', '::'],
  ['link-local addresses, whatever their zone', 'fe80::1%eth0', 'fe80::2%eth1'],
  ['a link-local address with its zeros', 'fe80::1:2:3:4%eth0', 'fe80:0:0:0:1:2:3:4'],
] as const) {
  test(`one network: ${what}`, () => assert.equal(toNetwork(one), toNetwork(other)))
}

test('other addresses of IPv4 and other /64 of IPv6 are other networks', () => {
  const addresses = [
    '192.0.2.1',
    '192.0.2.2',
    '::1',
    '1::',
    '::1:0:0:0:1',
    '2001:db8::1',
    '2001:db8:0:1::1',
    '2001:db9::',
  ]
  assert.equal(new Set(addresses.map(toNetwork)).size, addresses.length)
})

async function openServer(bounds: Partial<ConnectionBounds>) {
  const lines: unknown[] = []
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const server = createServer((_request, response) => response.end('here'))
  boundConnections(server, { connections: 100, perAddress: 100, isTrusted: () => false, ...bounds }, logger)
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    if (!socket.destroyed) open.add(socket.once('close', () => open.delete(socket)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const clients: Socket[] = []
  return {
    lines,
    open: () => open.size,
    /** Undefined if the server closed it at once. */
    connect: async (): Promise<Socket | undefined> => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      clients.push(socket)
      return await Promise.race([
        once(socket, 'close').then(() => undefined),
        once(server, 'connection').then(([served]) => (served.destroyed ? undefined : socket)),
      ])
    },
    async [Symbol.asyncDispose]() {
      for (const socket of clients) socket.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function ask(socket: Socket | undefined): Promise<string> {
  assert.ok(socket)
  socket.write(REQUEST)
  const [answer] = await once(socket, 'data')
  return String(answer)
}
