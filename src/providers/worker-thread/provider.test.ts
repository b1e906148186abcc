import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type SinkOptions, SmtpSink } from '../../../test/support/smtp-sink.ts'
import { until } from '../../../test/support/until.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { instant } from '../../lib/time.ts'
import type { Receipt } from '../../ports/provider.ts'
import { someContext } from '../context.fixture.ts'
import type { ProviderContext } from '../kind.ts'
import { someMailAttempt } from '../mail.fixture.ts'
import { openHere, openRegistered, type RegisteredConfig } from '../registry.ts'
import { openInThread } from './provider.ts'

const SHORT_LIVED = new URL('./short-lived.fixture.ts', import.meta.url)
const PATIENT = (): AbortSignal => AbortSignal.timeout(60_000)

const configOf = (port: number): RegisteredConfig => ({
  name: 'acme' as ProviderName,
  kind: 'smtp',
  settings: { host: '127.0.0.1', port, tls: 'none', from: 'Acme <no-reply@acme.example>', bounce_secret: 'secret' },
})

async function openWorld(given: Partial<ProviderContext> = {}, options: SinkOptions = {}) {
  await using opened = new AsyncDisposableStack()
  const sink = opened.use(new SmtpSink(options))
  await sink.start()
  const [receipts, told]: [Receipt[], string[]] = [[], []]
  const place = someContext({
    report: async (receipt) => void receipts.push(receipt),
    log: (level, sentence) => void told.push(`${level}: ${sentence}`),
    ...given,
  })
  const config = configOf(sink.port)
  const provider = opened.use(openRegistered(config, place))
  const closing = opened.move()
  return { sink, provider, config, place, receipts, told, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

describe('a provider that sends in a thread of its own', { timeout: 120_000 }, () => {
  test('sends as it would here, many at once, and tells of its connections', async () => {
    await using world = await openWorld()
    assert.deepEqual([world.provider.connections?.(), world.provider.hasRoom?.()], [{ wanted: 0, up: 0 }, true])
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => world.provider.send(someMailAttempt(), PATIENT())),
    )
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      new Array(20).fill('accepted'),
    )
    assert.equal(world.sink.received, 20)
    await until('its connections to be told', () => (world.provider.connections?.().up ?? 0) > 0)
  })

  test('reads callbacks here, without a thread', async () => {
    await using world = await openWorld()
    const request = { method: 'POST', url: '/', headers: new Headers(), body: new Uint8Array() }
    assert.equal(await world.provider.readCallback(request), 'forged')
  })

  test('goes by our clock', async () => {
    await using world = await openWorld({ clock: () => instant(5_000) })
    const outcome = await world.provider.send({ ...someMailAttempt(), expiresAt: instant(4_000) }, PATIENT())
    assert.deepEqual(['code' in outcome && outcome.code, world.sink.received], ['EXPIRED', 0])
  })

  test('is given up when the caller gives up, and an answer that comes too late is reported', async () => {
    await using world = await openWorld()
    world.sink.react('end', 'hold')
    const patience = new AbortController()
    const attempt = someMailAttempt()
    const sending = world.provider.send(attempt, patience.signal)
    await until('the mail to be there', () => world.sink.received === 1)
    patience.abort()
    assert.equal((await sending).kind, 'unknown')
    world.sink.release()
    await until('the report', () => world.receipts.length === 1)
    assert.deepEqual([world.receipts[0]?.ref, world.receipts[0]?.state], [attempt.ref, 'accepted'])
  })

  test('finishes what is under way when it is closed, and takes nothing after that', async () => {
    await using world = await openWorld()
    world.sink.react('end', 'hold')
    const sending = world.provider.send(someMailAttempt(), PATIENT())
    await until('the mail to be there', () => world.sink.received === 1)
    const closing = world.provider[Symbol.asyncDispose]()
    world.sink.release()
    assert.equal((await sending).kind, 'accepted')
    await closing
    const afterwards = await world.provider.send(someMailAttempt(), PATIENT())
    assert.deepEqual([afterwards.kind, world.sink.received], ['deferred', 1])
  })

  test('knows nothing of what it had when its thread died, tells so, and starts another', async () => {
    await using world = await openWorld()
    const here = openHere(world.config, { ...world.place, sends: false })
    await using provider = openInThread(world.config, world.place, here, SHORT_LIVED)
    for (const turn of [1, 2]) {
      const outcome = await provider.send(someMailAttempt(), PATIENT())
      assert.deepEqual([outcome.kind, 'code' in outcome && outcome.code], ['unknown', 'CONNECTION_LOST'])
      assert.equal(world.told.filter((line) => line.startsWith('warn: the thread')).length, turn)
    }
  })

  test('is not started where nothing is sent', async () => {
    await using world = await openWorld({ sends: false })
    const outcome = await world.provider.send(someMailAttempt(), PATIENT())
    assert.deepEqual([outcome.kind, 'code' in outcome && outcome.code], ['deferred', 'NOT_CONNECTED'])
  })
})
