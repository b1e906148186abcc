/** How event streams share the log, and when they end. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { until } from '../../../test/support/until.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { millis, seconds } from '../../lib/time.ts'
import type { EventFeed } from '../../ports/event-feed.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openFixture, ROUTES, SMS } from '../server.fixture.ts'
import { ask, type Fixture, listen, portOf, send } from './events.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

test('all streams share one follower, and each event is decoded once', async () => {
  let followers = 0
  let decoded = 0
  const engine = openMemoryEngine({ clock: () => 0 as never, file: ROUTES })
  const feed: EventFeed = {
    ...engine.feed,
    async *live(signal) {
      followers += 1
      for await (const { through, events } of engine.feed.live(signal)) {
        yield { through, events: events.map((one) => counting(one, () => (decoded += 1))) }
      }
    },
  }
  await using api = await openFixture(world, { ...engine, feed })
  const first = await listen(api)
  const streams = [first, ...(await Promise.all(Array.from({ length: 19 }, () => listen(api))))]
  const other = await listen(api, '?channel=sms')
  const id = await send(api, 'a')
  for (const stream of [...streams, other]) {
    assert.equal((await stream.read(1))[0]?.data?.['messageId'], id)
    stream.leave()
  }
  assert.equal(followers, 1)
  assert.ok(decoded <= 3, `${decoded} times`)
})

/** The event, with a note of every time that its state is looked at. */
function counting<Event extends { event: object }>(followed: Event, note: () => void): Event {
  const { event } = followed
  const state = { ...(event as { state: object }).state }
  const noted = Object.defineProperty({ ...event }, 'fact', {
    get() {
      note()
      return (event as { fact: unknown }).fact
    },
  })
  return { ...followed, event: Object.assign(noted, { state }) }
}

test('sends heartbeats that move the id past filtered events', async () => {
  await using api = await openFixture(world, { heartbeat: millis(1) })
  const stream = await listen(api)
  await send(api, 'a', { tenant_id: 'other' })
  for (;;) {
    const { value } = await stream.next()
    assert.match(String(value), /^: keep-alive\nid: acme-[01]$/)
    if (value?.endsWith('1')) break
  }
  stream.leave()
})

test('stops following the log when the last client disconnects', async () => {
  const engine = openMemoryEngine({ clock: () => 0 as never, file: ROUTES })
  const { promise: released, resolve } = Promise.withResolvers<void>()
  let left = 0
  const feed: EventFeed = {
    ...engine.feed,
    live(signal) {
      signal.addEventListener('abort', () => {
        assert.equal(left, 2)
        resolve()
      })
      return engine.feed.live(signal)
    },
  }
  await using api = await openFixture(world, { feed })
  for (const stream of [await listen(api), await listen(api)]) {
    left += 1
    stream.leave()
  }
  await released
})

test('ends all streams when the log cannot be followed any longer', async () => {
  const engine = openMemoryEngine({ clock: () => 0 as never, file: ROUTES })
  const broken = Promise.withResolvers<never>()
  const feed: EventFeed = {
    ...engine.feed,
    async *live(signal) {
      for await (const page of engine.feed.live(signal)) {
        yield page
        await broken.promise
      }
    },
  }
  await using api = await openFixture(world, { ...engine, feed })
  const stream = await listen(api)
  await send(api, 'a')
  broken.reject(new Unavailable('the broker is gone'))
  assert.equal((await stream.next()).done, true)
  await until('a line about it', () => api.lines.some(({ msg }) => String(msg).includes('cannot be followed')))
})

test('closing the API ends the streams', async () => {
  const api = await openFixture(world)
  const stream = await listen(api)
  await api.app.close()
  assert.equal((await stream.next()).done, true)
})

