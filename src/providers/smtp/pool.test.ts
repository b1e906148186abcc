import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSmtpWorld, type SmtpWorld, type SmtpWorldOptions } from '../../../test/support/smtp-world.ts'
import { until } from '../../../test/support/until.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { someMailAttempt } from '../mail.fixture.ts'
import type { Settings } from './settings.ts'

const timeout = (): AbortSignal => AbortSignal.timeout(60_000)
const send = ({ provider }: SmtpWorld, signal = timeout()) => provider.send(someMailAttempt(), signal)
const kinds = (outcomes: readonly SendOutcome[]) => [...new Set(outcomes.map(({ kind }) => kind))]
const withSettings = (settings: Partial<Settings>, given: SmtpWorldOptions = {}) =>
  openSmtpWorld({ ...given, settings })

describe('connections to a mail server', { timeout: 120_000 }, () => {
  test('are opened on demand and reused', async () => {
    await using world = await openSmtpWorld()
    assert.deepEqual(world.provider.connections?.(), { wanted: 0, up: 0 })
    for (let left = 10; left > 0; left -= 1) assert.equal((await send(world)).kind, 'accepted')
    assert.equal(world.sink.reached('connect'), 1)
    assert.deepEqual(world.provider.connections?.(), { wanted: 1, up: 1 })
  })

  test('never exceed the limit, and every mail is sent once', async () => {
    await using world = await withSettings({ connections: 3 })
    const attempts = Array.from({ length: 60 }, () => someMailAttempt())
    const outcomes = await Promise.all(attempts.map((attempt) => world.provider.send(attempt, timeout())))
    assert.deepEqual(kinds(outcomes), ['accepted'])
    assert.equal(world.sink.reached('connect'), 3)
    const ids = world.sink.mails.map(({ raw }) => /^Message-ID: <(\S+)>/im.exec(raw.toString('latin1'))?.[1])
    assert.equal(new Set(ids).size, 60)
    assert.equal(ids.length, 60)
  })

  test('are replaced after the configured number of mails', async () => {
    await using world = await withSettings({ connections: 1, mails_per_connection: 4 })
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => send(world)))
    assert.deepEqual(kinds(outcomes), ['accepted'])
    assert.equal(world.sink.reached('connect'), 3)
  })

  test('are closed when they are idle', async () => {
    await using world = await withSettings({ idle_seconds: 1 })
    await Promise.all([send(world), send(world)])
    await until('all connections to close', () => world.sink.connected === 0)
    assert.deepEqual(world.provider.connections?.(), { wanted: 0, up: 0 })
    assert.equal((await send(world)).kind, 'accepted')
  })

  test('that the server closed while idle are replaced', async () => {
    await using world = await openSmtpWorld()
    await Promise.all([send(world), send(world), send(world)])
    world.sink.hangUp()
    assert.deepEqual(kinds(await Promise.all([send(world), send(world), send(world)])), ['accepted'])
    assert.equal(world.sink.received, 6)
  })

  for (const reaction of ['hang up', '421 4.4.2 idle for too long'] as const) {
    test(`that close at the first command (${reaction}) are replaced once`, async () => {
      await using world = await withSettings({ connections: 1 })
      await send(world)
      world.sink.react('mail', (nth) => (nth === 1 ? reaction : 'take'))
      assert.equal((await send(world)).kind, 'accepted')
      assert.equal(world.sink.received, 2)
      world.sink.react('mail', reaction)
      assert.equal((await send(world)).kind, 'deferred')
      assert.deepEqual([world.sink.received, world.sink.reached('mail')], [2, 5])
    })
  }

  test('that are lost while a mail is sent are not replaced', async () => {
    await using world = await withSettings({ connections: 1 })
    await send(world)
    world.sink.react('end', 'hang up')
    assert.equal((await send(world)).kind, 'unknown')
    assert.equal(world.sink.received, 2)
  })
})

describe('queued mails', { timeout: 120_000 }, () => {
  test('are deferred when the signal aborts', async () => {
    await using world = await withSettings({ connections: 1 })
    world.sink.react('end', 'hold')
    const first = send(world)
    await until('the first', () => world.sink.received === 1)
    const second = await send(world, AbortSignal.timeout(100))
    assert.deepEqual([second.kind, 'code' in second && second.code], ['deferred', 'POOL_TIMEOUT'])
    world.sink.react('end', 'take')
    world.sink.release()
    assert.equal((await first).kind, 'accepted')
    assert.equal((await send(world)).kind, 'accepted')
    assert.equal(world.sink.received, 2)
  })

  test('leave no room once they have waited long', async () => {
    await using world = await withSettings({ connections: 1 })
    const hasRoom = () => world.provider.hasRoom?.()
    world.sink.react('end', 'hold')
    const both = [send(world), send(world)]
    await until('the first', () => world.sink.received === 1)
    assert.equal(hasRoom(), true)
    await until('the second to have waited long', () => hasRoom() === false)
    world.sink.react('end', 'take')
    world.sink.release()
    assert.deepEqual(kinds(await Promise.all(both)), ['accepted'])
    assert.equal(hasRoom(), true)
  })

  test('keep to the configured rate', async () => {
    await using world = await withSettings({ max_per_second: 20 })
    const begun = performance.now()
    const outcomes = await Promise.all(Array.from({ length: 22 }, () => send(world)))
    assert.deepEqual(kinds(outcomes), ['accepted'])
    // The burst is two mails, then one every 50 ms.
    assert.ok(performance.now() - begun >= 950, `${performance.now() - begun}`)
  })

  test('pause when the server throttles', async () => {
    await using world = await openSmtpWorld()
    world.sink.react('end', (nth) => (nth === 1 ? '454 Throttling failure: Maximum sending rate exceeded.' : 'take'))
    const throttled = await send(world)
    assert.ok(throttled.kind === 'deferred' && throttled.code === 'RATE_LIMITED', JSON.stringify(throttled))
    assert.equal((await send(world)).kind, 'accepted')
    const [first, second] = world.sink.mails
    assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 900)
  })
})

describe('closing the pool', { timeout: 120_000 }, () => {
  test('waits for mails in flight, defers queued ones and closes all connections', async () => {
    const world = await withSettings({ connections: 1 }, { drainMs: 30_000 })
    world.sink.react('end', 'hold')
    const [first, second] = [send(world), send(world)]
    await until('the first', () => world.sink.received === 1)
    const closed = world.provider[Symbol.asyncDispose]()
    const refused = await second
    assert.deepEqual([refused.kind, 'code' in refused && refused.code], ['deferred', 'NOT_CONNECTED'])
    world.sink.release()
    assert.equal((await first).kind, 'accepted')
    await closed
    await until('all connections to close', () => world.sink.connected === 0)
    assert.equal((await send(world)).kind, 'deferred')
    await world.sink.stop()
  })

  test('does not wait forever for a mail in flight', async () => {
    const world = await openSmtpWorld({ drainMs: 50 })
    world.sink.react('end', 'hold')
    const sent = send(world)
    await until('the mail', () => world.sink.received === 1)
    await world.provider[Symbol.asyncDispose]()
    assert.equal((await sent).kind, 'unknown')
    await world.sink.stop()
  })
})
