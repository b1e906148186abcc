import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { instant, seconds } from '../lib/time.ts'
import type { Resolve } from './address-guard.ts'
import { openWebhookTransport, type WebhookTransportOptions } from './webhook-transport.ts'

type Conduct = (response: ServerResponse, request: IncomingMessage) => void
const LOOPBACK = ['127.0.0.0/8']
const well: Conduct = (response) => response.writeHead(204).end()

/** A customer's server on loopback, what it was sent, and how many connections were made to it. */
async function serve(t: TestContext, conduct: Conduct = well) {
  const got: { request: IncomingMessage; body: string }[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    got.push({ request, body: Buffer.concat(chunks).toString() })
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
  return { port, url: `http://127.0.0.1:${port}/hook?a=1`, server, got, connections: () => connections }
}

function transport(t: TestContext, options: Partial<WebhookTransportOptions> = {}) {
  const opened = openWebhookTransport({ allowed: LOOPBACK, ...options })
  t.after(() => opened[Symbol.dispose]())
  return (url: string, signal: AbortSignal = AbortSignal.timeout(20_000)) =>
    opened.post({ url, headers: { 'webhook-id': 'evt_1' }, body: '{"city":"São Paulo"}' }, signal)
}

/** A name that means the next of these each time it is asked for, and the last from then on. */
function changing(...answers: readonly (readonly string[])[]) {
  let asked = 0
  const resolve: Resolve = (_name, _options, callback) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? []
    asked += 1
    // As real ones do, it answers later.
    setImmediate(
      callback,
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )
  }
  return { resolve, asked: () => asked }
}

const answered = (status: number, retryAfter = 0) => ({ kind: 'answered', status, retryAfter })

test('a parcel arrives as it is, and the answer comes back', async (t) => {
  const { url, got } = await serve(t)
  assert.deepEqual(await transport(t, { userAgent: 'Pombo/1.2.3' })(url), answered(204))
  const [{ request, body } = assert.fail('nothing arrived')] = got
  assert.deepEqual([request.method, request.url, body], ['POST', '/hook?a=1', '{"city":"São Paulo"}'])
  const { 'webhook-id': id, 'content-type': type, 'user-agent': agent } = request.headers
  assert.deepEqual([id, type, agent], ['evt_1', 'application/json', 'Pombo/1.2.3'])
})

test('a redirect is an answer, and is not followed', async (t) => {
  const other = await serve(t)
  const { url } = await serve(t, (response) => response.writeHead(307, { location: other.url }).end())
  assert.deepEqual(await transport(t)(url), answered(307))
  assert.equal(other.got.length, 0)
})

test('the wait that is asked for is told, in seconds or until a date', async (t) => {
  const clock = () => instant(Date.parse('2030-01-31T12:00:00Z'))
  for (const [wish, wait] of [
    ['120', seconds(120)],
    ['Thu, 31 Jan 2030 12:00:30 GMT', seconds(30)],
  ] as const) {
    const { url } = await serve(t, (response) => response.writeHead(429, { 'retry-after': wish }).end())
    assert.deepEqual(await transport(t, { clock })(url), answered(429, wait))
  }
})

test('an answer without end counts by its head, and its connection is given up', async (t) => {
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

test('who does not answer in time, or at all, is unreachable', async (t) => {
  const silent = await serve(t, () => {})
  const late = await transport(t)(silent.url, AbortSignal.timeout(50))
  assert.deepEqual(late, { kind: 'unreachable', reason: 'the answer did not come in time' })
  const rude = await serve(t, (_response, request) => request.socket.destroy())
  assert.equal((await transport(t)(rude.url)).kind, 'unreachable')
  const away = await serve(t)
  away.server.close()
  await once(away.server, 'close')
  const reason = 'nothing listens at the address of the server'
  assert.deepEqual(await transport(t)(away.url), { kind: 'unreachable', reason })
})

test('what is not public is refused, and no connection is made', async (t) => {
  const { port, connections } = await serve(t)
  const carry = transport(t, { allowed: [] })
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]']) {
    assert.equal((await carry(`http://${host}:${port}/`)).kind, 'refused', host)
    assert.equal((await carry(`https://${host}:${port}/`)).kind, 'refused', host)
  }
  assert.equal((await carry(`http://user:secret@93.184.216.34:${port}/`)).kind, 'refused')
  assert.equal(connections(), 0)
})

test('a name that means another address the second time is caught', async (t) => {
  const { port, got } = await serve(t, (response) => response.writeHead(204, { connection: 'close' }).end())
  const { resolve, asked } = changing(['127.0.0.1'], ['10.0.0.1', '169.254.169.254'])
  const carry = transport(t, { resolve })
  const url = `http://customer.test:${port}/`
  assert.deepEqual(await carry(url), answered(204))
  assert.equal((await carry(url)).kind, 'refused')
  assert.deepEqual([asked(), got.length], [2, 1])
})

test('of several addresses only those that may be called are', async (t) => {
  const { port, got } = await serve(t)
  const { resolve } = changing(['10.0.0.1', '127.0.0.1', '192.168.0.1'])
  assert.deepEqual(await transport(t, { resolve })(`http://customer.test:${port}/`), answered(204))
  assert.equal(got.length, 1)
})

test('a kept connection goes on to the address that was checked, and the next one is checked anew', async (t) => {
  const { port, server, connections } = await serve(t)
  const { resolve, asked } = changing(['127.0.0.1'], ['10.0.0.1'])
  const carry = transport(t, { resolve })
  const url = `http://customer.test:${port}/`
  for (const _ of [1, 2, 3]) assert.deepEqual(await carry(url), answered(204))
  assert.deepEqual([asked(), connections()], [1, 1])
  server.closeAllConnections()
  // The end of the connection may come after the next call has begun on it: that call is lost, and not the guard.
  const calls = [await carry(url), await carry(url)].map(({ kind }) => kind)
  assert.equal(calls.at(-1), 'refused')
  assert.equal(connections(), 1)
})