test('one tenant has a bounded number of streams, and so has the process', async () => {
  await using api = await openFixture(world, { streams: { perTenant: 2, total: 3 } })
  const streams = [await listen(api), await listen(api)]
  await using third = await ask(api)
  assert.equal(third.status, 429)
  assert.equal(third.headers.get('retry-after'), '1')
  assert.match(((await third.json()) as { detail: string }).detail, /2 event streams open/)
  streams.push(await listen(api, '', undefined, { tenant_id: 'other' }))
  await using fourth = await ask(api, '', undefined, { tenant_id: 'third' })
  assert.equal(fourth.status, 503)
  assert.match(await fourth.text(), /3 event streams open/)
  streams.pop()?.leave()
  await until('its place to be free', async () => {
    await using again = await ask(api, '', undefined, { tenant_id: 'third' })
    if (again.status !== 200) await again.text()
    return again.status === 200
  })
  for (const stream of streams) stream.leave()
})

test('ends with its token', async () => {
  await using api = await openFixture(world, { streams: { perTenant: 9, total: 9, checkEvery: millis(5) } })
  const short = await listen(api, '', undefined, { exp: Math.floor(api.clock() / 1000) + 60 })
  const long = await listen(api)
  api.pass(seconds(120))
  assert.equal((await short.next()).done, true)
  const id = await send(api, 'a')
  assert.equal((await long.read(1))[0]?.data?.['messageId'], id)
  long.leave()
})

test('ends when its caller loses the right to read, and not while that is unknown', async () => {
  let answer: 'allowed' | 'unknown' | 'denied' = 'allowed'
  const open = await openFixture(world)
  let checked = 0
  const auth: typeof open.deps.auth = (request) => {
    checked += 1
    if (answer === 'unknown') throw new Unavailable('the key set cannot be fetched')
    const caller = open.deps.auth(request)
    const without = (one: Awaited<typeof caller>) => ({ ...one, scopes: new Set(['otp'] as const) })
    if (answer === 'allowed') return caller
    return caller instanceof Promise ? caller.then(without) : without(caller)
  }
  const checks = { perTenant: 9, total: 9, checkEvery: millis(5) }
  await using api = await openFixture(world, { auth, streams: checks })
  await using _open = open
  const stream = await listen(api)
  answer = 'unknown'
  const from = checked
  await until('some checks', () => checked > from + 3)
  answer = 'allowed'
  const id = await send(api, 'a')
  assert.equal((await stream.read(1))[0]?.data?.['messageId'], id)
  answer = 'denied'
  assert.equal((await stream.next()).done, true)
})

test('a client that does not read is left behind with little in memory, and misses nothing when it reads', async () => {
  await using api = await openFixture(world)
  const socket = await openSocket(api)
  await once(socket, 'readable')
  const call = await api.caller()
  const ids: string[] = []
  for (let nth = 0; nth < 40; nth += 1) {
    const items = Array.from({ length: 500 }, (_, index) => ({ ...SMS, idempotency_key: `${nth} ${index}` }))
    const { results } = (await call('POST', '/v1/messages/batch', { items })).json()
    ids.push(...results.map(({ id }: { id: string }) => id))
  }
  const buffered = await whenStable(() => unreadBy(api))
  assert.ok(buffered < 1024 * 1024, `${buffered} bytes`)
  const found = new Set<string>()
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
    for (const [, id = ''] of text.matchAll(/"messageId":"([^"]+)"/g)) found.add(id)
    text = text.slice(-200)
  })
  await until('everything to have arrived', () => ids.every((id) => found.has(id)), { withinMs: 30_000 })
  socket.destroy()
})

async function openSocket(api: Fixture): Promise<Socket> {
  const socket = connect(await portOf(api), '127.0.0.1')
  socket.write(`GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${await api.token()}\r\n\r\n`)
  return socket.setEncoding('utf8')
}

/** What the sockets of the server hold for clients that do not read. */
function unreadBy({ app }: Fixture): number {
  const handles = (process as unknown as { _getActiveHandles: () => readonly object[] })._getActiveHandles()
  const { port } = app.server.address() as { port: number }
  return handles
    .filter((handle): handle is Socket => (handle as Socket).localPort === port)
    .reduce((sum, { writableLength }) => sum + writableLength, 0)
}

/** A count, once it has not changed for a thousand turns of the event loop. */
async function whenStable(count: () => number): Promise<number> {
  let last = -1
  while (last !== count()) {
    last = count()
    for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate)
  }
  return last
}
