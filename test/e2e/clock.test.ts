/** Retries keep their delay when the wall clock is set back, also across a restart. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import pino from 'pino'
import { type App, openApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { loadSecrets, mintToken } from '../../src/config/secrets.ts'
import { SYSTEM } from '../../src/lib/clock.ts'
import { instant } from '../../src/lib/time.ts'
import { openFolder } from '../support/folder.ts'
import { type Call, callerOf, settingsFor } from '../support/gateway.ts'
import { magic } from '../support/sms.ts'
import { until } from '../support/until.ts'

const DAY_MS = 24 * 3_600_000
/** Fails twice, and is delivered two and four seconds later. */
const FLAKY = magic('0003')

type Shown = Readonly<{
  status: string
  created_at: string
  events: readonly Readonly<{ event_type: string; at: string }>[]
}>

async function openWorld() {
  const folder = await openFolder()
  const config = loadConfig(await settingsFor({ folder: folder.path }), (path) => readFileSync(path, 'utf8'))
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
  const wall = { set: 0 }
  const sources = { ...SYSTEM, wall: () => instant(SYSTEM.wall() + wall.set) }
  let app: App | undefined
  let call: Call = () => Promise.reject(new Error('the gateway is not open'))
  async function start(): Promise<void> {
    app = await openApp(config, { logger, sources })
    // Tokens are minted with the same wall clock.
    const { jwtSecret } = loadSecrets(config)
    const claims = { tenantId: 'north', accountId: 'shop', scopes: ['admin'], expiresInSeconds: 60 }
    call = callerOf(app.url, await mintToken(jwtSecret ?? new Uint8Array(), claims, Math.floor(sources.wall() / 1000)))
  }
  const stop = async (): Promise<void> => {
    await app?.close()
    app = undefined
  }
  await start()
  return {
    start,
    stop,
    wall,
    lines,
    sources,
    async send(more: object = {}): Promise<string> {
      const sms = { to: FLAKY, message: 'Hello', idempotency_key: crypto.randomUUID(), ...more }
      const { status, text, body } = await call<{ request_id: string }>('POST', '/v1/sms/send', sms)
      assert.equal(status, 202, text)
      return body.request_id
    },
    async show(id: string): Promise<Shown> {
      const { status, text, body } = await call<Shown>('GET', `/v1/messages/${id}`)
      assert.equal(status, 200, text)
      return body
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await folder[Symbol.asyncDispose]()
    },
  }
}

type World = Awaited<ReturnType<typeof openWorld>>

const untilRetrying = ({ show }: World, id: string) =>
  until('a scheduled retry', async () =>
    (await show(id)).events.some(({ event_type }) => event_type === 'RetryScheduled'),
  )

const untilDelivered = ({ show }: World, id: string) =>
  until('the message to be delivered', async () => {
    const shown = await show(id)
    return shown.status === 'delivered' ? shown : undefined
  })

test('a retry is made after its delay although the clock is set back by a day', {
  timeout: 60_000,
}, async () => {
  await using world = await openWorld()
  const id = await world.send()
  await untilRetrying(world, id)
  world.wall.set = -DAY_MS
  const { events } = await untilDelivered(world, id)
  const times = events.map(({ at }) => Date.parse(at))
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  )
  assert.equal(world.lines.filter((line) => line.includes('was set back')).length, 1)
})

test('a retry and new messages are sent after a restart with the clock set back', { timeout: 60_000 }, async () => {
  await using world = await openWorld()
  const id = await world.send()
  await untilRetrying(world, id)
  await world.stop()
  world.wall.set = -DAY_MS
  await world.start()
  const first = await untilDelivered(world, id)
  // The deadline refers to the caller's clock, which is a day behind ours.
  const expires_at = new Date(world.sources.wall() + 30_000).toISOString()
  const second = await untilDelivered(world, await world.send({ expires_at }))
  assert.ok(Date.parse(second.created_at) > Date.parse(first.created_at))
})
