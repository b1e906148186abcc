import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import Fastify from 'fastify'
import { closeGracefully } from './graceful-close.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
/** Shorter than the idle time that is waited for. */
const OFTEN_MILLIS = 100

async function openDoor() {
  const app = Fastify({ return503OnClosing: false })
  app.get('/', async () => 'here')
  closeGracefully(app)
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  return { app, port: Number(port) }
}

/** Everything the caller receives until its connection closes. */
async function responseOf(caller: Socket): Promise<string> {
  let received = ''
  for await (const chunk of caller) received += chunk
  return received
}

test('answers a request on an open connection during shutdown, with Connection: close', async () => {
  const { app, port } = await openDoor()
  const callers = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  const responses = callers.map(responseOf)
  for (const caller of callers) {
    caller.write(REQUEST)
    await once(caller, 'data')
  }
  const closed = app.close()
  for (const caller of callers) {
    await wait(OFTEN_MILLIS)
    caller.write(REQUEST)
  }
  for (const answer of await Promise.all(responses)) {
    assert.equal(answer.match(/HTTP\/1.1 200 OK/g)?.length, 2)
    assert.match(answer, /connection: close/i)
  }
  await closed
})

test('answers connections made just before shutdown, and accepts none after', async () => {
  const { app, port } = await openDoor()
  const caller = connect(port, '127.0.0.1')
  await once(caller, 'connect')
  const received = responseOf(caller)
  const closed = app.close()
  caller.write(REQUEST)
  while (app.server.listening) await new Promise(setImmediate)
  const late = connect(port, '127.0.0.1')
  const [error] = await once(late, 'error')
  assert.equal(error.code, 'ECONNREFUSED')
  assert.match(await received, /HTTP\/1.1 200 OK/)
  await closed
})

test('does not wait for connections that never carried a request', async () => {
  const { app, port } = await openDoor()
  const caller = connect(port, '127.0.0.1')
  await once(caller, 'connect')
  while ((await connectionsOf(app.server)) === 0) await new Promise(setImmediate)
  const received = responseOf(caller)
  await app.close()
  assert.equal(await received, '')
})

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))
