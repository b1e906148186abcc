import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { openSlowProxy, type SlowProxy } from './slow-proxy.ts'
import { until } from './until.ts'

const LATENCY = [20, 50] as const
const NEVER_STALLS = { stallEveryMs: Number.MAX_SAFE_INTEGER, stallMs: 0 }

async function openEcho() {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    port,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

async function call({ port }: SlowProxy): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

test('a slow proxy forwards all bytes in order, up to the end of the stream', async () => {
  await using echo = await openEcho()
  await using proxy = await openSlowProxy({ host: '127.0.0.1', port: echo.port })
  proxy.setPace({ latencyMs: [0, 30], stallEveryMs: 20, stallMs: 10 })
  await using socket = await call(proxy)
  const sent = Array.from({ length: 2_000 }, (_, nth) => `${nth} `.repeat(nth % 50)).join('')
  for (let at = 0; at < sent.length; at += 500) socket.write(sent.slice(at, at + 500))
  socket.end()
  const received = await socket.setEncoding('utf8').toArray()
  assert.equal(received.join(''), sent)
})

test('a round trip takes the latency of both directions, and none when the latency is off', async () => {
  await using echo = await openEcho()
  await using proxy = await openSlowProxy({ host: '127.0.0.1', port: echo.port })
  await using socket = await call(proxy)
  const ask = async (): Promise<number> => {
    const askedAt = performance.now()
    socket.write('?')
    await once(socket, 'data')
    return performance.now() - askedAt
  }
  proxy.setPace({ latencyMs: LATENCY, ...NEVER_STALLS })
  const slow = await ask()
  assert.ok(slow >= 2 * LATENCY[0], `${slow} ms`)
  proxy.setPace(undefined)
  await until('a prompt answer', async () => (await ask()) < 2 * LATENCY[0])
})

test('it stalls from time to time and forwards the delayed bytes afterwards', async (t) => {
  await using echo = await openEcho()
  await using proxy = await openSlowProxy({ host: '127.0.0.1', port: echo.port })
  proxy.setPace({ latencyMs: [0, 0], stallEveryMs: 50, stallMs: 200 })
  await using socket = await call(proxy)
  let longest = 0
  let last = performance.now()
  socket.on('data', () => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  })
  const writing = setInterval(() => socket.write('.'), 2)
  t.after(() => clearInterval(writing))
  await until('a stall', () => longest >= 190)
})

test('a reset on one side closes the other, and an unreachable target closes the connection', async () => {
  await using echo = await openEcho()
  await using proxy = await openSlowProxy({ host: '127.0.0.1', port: echo.port })
  const socket = await call(proxy)
  socket.on('error', () => undefined)
  await until('the connection', () => proxy.connections() === 1 && echo.sockets.size === 1)
  for (const other of echo.sockets) other.resetAndDestroy()
  await until('its end', () => socket.closed && proxy.connections() === 0)

  await using unreachable = await openSlowProxy({ host: '127.0.0.1', port: 1 })
  const refused = connect({ port: unreachable.port, host: '127.0.0.1' }).on('error', () => undefined)
  await until('its end', () => refused.closed)
})
