import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Given, openSmtpWorld, type SmtpWorld } from '../../../test/support/smtp-world.ts'
import { until } from '../../../test/support/until.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { someMailAttempt } from '../mail.fixture.ts'
import type { Settings } from './settings.ts'

const PATIENT = (): AbortSignal => AbortSignal.timeout(60_000)
const send = ({ provider }: SmtpWorld, signal = PATIENT()) => provider.send(someMailAttempt(), signal)
const kinds = (outcomes: readonly SendOutcome[]) => [...new Set(outcomes.map(({ kind }) => kind))]
const withSettings = (settings: Partial<Settings>, given: Given = {}) => openSmtpWorld({ ...given, settings })

describe('connections to a mail server', { timeout: 120_000 }, () => {
  test('are opened when they are needed, and used again', async () => {
    await using world = await openSmtpWorld()
    assert.deepEqual(world.provider.connections?.(), { wanted: 0, up: 0 })
    for (let left = 10; left > 0; left -= 1) assert.equal((await send(world)).kind, 'accepted')
    assert.equal(world.sink.reached('connect'), 1)
    assert.deepEqual(world.provider.connections?.(), { wanted: 1, up: 1 })
  })

  test('are no more than they may be, and every mail goes once', async () => {
    await using world = await withSettings({ connections: 3 })
    const attempts = Array.from({ length: 60 }, () => someMailAttempt())
    const outcomes = await Promise.all(attempts.map((attempt) => world.provider.send(attempt, PATIENT())))
    assert.deepEqual(kinds(outcomes), ['accepted'])
    assert.equal(world.sink.reached('connect'), 3)
    const names = world.sink.mails.map(({ raw }) => /^Message-ID: <(\S+)>/im.exec(raw.toString('latin1'))?.[1])
    assert.equal(new Set(names).size, 60)
    assert.equal(names.length, 60)
  })

  test('are closed after so many mails, and others opened', async () => {
    await using world = await withSettings({ connections: 1, mails_per_connection: 4 })
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => send(world)))
    assert.deepEqual(kinds(outcomes), ['accepted'])
    assert.equal(world.sink.reached('connect'), 3)
  })

  test('are closed when nothing has needed them for a while', async () => {
    await using world = await withSettings({ idle_seconds: 1 })
    await Promise.all([send(world), send(world)])
    await until('nobody to be connected', () => world.sink.connected === 0)
    assert.deepEqual(world.provider.connections?.(), { wanted: 0, up: 0 })
    assert.equal((await send(world)).kind, 'accepted')
  })

  test('that the server has closed while they were kept cost no mail its attempt', async () => {
    await using world = await openSmtpWorld()
    await Promise.all([send(world), send(world), send(world)])
    world.sink.hangUp()
    assert.deepEqual(kinds(await Promise.all([send(world), send(world), send(world)])), ['accepted'])
    assert.equal(world.sink.received, 6)
  })

  for (const reaction of ['hang up', '421 4.4.2 idle for too long'] as const) {
    test(`that are closed under the first word (${reaction}) are replaced, once`, async () => {
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

  test('that break under a mail are not replaced: it might go twice', async () => {
    await using world = await withSettings({ connections: 1 })
    await send(world)
    world.sink.react('end', 'hang up')
    assert.equal((await send(world)).kind, 'unknown')
    assert.equal(world.sink.received, 2)
  })
})

describe('mails that wait for their turn', { timeout: 120_000 }, () => {
  test('and are given up in time were certainly not sent', async () => {
    await using world = await withSettings({ connections: 1 })
    world.sink.react('end', 'hold')
    const first = send(world)
    await until('the first', () => world.sink.received === 1)
    const second = await send(world, AbortSignal.timeout(100))
    assert.deepEqual([second.kind, 'code' in second && second.code], ['deferred', 'NO_TURN'])
    world.sink.react('end', 'take')
    world.sink.release()
    assert.equal((await first).kind, 'accepted')
    assert.equal((await send(world)).kind, 'accepted')
    assert.equal(world.sink.received, 2)
  })

  test('for long leave no room for others, until they have gone', async () => {
    await using world = await withSettings({ connections: 1 })
    const hasRoom = () => world.provider.hasRoom?.()
    world.sink.react('end', 'hold')
    const both = [send(world), send(world)]
    await until('the first', () => world.sink.received === 1)
    assert.equal(hasRoom(), true)
    await until('the second to have waited for long', () => hasRoom() === false)
    world.sink.react('end', 'take')
    world.sink.release()
    assert.deepEqual(kinds(await Promise.all(both)), ['accepted'])
    assert.equal(hasRoom(), true)
  })

  test('go no faster than they may', async () => {
    await using world = await withSettings({ max_per_second: 20 })
    const begun = performance.now()
    const outcomes = await Promise.all(Array.from({ length: 22 }, () => send(world)))
    assert.deepEqual(kinds(outcomes), ['accepted'])
    // Two at once, and one in each twentieth of a second after that.
    assert.ok(performance.now() - begun >= 950, `${performance.now() - begun}`)
  })

  test('pause when the server finds them too fast', async () => {
    await using world = await openSmtpWorld()
    world.sink.react('end', (nth) => (nth === 1 ? '454 Throttling failure: Maximum sending rate exceeded.' : 'take'))
    const throttled = await send(world)
    assert.ok(throttled.kind === 'deferred' && throttled.code === 'RATE_LIMITED', JSON.stringify(throttled))
    assert.equal((await send(world)).kind, 'accepted')
    const [first, second] = world.sink.mails
    assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 900)
  })
})

describe('taking leave of a mail server', { timeout: 120_000 }, () => {
  test('lets what is under way end, turns away what waits, and leaves nobody connected', async () => {
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
    await until('nobody to be connected', () => world.sink.connected === 0)
    assert.equal((await send(world)).kind, 'deferred')
    await world.sink.stop()
  })

  test('does not wait for ever for one that hangs', async () => {
    const world = await openSmtpWorld({ drainMs: 50 })
    world.sink.react('end', 'hold')
    const sent = send(world)
    await until('the mail', () => world.sink.received === 1)
    await world.provider[Symbol.asyncDispose]()
    assert.equal((await sent).kind, 'unknown')
    await world.sink.stop()
  })
})
