import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { instant, seconds } from '../lib/time.ts'
import { type HttpAnswer, type HttpOptions, openHttp, retryAfterOf, toFailedOutcome } from './http.ts'
import { jsonOf } from './json.ts'

/** Handles the nth request of a connection. */
type Conduct = (socket: Socket, nth: number) => void

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'
const well: Conduct = (socket) => socket.write(OK)

/** A TCP server with any behaviour, the requests it read, and its number of connections. */
async function serve(t: TestContext, conduct: Conduct) {
  const read: string[] = []
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    let nth = 0
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      read.push(bytes.toString())
      nth += 1
      conduct(socket, nth)
    })
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { port, url: `http://127.0.0.1:${port}/x`, read, connections: () => connections, sockets }
}

function client(t: TestContext, options: HttpOptions = {}) {
  const http = openHttp(options)
  t.after(() => http[Symbol.dispose]())
  return (url: string, signal: AbortSignal = AbortSignal.timeout(5000)) =>
    http.send({ method: 'POST', url, headers: { 'x-a': 'b' }, body: 'hello' }, signal)
}

const unanswered = (kind: 'unsent' | 'unknown', reason: string) => ({ kind, reason })

test('returns status, headers and body', async (t) => {
  const { url, read } = await serve(t, (socket) =>
    socket.write('HTTP/1.1 422 No\r\nx-why: because\r\ncontent-length: 7\r\n\r\n{"a":1}'),
  )
  const answer = await client(t)(url)
  assert.ok(answer.kind === 'answered')
  assert.deepEqual([answer.status, answer.headers['x-why'], jsonOf(answer)], [422, 'because', { a: 1 }])
  assert.match(read[0] ?? '', /^POST \/x HTTP\/1\.1\r\n(.*\r\n)*x-a: b\r\n(.*\r\n)*\r\nhello$/)
})

for (const [how, text] of [
  ['with connection: close', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}'],
  ['without announcing it', OK],
  ['to end the body', 'HTTP/1.1 200 OK\r\n\r\n{}'],
] as const) {
  test(`accepts an answer of a server that closes the connection ${how}`, async (t) => {
    const { url } = await serve(t, (socket) => socket.end(text))
    const answer = await client(t)(url)
    assert.ok(answer.kind === 'answered')
    assert.deepEqual(jsonOf(answer), {})
  })
}

