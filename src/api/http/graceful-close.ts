/**
 * Graceful shutdown of the HTTP server. Only the caller knows whether a request is on its way on a kept-alive
 * connection, so we stop accepting connections, ask callers with every response to close theirs, and close what is
 * left once no request has arrived for a while.
 */
import { Server, type Socket } from 'node:net'
import { setImmediate as nextTick, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const IDLE_MILLIS = 250
/** Bounds the wait for callers that never close their connection. */
const MAX_MILLIS = 3_000

/** From `preClose` on, Fastify sends `Connection: close` with every response. */
export function closeGracefully(app: FastifyInstance): void {
  const { server } = app
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    if (server.listening) await drain(server)
    // Node closes only connections that have had a request, and ends the rest by a timeout that stops with the server.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    // A connection that is still being answered when we close would otherwise stay open for over a minute.
    server.keepAliveTimeout = 1
  })
}

async function drain(server: FastifyInstance['server']): Promise<void> {
  // Accept connections that were made before this tick.
  await nextTick()
  // Only stop listening: http.Server#close would also close every connection that looks idle.
  Server.prototype.close.call(server)
  let requests = 0
  server.on('request', () => {
    requests += 1
  })
  const deadline = performance.now() + MAX_MILLIS
  for (let before = -1; before !== requests && performance.now() < deadline; ) {
    before = requests
    await wait(IDLE_MILLIS)
    // Under load the timer may fire late, with requests still unread on their sockets.
    await nextTick()
  }
}
