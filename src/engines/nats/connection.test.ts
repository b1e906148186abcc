import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { newPrefix, openNats as openServer } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { BrokerUnreachable, type Headers, openNats, type Payload, UnsupportedBroker } from './connection.ts'

/** Just enough of a broker to be asked for its version. */
async function openPretender(version: string) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write(`INFO ${JSON.stringify({ server_id: 'old', version, headers: true, max_payload: 1_048_576 })}\r\n`)
    socket.on('data', (said) => {
      if (said.includes('PING')) socket.write('PONG\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `nats://someone:secret@127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => void server.close(),
  }
}

describe('an unsupported broker is refused at startup', { timeout: 120_000 }, () => {
  for (const version of ['2.11.9', '1.99.0', '2.9.25-RC.1']) {
    test(`version ${version}`, async () => {
      using pretender = await openPretender(version)
      await assert.rejects(openNats({ url: pretender.url }), (error) => {
        assert.ok(error instanceof UnsupportedBroker)
        assert.equal(error.exitCode, 78)
        assert.match(error.message, new RegExp(`version ${version}; Pombo needs 2\\.12 or newer`))
        assert.ok(!error.message.includes('secret'))
        return true
      })
    })
  }

  test('without JetStream', async () => {
    await using server = await openServer({ jetstream: false })
    await assert.rejects(openNats({ url: server.url }), (error) => {
      assert.ok(error instanceof UnsupportedBroker)
      assert.match(error.message, /without JetStream/)
      return true
    })
  })

  test('unreachable', async () => {
    await assert.rejects(openNats({ url: 'nats://someone:secret@127.0.0.1:1' }), (error) => {
      assert.ok(error instanceof BrokerUnreachable && error instanceof Unavailable)
      assert.equal(error.exitCode, 69)
      assert.match(error.message, /cannot reach NATS at 127\.0\.0\.1:1/)
      assert.ok(!error.message.includes('secret'))
      return true
    })
  })
})

describe('a connection', { timeout: 120_000 }, () => {
  test('rejects requests that are not answered in time, and requests during an outage', async () => {
    await using server = await openServer({})
    await using connection = await openNats({ url: server.url, timeoutMs: 300 })
    const { faults } = server
    assert.ok(faults !== undefined)

    const ask = () => connection.request('$JS.API.INFO', '')
    const silence = () =>
      ask().then(
        () => false as const,
        (error: unknown) => error,
      )
    faults.freeze()
    const began = performance.now()
    assert.ok((await until('the broker to be silent', silence)) instanceof Unavailable)
    assert.ok(performance.now() - began < 3_000)
    faults.thaw()
    await until('the broker to speak again', () => ask().catch(() => false as const))

    await faults.kill()
    await until('the connection to notice', () => !connection.isUp)
    assert.throws(() => connection.send('somewhere'), Unavailable)
    const atOnce = setImmediate().then(() => 'later')
    assert.ok((await Promise.race([silence(), atOnce])) instanceof Unavailable)

    await faults.restart()
    await until('the connection to be back', () => connection.isUp)
    assert.ok((await ask()).data.length > 0)
  })

  test('delivers every kind of payload and header as it was sent', async () => {
    await using server = await openServer()
    await using connection = await openNats({ url: server.url })
    const subject = newPrefix()
    connection.subscribe(subject, ({ data, headers, reply = '' }) => {
      const named = [...(headers ?? [])].map(([name, values]) => `${name}=${values.join()}`).join('&')
      connection.send(reply, Buffer.concat([data, Buffer.from(named)]))
    })
    const binary = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const replies = await Promise.all([
      connection.request(subject, ''),
      connection.request(subject, 'grüße 😀'),
      connection.request(subject, binary),
      connection.request(subject, new Uint8Array(100_000)),
      connection.request(subject, '', { One: 1, Two: 'zwei' }),
      connection.request(subject, 'text', { Ümlaut: '' }).catch((error: Error) => error.message),
      connection.request(subject, 'text', { Name: 'ä' }),
    ])
    const received = replies.map((reply) => (typeof reply === 'string' ? reply : Buffer.from(reply.data)))
    assert.deepEqual(received, [
      Buffer.alloc(0),
      Buffer.from('grüße 😀'),
      binary,
      Buffer.alloc(100_000),
      Buffer.from('One=1&Two=zwei'),
      'cannot publish to NATS',
      Buffer.from('textName=ä'),
    ])
  })

  test('rejects only the payload that is too large', async () => {
    await using server = await openServer()
    await using connection = await openNats({ url: server.url })
    const ask = (payload: Payload, headers?: Headers) => connection.request('$JS.API.INFO', payload, headers)
    const tooLarge = Buffer.alloc(1_048_577)
    const replies = await Promise.allSettled([
      ask(''),
      ask(tooLarge),
      ask('', { a: 1 }),
      ask(tooLarge, { a: 1 }),
      ask(''),
    ])
    assert.deepEqual(
      replies.map((reply) => (reply.status === 'rejected' ? reply.reason.message : 'answered')),
      ['answered', 'cannot publish to NATS', 'answered', 'cannot publish to NATS', 'answered'],
    )
    for (const reply of replies) assert.ok(reply.status === 'fulfilled' || !(reply.reason instanceof Unavailable))
    for (const reply of replies) assert.ok(reply.status === 'fulfilled' || reply.reason.cause instanceof Error)
  })

  test('drops what is sent to an invalid subject, and goes on', async () => {
    await using server = await openServer()
    await using connection = await openNats({ url: server.url })
    connection.send('')
    connection.send('PUB x 0\r\n\r\nPUB y', 'text')
    assert.ok((await connection.request('$JS.API.INFO', '')).data.length > 0)
  })

  test('rejects a request whose answer cannot be read, and goes on', async () => {
    await using server = await openServer()
    await using connection = await openNats({ url: server.url })
    const unreadable = connection.ask('$JS.API.INFO', '', undefined, () => {
      throw new Error('unreadable')
    })
    await assert.rejects(unreadable, /unreadable/)
    assert.ok((await connection.request('$JS.API.INFO', '')).data.length > 0)
  })

  test('collects several replies, and rejects where nobody answers', async () => {
    await using server = await openServer()
    await using connection = await openNats({ url: server.url })
    const subject = newPrefix()
    connection.subscribe(subject, ({ reply = '' }) => {
      for (const answer of ['one', 'two', 'last', 'too late']) connection.send(reply, answer)
    })
    const replies = await connection.requestMany(subject, '', (reply) => reply.string() === 'last')
    assert.deepEqual(
      replies.map((reply) => reply.string()),
      ['one', 'two', 'last'],
    )
    const unserved = connection.requestMany(`${subject}.nobody`, '', () => true)
    await assert.rejects(unserved, (error) => error instanceof Unavailable && /no responder/.test(error.message))
  })

  test('rejects requests in flight when the connection is lost', async () => {
    await using server = await openServer({})
    await using connection = await openNats({ url: server.url, timeoutMs: 60_000 })
    connection.subscribe('silence', () => undefined)
    const asked = connection.request('silence', '')
    const rejected = assert.rejects(asked, Unavailable)
    await server.faults?.kill()
    await rejected
  })
})