/** A connection is reused from the next turn of the event loop on: its server may close it right after an answer. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('reuses connections', async (t) => {
  const { url, connections } = await serve(t, well)
  const send = client(t)
  for (const _ of [1, 2, 3]) {
    assert.equal((await send(url)).kind, 'answered')
    await nextTurn()
  }
  assert.equal(connections(), 1)
})

test('a refused connection is unsent', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  server.close()
  await once(server, 'close')
  assert.deepEqual(await client(t)(`http://127.0.0.1:${port}`), unanswered('unsent', 'CONNECTION_REFUSED'))
})

test('an unknown host name is unsent', async (t) => {
  assert.deepEqual(await client(t)('http://nowhere.invalid'), unanswered('unsent', 'NAME_NOT_FOUND'))
})

test('a failed TLS handshake is unsent', async (t) => {
  const { port, read } = await serve(t, (socket) => socket.end('I do not speak TLS\r\n'))
  assert.deepEqual(await client(t)(`https://127.0.0.1:${port}`), unanswered('unsent', 'TLS_FAILED'))
  assert.ok(read.every((bytes) => !bytes.includes('hello')))
})

for (const [what, conduct, reason] of [
  ['closes without an answer', (socket) => socket.end(), 'CONNECTION_LOST'],
  ['resets the connection', (socket) => socket.resetAndDestroy(), 'CONNECTION_LOST'],
  ['closes within the head', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'), 'CONNECTION_LOST'],
  ['closes within the body', (socket) => socket.end(OK.slice(0, -1)), 'CONNECTION_LOST'],
  ['closes within a chunk', (socket) => socket.end(CHUNKED), 'CONNECTION_LOST'],
  ['does not speak HTTP', (socket) => socket.end('nonsense\r\n\r\n'), 'INVALID_RESPONSE'],
  ['switches protocols', (socket) => socket.write(UPGRADE), 'INVALID_RESPONSE'],
  [
    'exceeds the body limit',
    (socket) => socket.write(`${CHUNKED.slice(0, -2)}${'y'.repeat(9000)}`),
    'RESPONSE_TOO_LARGE',
  ],
] as const satisfies readonly (readonly [string, Conduct, string])[]) {
  test(`a server that ${what} leaves the outcome unknown`, async (t) => {
    const { url, read } = await serve(t, conduct)
    assert.deepEqual(await client(t, { bodyLimit: 4096 })(url), unanswered('unknown', reason))
    assert.equal(read.length, 1)
  })
}
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffff\r\n{}'
const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: smoke\r\n\r\n'

for (const [what, conduct] of [
  ['does not answer', () => {}],
  ['answers half', (socket) => socket.write(OK.slice(0, -1))],
] as const satisfies readonly (readonly [string, Conduct])[]) {
  test(`a server that ${what} in time leaves the outcome unknown`, async (t) => {
    const { url } = await serve(t, conduct)
    assert.deepEqual(await client(t)(url, AbortSignal.timeout(50)), unanswered('unknown', 'TIMEOUT'))
  })
}

test('a call aborted after it was written is unknown, and its connection is closed', async (t) => {
  const abort = new AbortController()
  const { url, connections } = await serve(t, (socket) => (abort.signal.aborted ? well(socket, 1) : abort.abort()))
  const send = client(t)
  assert.deepEqual(await send(url, abort.signal), unanswered('unknown', 'ABORTED'))
  assert.equal((await send(url)).kind, 'answered')
  assert.ok(connections() > 1)
})

test('a call aborted before it has a connection is unsent', async (t) => {
  const arrived = Promise.withResolvers<void>()
  const { url, read } = await serve(t, () => arrived.resolve())
  const send = client(t, { maxSockets: 1 })
  const abort = new AbortController()
  const first = send(url, abort.signal)
  await arrived.promise
  assert.deepEqual(await send(url, AbortSignal.timeout(30)), unanswered('unsent', 'TIMEOUT'))
  assert.deepEqual(await send(url, AbortSignal.abort()), unanswered('unsent', 'ABORTED'))
  abort.abort()
  assert.deepEqual(await first, unanswered('unknown', 'ABORTED'))
  assert.equal(read.length, 1)
})

test('an idle connection that is lost during a call leaves it unknown, without a retry', async (t) => {
  const { url, read } = await serve(t, (socket, nth) => (nth === 1 ? well(socket, nth) : socket.resetAndDestroy()))
  const send = client(t)
  assert.equal((await send(url)).kind, 'answered')
  await nextTurn()
  assert.deepEqual(await send(url), unanswered('unknown', 'CONNECTION_LOST'))
  assert.equal(read.length, 2)
})

test('does not reuse a closed connection', async (t) => {
  const { url, sockets, connections } = await serve(t, well)
  const send = client(t)
  assert.equal((await send(url)).kind, 'answered')
  const [socket] = sockets
  assert.ok(socket)
  socket.end()
  await once(socket, 'close')
  assert.equal((await send(url)).kind, 'answered')
  assert.equal(connections(), 2)
})

test('disposing ends the calls in flight', async (t) => {
  const http = openHttp()
  const { url } = await serve(t, () => http[Symbol.dispose]())
  const result = await http.send({ method: 'GET', url }, AbortSignal.timeout(5000))
  assert.deepEqual(result, unanswered('unknown', 'CONNECTION_LOST'))
})

test('only an unsent call is retried', () => {
  const unsent = toFailedOutcome({ kind: 'unsent', reason: 'CONNECTION_REFUSED' })
  assert.deepEqual([unsent.kind, 'retryAfter' in unsent && unsent.retryAfter], ['deferred', 0])
  assert.equal(toFailedOutcome({ kind: 'unknown', reason: 'CONNECTION_LOST' }).kind, 'unknown')
})

test('reads Retry-After in seconds and as a date', () => {
  const now = instant(Date.parse('2030-01-31T12:00:00Z'))
  const answer = (headers: HttpAnswer['headers']): HttpAnswer => ({
    kind: 'answered',
    status: 503,
    headers,
    body: new Uint8Array(),
  })
  for (const [given, wait] of [
    ['120', seconds(120)],
    ['Thu, 31 Jan 2030 12:00:30 GMT', seconds(30)],
    ['Thu, 31 Jan 2030 11:00:00 GMT', 0],
    ['soon', 0],
    ['-5', 0],
    ['', 0],
  ] as const) {
    assert.equal(retryAfterOf(answer({ 'retry-after': given }), now), wait, given)
  }
  assert.equal(retryAfterOf(answer({}), now), 0)
})
