import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { instant, seconds } from '../lib/time.ts'
import type { Resolve } from './address-guard.ts'
import { openWebhookTransport, type WebhookTransportOptions } from './webhook-transport.ts'

type Conduct = (response: ServerResponse, request: IncomingMessage) => void
const LOOPBACK = ['127.0.0.0/8']
const well: Conduct = (response) => response.writeHead(204).end()

/** A customer's server on loopback, the requests it received, and its number of connections. */
async function serve(t: TestContext, conduct: Conduct = well) {
  const received: { request: IncomingMessage; body: string }[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    received.push({ request, body: Buffer.concat(chunks).toString() })
    conduct(response, request)
  })
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { port, url: `http://127.0.0.1:${port}/hook?a=1`, server, received, connections: () => connections }
}

function transport(t: TestContext, options: Partial<WebhookTransportOptions> = {}) {
  const post = poster(t, options)
  return async (url: string, signal?: AbortSignal) => {
    const response = await post(url, signal)
    if (response.kind !== 'answered') return response
    const { kind, status, retryAfter } = response
    return { kind, status, retryAfter }
  }
}

/** The whole response. */
function poster(t: TestContext, options: Partial<WebhookTransportOptions> = {}) {
  const opened = openWebhookTransport({ allowed: LOOPBACK, ...options })
  t.after(() => opened[Symbol.dispose]())
  return (url: string, signal: AbortSignal = AbortSignal.timeout(20_000)) =>
    opened.post({ url, headers: { 'webhook-id': 'evt_1' }, body: '{"city":"São Paulo"}' }, signal)
}

/** Resolves a name to the next list of addresses each time; the last one repeats. */
function changing(...answers: readonly (readonly string[])[]) {
  let lookups = 0
  const resolve: Resolve = (_name, _options, callback) => {
    const addresses = answers[Math.min(lookups, answers.length - 1)] ?? []
    lookups += 1
    // Asynchronously, like a real resolver.
    setImmediate(
      callback,
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )
  }
  return { resolve, lookups: () => lookups }
}

const answered = (status: number, retryAfter = 0) => ({ kind: 'answered', status, retryAfter })

test('POSTs the delivery and returns the answer', async (t) => {
  const { url, received } = await serve(t)
  assert.deepEqual(await transport(t)(url), answered(204))
  const [{ request, body } = assert.fail('nothing arrived')] = received
  assert.deepEqual([request.method, request.url, body], ['POST', '/hook?a=1', '{"city":"São Paulo"}'])
  assert.equal(request.headers['webhook-id'], 'evt_1')
})

test('returns the headers and the beginning of the body, cleaned', async (t) => {
  const { url } = await serve(t, (response) => {
    const headers = { 'x-served-by': 'one', 'set-cookie': ['session=secret', 'b=secret'], location: '/a?code=secret' }
    response.writeHead(500, headers).end(`broken\u001b[31m\u202e\r\n${'é'.repeat(4096)}`)
  })
  const response = await poster(t)(url)
  assert.ok(response.kind === 'answered')
  const { 'x-served-by': server, 'set-cookie': cookies, location } = response.headers
  assert.deepEqual([server, cookies, location], ['one', '***', '/a?***'])
  assert.doesNotMatch(JSON.stringify(response), /secret/)
  const { text = '', bytes, isTruncated } = response.body
  assert.deepEqual([bytes, isTruncated], [16 + 2 * 4096, true])
  assert.equal(text, `broken[31m\n${'é'.repeat(2040)}`)
})

test('does not follow redirects', async (t) => {
  const other = await serve(t)
  const { url } = await serve(t, (response) => response.writeHead(307, { location: other.url }).end())
  assert.deepEqual(await transport(t)(url), answered(307))
  assert.equal(other.received.length, 0)
})

test('returns Retry-After, in seconds or as a date', async (t) => {
  const clock = () => instant(Date.parse('2030-01-31T12:00:00Z'))
  for (const [retryAfter, wait] of [
    ['120', seconds(120)],
    ['Thu, 31 Jan 2030 12:00:30 GMT', seconds(30)],
  ] as const) {
    const { url } = await serve(t, (response) => response.writeHead(429, { 'retry-after': retryAfter }).end())
    assert.deepEqual(await transport(t, { clock })(url), answered(429, wait))
  }
})

test('accepts an endless answer by its head and closes the connection', async (t) => {
  const closed = Promise.withResolvers<void>()
  const { url } = await serve(t, (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write('y'.repeat(16_384)));
    }
    response.on('drain', more).on('close', closed.resolve).writeHead(200)
    more()
  })
  assert.deepEqual(await transport(t)(url), answered(200))
  await closed.promise
})

test('a server without an answer is unreachable', async (t) => {
  const silent = await serve(t, () => {})
  const late = await transport(t)(silent.url, AbortSignal.timeout(50))
  assert.deepEqual(late, { kind: 'unreachable', reason: 'the server did not answer in time' })
  const closing = await serve(t, (_response, request) => request.socket.destroy())
  assert.equal((await transport(t)(closing.url)).kind, 'unreachable')
  const stopped = await serve(t)
  stopped.server.close()
  await once(stopped.server, 'close')
  const reason = 'the server refused the connection'
  assert.deepEqual(await transport(t)(stopped.url), { kind: 'unreachable', reason })
})

test('refuses private addresses without connecting', async (t) => {
  const { port, connections } = await serve(t)
  const post = transport(t, { allowed: [] })
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]']) {
    assert.equal((await post(`http://${host}:${port}/`)).kind, 'refused', host)
    assert.equal((await post(`https://${host}:${port}/`)).kind, 'refused', host)
  }
  assert.equal((await post(`http://user:secret@93.184.216.34:${port}/`)).kind, 'refused')
  assert.equal(connections(), 0)
})

test('catches a host that resolves to a private address the second time', async (t) => {
  const { port, received } = await serve(t, (response) => response.writeHead(204, { connection: 'close' }).end())
  const { resolve, lookups } = changing(['127.0.0.1'], ['10.0.0.1', '169.254.169.254'])
  const post = transport(t, { resolve })
  const url = `http://customer.test:${port}/`
  assert.deepEqual(await post(url), answered(204))
  assert.equal((await post(url)).kind, 'refused')
  assert.deepEqual([lookups(), received.length], [2, 1])
})

test('uses only the allowed addresses of a host', async (t) => {
  const { port, received } = await serve(t)
  const { resolve } = changing(['10.0.0.1', '127.0.0.1', '192.168.0.1'])
  assert.deepEqual(await transport(t, { resolve })(`http://customer.test:${port}/`), answered(204))
  assert.equal(received.length, 1)
})

test('reuses a checked connection and checks every new one', async (t) => {
  const { port, server, connections } = await serve(t)
  const { resolve, lookups } = changing(['127.0.0.1'], ['10.0.0.1'])
  const post = transport(t, { resolve })
  const url = `http://customer.test:${port}/`
  for (const _ of [1, 2, 3]) {
    assert.deepEqual(await post(url), answered(204))
    // A connection is reused from the next turn on.
    await nextTurn()
  }
  assert.deepEqual([lookups(), connections()], [1, 1])
  server.closeAllConnections()
  // The first call may still use the closing connection and fail; the second opens a new one.
  const calls = [await post(url), await post(url)].map(({ kind }) => kind)
  assert.equal(calls.at(-1), 'refused')
  assert.equal(connections(), 1)
})
