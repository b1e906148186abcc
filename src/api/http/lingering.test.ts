import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import pino from 'pino'
import { openIds } from '../../engines/crypto/ids.ts'
import { refuse } from '../../flows/errors.ts'
import { openFastify } from './fastify.ts'
import { type LingerBounds, lingering, needsLingering } from './lingering.ts'

const MEGABYTE = 1024 * 1024
const UPLOAD = Buffer.alloc(8 * MEGABYTE, 'x')
const ANSWER = Buffer.from('refused')
const ENDLESS: LingerBounds = { bytes: 1024 * MEGABYTE, forMs: 600_000, silentForMs: 600_000 }
const TIMES = 5

const CHUNK = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'x'), Buffer.from('\r\n')])
const CHUNKED = Buffer.concat([...Array.from({ length: 128 }, () => CHUNK), Buffer.from('0\r\n\r\n')])
const OF_LENGTH = `content-length: ${UPLOAD.length}`

for (const [what, path, header, body, status, code] of [
  ['too large by its length', '/small', OF_LENGTH, UPLOAD, 413, 'PAYLOAD_TOO_LARGE'],
  ['too large without a length', '/small', 'transfer-encoding: chunked', CHUNKED, 413, 'PAYLOAD_TOO_LARGE'],
  ['of nobody', '/guarded', OF_LENGTH, UPLOAD, 401, 'UNAUTHENTICATED'],
  ['of nobody, without a length', '/guarded', 'transfer-encoding: chunked', CHUNKED, 401, 'UNAUTHENTICATED'],
  ['to no path', '/nowhere', OF_LENGTH, UPLOAD, 404, 'NOT_FOUND'],
] as const) {
  test(`a client that writes all of an upload before it reads gets the whole ${status}: an upload ${what}`, async () => {
    await using api = await openApi()
    for (let n = 0; n < TIMES; n += 1) {
      const socket = connect(api.port, '127.0.0.1').pause()
      await write(socket, `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${header}\r\n\r\n`)
      await write(socket, body)
      const [head = '', problem = ''] = (await buffer(socket)).toString().split('\r\n\r\n')
      assert.match(head, new RegExp(`^HTTP/1.1 ${status} `))
      assert.match(head, /connection: close/i)
      assert.equal(JSON.parse(problem).error_code, code)
    }
  })
}

test('the answer is there before the body has arrived, and the connection closes once it has', async () => {
  await using server = await openServer({})
  const socket = await server.post(1000)
  await write(socket, 'x'.repeat(10))
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /\r\n\r\nrefused$/)
  await write(socket, 'x'.repeat(990))
  assert.equal((await buffer(socket)).length, 0)
})

test('a client that goes on for ever is closed after so many bytes', async () => {
  await using server = await openServer({ bytes: 4 * MEGABYTE })
  const socket = await server.post(Number.MAX_SAFE_INTEGER)
  const pour = (): void => {
    while (socket.write(UPLOAD.subarray(0, 65_536)));
  }
  socket.on('drain', pour).resume()
  pour()
  await new Promise((resolve) => socket.once('close', resolve))
  const { bytesRead } = (await server.request).socket
  // Node reads up to 2 MB at a time.
  assert.ok(bytesRead > 4 * MEGABYTE && bytesRead < 12 * MEGABYTE, `${bytesRead} bytes`)
})

test('a client that sends nothing more is closed after a while', async () => {
  await using server = await openServer({ silentForMs: 50 })
  const socket = await server.post(1000)
  assert.match((await buffer(socket)).toString(), /\r\n\r\nrefused$/)
})

test('a client that sends a little from time to time is closed in the end', async () => {
  await using server = await openServer({ forMs: 200 })
  const socket = await server.post(MEGABYTE)
  const dripping = setInterval(() => socket.write('x'), 5)
  assert.match((await buffer(socket)).toString(), /\r\n\r\nrefused$/)
  clearInterval(dripping)
})

test('every byte begins the time of silence anew', async () => {
  const body = new PassThrough()
  let bytes = 0
  const dripping = setInterval(() => {
    body.write('x')
    bytes += 1
    if (bytes === 40) clearInterval(dripping)
  }, 5)
  await buffer(lingering(body as unknown as IncomingMessage, ANSWER, { ...ENDLESS, silentForMs: 50 }))
  assert.equal(bytes, 40)
})

test('a client that disconnects ends it', async () => {
  await using server = await openServer({})
  const socket = await server.post(1000)
  await once(socket, 'data')
  socket.resetAndDestroy()
  await server.ended
})

test('only an answer that may be lost lingers', () => {
  const waiting = { complete: false, destroyed: false }
  const isLost = (request: object, isClosing = false) => needsLingering(request as IncomingMessage, isClosing)
  const chunked = { 'transfer-encoding': 'chunked' }
  const of = (bytes: number) => ({ 'content-length': String(bytes) })
  assert.ok(isLost({ ...waiting, headers: chunked }))
  assert.ok(isLost({ ...waiting, headers: of(65_537) }))
  assert.ok(isLost({ ...waiting, headers: of(1) }, true))
  assert.ok(!isLost({ ...waiting, headers: of(65_536) }))
  assert.ok(!isLost({ ...waiting, headers: of(0) }, true))
  assert.ok(!isLost({ ...waiting, headers: {} }, true))
  assert.ok(!isLost({ complete: true, destroyed: false, headers: chunked }))
  assert.ok(!isLost({ complete: false, destroyed: true, headers: chunked }))
})

const write = (socket: Socket, bytes: string | Buffer): Promise<void> =>
  new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())))

async function openApi() {
  const app = openFastify({ ids: openIds(), logger: pino({ enabled: false }) })
  app.post('/small', async () => 'taken')
  const onRequest = (_request: unknown, _reply: unknown, done: (error: Error) => void): void =>
    done(refuse('UNAUTHENTICATED', 'Who are you?'))
  app.post('/guarded', { onRequest }, async () => 'taken')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return { port, [Symbol.asyncDispose]: () => app.close() }
}

/** Refuses every request with a lingering answer, whose bounds are out of reach unless given. */
async function openServer(bounds: Partial<LingerBounds>) {
  const { promise: request, resolve: setRequest } = Promise.withResolvers<IncomingMessage>()
  const { promise: ended, resolve: end } = Promise.withResolvers<unknown>()
  const server: Server = createServer((incoming, response) => {
    response.writeHead(413, { connection: 'close', 'content-length': ANSWER.length })
    const payload = lingering(incoming, ANSWER, { ...ENDLESS, ...bounds })
    payload.on('data', (chunk) => response.write(chunk))
    payload.on('end', () => end(response.end()))
    setRequest(incoming)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    request,
    ended,
    /** Announces a body of this size. */
    post: async (bytes: number): Promise<Socket> => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      socket.on('error', () => undefined)
      await write(socket, `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n`)
      return socket
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
