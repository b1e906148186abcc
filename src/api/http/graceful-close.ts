/**
 * How a stopping server takes leave. A connection may only be closed by us when no request is on its way on
 * it, and nobody but the caller knows that: so nobody new is let in, every answer asks the caller to close
 * its connection, and what is left is closed once all has been quiet for a while.
 */
import { Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const QUIET_MILLIS = 250
/** A caller that does not close its connection would keep us for ever. */
const LONGEST_MILLIS = 3_000

/** Takes leave before `app` closes. From then on Fastify asks for the connection to be closed with every answer. */
export function closeGracefully(app: FastifyInstance): void {
  const { server } = app
  app.addHook('preClose', async () => {
    if (server.listening) await takeLeave(server)
    // A connection that is still being answered when we close would be kept for the next request for over a minute.
    server.keepAliveTimeout = 1
  })
}

async function takeLeave(server: FastifyInstance['server']): Promise<void> {
  // Whoever has connected before this turn is let in; the door would be shut in the face of the others.
  await nextTurn()
  // The door only: closing the server would close all connections that look idle with it.
  Server.prototype.close.call(server)
  let arrived = 0
  server.on('request', () => {
    arrived += 1
  })
  const leaveAt = performance.now() + LONGEST_MILLIS
  for (let heard = -1; heard !== arrived && performance.now() < leaveAt; ) {
    heard = arrived
    await wait(QUIET_MILLIS)
    // Where we are late, requests may lie unread when the wait is over.
    await nextTurn()
  }
}
