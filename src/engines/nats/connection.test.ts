import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openNats as openServer } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { BrokerUnreachable, openNats, UnsupportedBroker } from './connection.ts'

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

  test('rejects only the payload that is too large', async () => {
    await using server = await openServer()
    await using connection = await openNats({ url: server.url })
    const [tooLarge, fine] = await Promise.allSettled([
      connection.request('$JS.API.INFO', Buffer.alloc(2_000_000)),
      connection.request('$JS.API.INFO', ''),
    ])
    assert.deepEqual([tooLarge.status, fine.status], ['rejected', 'fulfilled'])
    assert.ok(tooLarge.status === 'rejected' && !(tooLarge.reason instanceof Unavailable))
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
