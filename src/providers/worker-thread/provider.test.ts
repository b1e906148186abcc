import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { dkimSignaturesOf } from '../../../test/support/dkim.ts'
import { type SinkOptions, SmtpSink } from '../../../test/support/smtp-sink.ts'
import { until } from '../../../test/support/until.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { instant } from '../../lib/time.ts'
import type { Receipt } from '../../ports/provider.ts'
import { someContext } from '../context.fixture.ts'
import type { ProviderContext } from '../kind.ts'
import { address, someMailAttempt } from '../mail.fixture.ts'
import { openHere, openRegistered, type RegisteredConfig } from '../registry.ts'
import { openInThread } from './provider.ts'

const SHORT_LIVED = new URL('./short-lived.fixture.ts', import.meta.url)
const NO_HURRY = (): AbortSignal => AbortSignal.timeout(60_000)

const configOf = (port: number): RegisteredConfig => ({
  name: 'acme' as ProviderName,
  kind: 'smtp',
  settings: { host: '127.0.0.1', port, tls: 'none', from: 'Acme <no-reply@acme.example>', bounce_secret: 'secret' },
})

async function openWorld(given: Partial<ProviderContext> = {}, options: SinkOptions = {}) {
  await using opened = new AsyncDisposableStack()
  const sink = opened.use(new SmtpSink(options))
  await sink.start()
  const [receipts, logged]: [Receipt[], string[]] = [[], []]
  const context = someContext({
    report: async (receipt) => void receipts.push(receipt),
    log: (level, sentence) => void logged.push(`${level}: ${sentence}`),
    ...given,
  })
  const config = configOf(sink.port)
  const provider = opened.use(openRegistered(config, context))
  const closing = opened.move()
  return { sink, provider, config, context, receipts, logged, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

describe('a provider that sends in a thread', { timeout: 120_000 }, () => {
  test('sends many at once, and reports its connections', async () => {
    await using world = await openWorld()
    assert.deepEqual([world.provider.connections?.(), world.provider.hasRoom?.()], [{ wanted: 0, up: 0 }, true])
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => world.provider.send(someMailAttempt(), NO_HURRY())),
    )
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      new Array(20).fill('accepted'),
    )
    assert.equal(world.sink.received, 20)
    await until('its connections to be reported', () => (world.provider.connections?.().up ?? 0) > 0)
  })

  test('reads callbacks in the main thread', async () => {
    await using world = await openWorld()
    const request = { method: 'POST', url: '/', headers: new Headers(), body: new Uint8Array() }
    assert.equal(await world.provider.readCallback(request), 'forged')
  })

  test('uses the clock of the gateway', async () => {
    await using world = await openWorld({ clock: () => instant(5_000) })
    const outcome = await world.provider.send({ ...someMailAttempt(), expiresAt: instant(4_000) }, NO_HURRY())
    assert.deepEqual(['code' in outcome && outcome.code, world.sink.received], ['EXPIRED', 0])
  })

  test('aborts a send when the caller aborts, and reports an answer that arrives later', async () => {
    await using world = await openWorld()
    world.sink.react('end', 'hold')
    const caller = new AbortController()
    const attempt = someMailAttempt()
    const sending = world.provider.send(attempt, caller.signal)
    await until('the mail to arrive', () => world.sink.received === 1)
    caller.abort()
    assert.equal((await sending).kind, 'unknown')
    world.sink.release()
    await until('the report', () => world.receipts.length === 1)
    assert.deepEqual([world.receipts[0]?.ref, world.receipts[0]?.state], [attempt.ref, 'accepted'])
  })

  test("signs with the key of the sender's domain, which the thread gets with each mail", async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const published = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    const signing = {
      domain: 'shop.example',
      selector: 'pombo1',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    }
    const from = { address: address('hello@shop.example') }
    await using world = await openWorld({
      dkimSigningFor: ({ content }) => (content.from?.address === from.address ? signing : undefined),
    })
    for (const content of [{ from }, {}, { from }]) await world.provider.send(someMailAttempt(content), NO_HURRY())
    assert.deepEqual(
      world.sink.mails.map(({ raw }) =>
        dkimSignaturesOf(raw).map(({ domain, selector, isValid }) => [domain, selector, isValid(published)]),
      ),
      [[['shop.example', 'pombo1', true]], [], [['shop.example', 'pombo1', true]]],
    )
  })

  test('finishes what is in flight when it is closed, and defers later sends', async () => {
    await using world = await openWorld()
    world.sink.react('end', 'hold')
    const sending = world.provider.send(someMailAttempt(), NO_HURRY())
    await until('the mail to arrive', () => world.sink.received === 1)
    const closing = world.provider[Symbol.asyncDispose]()
    world.sink.release()
    assert.equal((await sending).kind, 'accepted')
    await closing
    const afterwards = await world.provider.send(someMailAttempt(), NO_HURRY())
    assert.deepEqual([afterwards.kind, world.sink.received], ['deferred', 1])
  })

  test('answers that the outcome is unknown when its thread dies, logs it, and starts another', async () => {
    await using world = await openWorld()
    const here = openHere(world.config, { ...world.context, sends: false })
    await using provider = openInThread(world.config, world.context, here, SHORT_LIVED)
    for (const deaths of [1, 2]) {
      const outcome = await provider.send(someMailAttempt(), NO_HURRY())
      assert.deepEqual([outcome.kind, 'code' in outcome && outcome.code], ['unknown', 'CONNECTION_LOST'])
      assert.equal(world.logged.filter((line) => line === 'warn: the sending thread died').length, deaths)
    }
  })

  test('starts no thread where nothing is sent', async () => {
    await using world = await openWorld({ sends: false })
    const outcome = await world.provider.send(someMailAttempt(), NO_HURRY())
    assert.deepEqual([outcome.kind, 'code' in outcome && outcome.code], ['deferred', 'NOT_CONNECTED'])
  })
})
