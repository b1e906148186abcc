import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Histogram } from './histogram.ts'
import { Load, type LoadSpec } from './load.ts'

type Answer = (body: string, response: ServerResponse, request: IncomingMessage) => void

async function serve(t: TestContext, answer: Answer): Promise<number> {
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    answer(Buffer.concat(chunks).toString(), response, request)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Node adds the content-length unless the head is written separately. */
function reply(response: ServerResponse, status: number, body = ''): void {
  response.statusCode = status
  response.end(body)
}

const REQUEST = { method: 'POST', path: '/', headers: { 'x-kind': 'test' }, body: '{"to":"+47########","key":"k####"}' }
const toSpec = (port: number, more: Partial<LoadSpec>): LoadSpec => ({
  ports: [port],
  request: { ...REQUEST, method: 'POST' },
  connections: 4,
  pace: { kind: 'closed' },
  warmUpSeconds: 0,
  seconds: 5,
  ...more,
})

test('a closed loop sends the requested number of requests, each with its own numbers', async (t) => {
  const bodies: string[] = []
  const kinds = new Set<unknown>()
  const port = await serve(t, (body, response, request) => {
    bodies.push(body)
    kinds.add(request.headers['x-kind'])
    reply(response, 202, '{}')
  })
  const report = await new Load(toSpec(port, { requests: 500 })).run()
  assert.equal(report.answers, 500)
  assert.deepEqual(report.statuses, { 202: 500 })
  assert.equal(report.lost, 0)
  assert.equal(new Set(bodies).size, 500)
  assert.equal(bodies[0], '{"to":"+4700000001","key":"k0002"}')
  assert.deepEqual([...kinds], ['test'])
})

test('several bodies are sent in turn, on any free connection', async (t) => {
  const counts = new Map<string, number>()
  const port = await serve(t, (body, response) => {
    const [name = ''] = body.split('-')
    counts.set(name, (counts.get(name) ?? 0) + 1)
    reply(response, 200)
  })
  const request = { ...REQUEST, method: 'POST', body: ['a-##', 'b-##', 'c-##'] } as const
  await new Load(toSpec(port, { request, requests: 30 })).run()
  assert.deepEqual(Object.fromEntries(counts), { a: 10, b: 10, c: 10 })
})

test('several paths are requested in turn', async (t) => {
  const paths: (string | undefined)[] = []
  const port = await serve(t, (_body, response, request) => {
    paths.push(request.url)
    reply(response, 200)
  })
  const request = { method: 'GET', path: ['/a', '/b'], headers: {}, body: '' } as const
  await new Load(toSpec(port, { request, connections: 1, requests: 4 })).run()
  assert.deepEqual(paths, ['/a', '/b', '/a', '/b'])
})

test('reads a response of any length and chunking', async (t) => {
  const long = 'x'.repeat(200_000)
  const port = await serve(t, (_body, response) => {
    response.writeHead(200, { 'content-length': long.length + 2 }).write('ab')
    setImmediate(() => response.end(long))
  })
  const report = await new Load(toSpec(port, { requests: 20 })).run()
  assert.deepEqual([report.answers, report.lost, report.statuses], [20, 0, { 200: 20 }])
})

test('a response without content-length ends the run', async (t) => {
  const port = await serve(t, (_body, response) => response.writeHead(200).write('endless'))
  await assert.rejects(new Load(toSpec(port, {})).run(), /without content-length/)
})

test('counts responses by status', async (t) => {
  let count = 0
  const port = await serve(t, (_body, response) => {
    count += 1
    reply(response, count % 2 === 0 ? 503 : 202)
  })
  const { statuses } = await new Load(toSpec(port, { requests: 10 })).run()
  assert.deepEqual(Object.keys(statuses), ['202', '503'])
})

test('replaces a connection closed by the server, and counts its request as lost', async (t) => {
  let count = 0
  const port = await serve(t, (_body, response, request) => {
    count += 1
    if (count === 3) request.socket.destroy()
    else reply(response, 202)
  })
  const report = await new Load(toSpec(port, { connections: 1, seconds: 0.2 })).run()
  assert.equal(report.lost, 1)
  assert.ok(report.answers > 3, `${report.answers} answers`)
})

test('connections are spread over all ports', async (t) => {
  const served = [0, 0]
  const ports = await Promise.all(
    served.map((_, index) =>
      serve(t, (_body, response) => {
        served[index] = (served[index] ?? 0) + 1
        reply(response, 202)
      }),
    ),
  )
  const { answers } = await new Load(toSpec(0, { ports, requests: 400 })).run()
  assert.equal(answers, 400)
  assert.ok(Math.min(...served) > 100, `served ${served.join(' and ')}`)
})

test('an unreachable server ends the run with its error', async () => {
  await assert.rejects(new Load(toSpec(1, {})).run(), { code: 'ECONNREFUSED' })
})

test('an open loop keeps its rate, and a stall shows in the latency of every delayed request', async (t) => {
  let stalled: (() => void)[] | undefined = []
  const port = await serve(t, (_body, response) => {
    const answer = (): void => reply(response, 202)
    if (stalled === undefined) answer()
    else if (stalled.push(answer) === 1) setTimeout(release, 300)
  })
  const release = (): void => {
    const all = stalled ?? []
    stalled = undefined
    for (const answer of all) answer()
  }
  const pace = { kind: 'open', rate: 500, arrivals: 'even' } as const
  const report = await new Load(toSpec(port, { connections: 2, pace, seconds: 1 })).run()
  assert.ok(Math.abs(report.answers - 500) < 25, `${report.answers} answers`)
  // About 150 requests were scheduled during the stall; a closed loop would have sent two.
  assert.ok(report.latency.p90 > 100, `p90 ${report.latency.p90}`)
  assert.ok(report.latency.max > 250, `max ${report.latency.max}`)
  // The generator was on time: its requests only waited for a free connection.
  assert.ok(report.lateness.p50 < 50 && report.lateness.p50 > 0, `lateness ${report.lateness.p50}`)
})

test('a generator that is held up itself says how late it was', async (t) => {
  const port = await serve(t, (_body, response) => reply(response, 202))
  const pace = { kind: 'open', rate: 500, arrivals: 'even' } as const
  const running = new Load(toSpec(port, { pace, seconds: 1 })).run(() =>
    setTimeout(() => {
      for (const until = performance.now() + 300; performance.now() < until; );
    }, 200),
  )
  const { lateness } = await running
  assert.ok(lateness.max > 250, `lateness ${lateness.max}`)
})

test('random arrivals have the requested rate, and a new rate applies from then on', async (t) => {
  const port = await serve(t, (_body, response) => reply(response, 202))
  const load = new Load(toSpec(port, { pace: { kind: 'open', rate: 10, arrivals: 'poisson' }, seconds: 1 }))
  load.setRate(1000)
  const { answers } = await load.run()
  assert.ok(Math.abs(answers - 1000) < 200, `${answers} answers`)
})

test('percentiles are exact for short durations and within 1 % for long ones', () => {
  const histogram = new Histogram()
  for (let micros = 1; micros <= 100_000; micros += 1) histogram.record(micros)
  assert.equal(histogram.percentile(0.001), 100)
  for (const share of [0.01, 0.5, 0.9, 0.99, 0.999]) {
    const exact = share * 100_000
    const measured = histogram.percentile(share)
    assert.ok(measured >= exact && measured <= exact * 1.016, `${share}: ${measured} for ${exact}`)
  }
  assert.equal(histogram.percentile(1), 100_000)
  assert.equal(histogram.max(), 100_000)
  assert.equal(histogram.mean(), 50_000.5)
  assert.equal(histogram.count, 100_000)
})

test('durations out of range are clamped', () => {
  const histogram = new Histogram()
  histogram.record(-5)
  assert.equal(histogram.percentile(1), 0)
  histogram.record(1e12)
  assert.equal(histogram.percentile(1), 2 ** 31 - 1)
})

test('an empty histogram returns zeros', () => {
  assert.deepEqual([new Histogram().percentile(0.99), new Histogram().mean()], [0, 0])
})
