import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { millis } from '../../lib/time.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
type Fixture = Awaited<ReturnType<typeof openFixture>>
type StreamedEvent = { id?: string; event?: string; data?: Record<string, unknown> }

const ATTEMPTED = { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' } as const
const DEAD = { kind: 'DeadLettered', code: 'TIMEOUT', detail: 'no answer' } as const
const RETRY = { kind: 'RetryScheduled', code: 'TIMEOUT', detail: 'no answer', dueAt: 0 as never } as const

async function send(api: Fixture, key: string, claims = {}): Promise<string> {
  return (await (await api.caller(claims))('POST', '/v1/sms/send', { ...SMS, idempotency_key: key })).json().request_id
}

/** Listens over a real socket, frame by frame. */
async function listen(api: Fixture, query = '', lastEventId?: number | string, claims = {}) {
  if (!api.app.server.listening) await api.app.listen({ port: 0, host: '127.0.0.1' })
  const address = api.app.server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const leaving = new AbortController()
  const response = await fetch(`http://127.0.0.1:${address.port}/v1/events${query}`, {
    headers: omitUndefined({
      authorization: `Bearer ${await api.token(claims)}`,
      'last-event-id': lastEventId?.toString(),
    }),
    signal: leaving.signal,
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  assert.ok(response.body)
  const frames = toFrames(response.body.pipeThrough(new TextDecoderStream()))
  assert.equal((await frames.next()).value, ': listening')

  return {
    /** The next so many events. */
    async read(count: number): Promise<StreamedEvent[]> {
      const events: StreamedEvent[] = []
      while (events.length < count) {
        const { value } = await frames.next()
        assert.ok(value !== undefined, 'the stream ended')
        if (value.includes('data: ')) events.push(parse(value))
      }
      return events
    },
    next: () => frames.next(),
    leave: () => leaving.abort(),
  }
}

async function* toFrames(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const frames = (rest + chunk).split('\n\n')
    rest = frames.pop() ?? ''
    yield* frames
  }
}

function parse(frame: string): StreamedEvent {
  const parsed: StreamedEvent = {}
  for (const line of frame.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): (.*)$/.exec(line) ?? []
    if (name === 'data') parsed.data = JSON.parse(value)
    else if (name === 'id') parsed.id = value
    else if (name === 'event') parsed.event = value
  }
  return parsed
}

test('streams new events only', async () => {
  await using api = await openFixture(world)
  await send(api, 'before')
  const stream = await listen(api)
  const id = await send(api, 'after')
  await api.happen(id, ATTEMPTED, RETRY, ATTEMPTED, DEAD)
  const events = await stream.read(5)
  assert.deepEqual(
    events.map(({ event, data }) => [event, data?.['newStatus'] ?? data?.['reason'] ?? data?.['failureReason']]),
    [
      ['sms.events.status.v1', 'queued'],
      ['sms.events.status.v1', 'sending'],
      ['sms.outbound.retry.v1', 'TIMEOUT'],
      ['sms.events.status.v1', 'failed'],
      ['sms.outbound.deadletter.v1', 'TIMEOUT'],
    ],
  )
  assert.ok(events.every(({ data }) => data?.['messageId'] === id))
  // Two events at one position: only the second has the id.
  assert.deepEqual(
    events.map(({ id: position }) => position),
    ['2', '3', '4', undefined, '6'],
  )
  stream.leave()
})

test('resumes after Last-Event-ID without gaps', async () => {
  await using api = await openFixture(world)
  const id = await send(api, 'a')
  await api.happen(id, ATTEMPTED, DEAD)
  for (const [last, count] of [
    [0, 4],
    [1, 3],
    [2, 2],
  ] as const) {
    const stream = await listen(api, '', last)
    const events = await stream.read(count)
    assert.equal(events.at(-1)?.id, '3')
    stream.leave()
  }
})

test('an id beyond the end starts now', async () => {
  await using api = await openFixture(world)
  await send(api, 'a')
  const stream = await listen(api, '', 999_999)
  const id = await send(api, 'b')
  assert.equal((await stream.read(1))[0]?.data?.['messageId'], id)
  stream.leave()
})

test("streams only the tenant's events that match the filters", async () => {
  await using api = await openFixture(world)
  const [mine, other] = [await send(api, 'a'), await send(api, 'b')]
  await send(api, 'c', { tenant_id: 'other' })
  await api.happen(mine, ATTEMPTED, DEAD)
  await api.happen(other, ATTEMPTED, DEAD)

  const dead = await listen(api, '?event=sms.outbound.deadletter.v1', 0)
  assert.deepEqual(
    (await dead.read(2)).map(({ data }) => data?.['messageId']),
    [mine, other],
  )
  const one = await listen(api, `?message_id=${other}&channel=sms`, 0)
  assert.deepEqual(new Set((await one.read(4)).map(({ data }) => data?.['messageId'])), new Set([other]))
  const stranger = await listen(api, '', 0, { tenant_id: 'other' })
  assert.equal((await stranger.read(1))[0]?.id, '3')
  for (const stream of [dead, one, stranger]) stream.leave()
})

test('sends heartbeats that move the id past filtered events', async () => {
  await using api = await openFixture(world, { heartbeat: millis(1) })
  const stream = await listen(api)
  await send(api, 'a', { tenant_id: 'other' })
  for (;;) {
    const { value } = await stream.next()
    assert.match(String(value), /^: keep-alive\nid: [01]$/)
    if (value?.endsWith('1')) break
  }
  stream.leave()
})

test('stops following the log when the client disconnects', async () => {
  const engine = openMemoryEngine({ clock: () => 0 as never })
  const { promise: released, resolve } = Promise.withResolvers<void>()
  const log = {
    ...engine.log,
    follow: (...args: Parameters<typeof engine.log.follow>) => {
      args[2].addEventListener('abort', () => resolve())
      return engine.log.follow(...args)
    },
  }
  await using api = await openFixture(world, { log })
  const stream = await listen(api)
  stream.leave()
  await released
})

test('closing the API ends the streams', async () => {
  const api = await openFixture(world)
  const stream = await listen(api)
  await api.app.close()
  assert.equal((await stream.next()).done, true)
})

test('a client that does not read is sent no more than its connection buffers', async () => {
  const engine = openMemoryEngine({ clock: () => 0 as never })
  const PAGES = 1000
  let taken = 0
  const log = {
    ...engine.log,
    async *follow() {
      const recorded = await engine.log.read(id as never)
      const page = Array(256).fill(recorded[0])
      for (taken = 0; taken < PAGES; taken += 1) yield page
    },
  }
  await using api = await openFixture(world, { log })
  const id = await send(api, 'a')
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const address = api.app.server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const socket = connect(address.port, '127.0.0.1').pause()
  socket.write(`GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${await api.token()}\r\n\r\n`)
  const stalledAt = await whenStable(() => taken)
  assert.ok(stalledAt > 0 && stalledAt < PAGES, `${stalledAt} pages were taken`)
  socket.destroy()
})

/** A count above zero, once it has not grown for a thousand turns of the event loop. */
async function whenStable(count: () => number): Promise<number> {
  let last = -1
  while (last !== count() || last === 0) {
    last = count()
    for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate)
  }
  return last
}
