import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { openTestGateway, run } from './test-world.ts'
import type { OpenApp } from './world.ts'

function fakeApp(app: Readonly<{ url?: string; token?: string }> = {}) {
  const events: string[] = []
  const openApp: OpenApp = async () => {
    events.push('opened')
    return {
      url: app.url ?? 'http://127.0.0.1:8080',
      token: app.token,
      close: async () => {
        events.push('closed')
      },
    }
  }
  return { openApp, events }
}

const stopSignal = () => AbortSignal.abort()
const CLUSTER = {
  POMBO_PROFILE: 'cluster',
  POMBO_NATS_URL: 'nats://nats.example:4222',
  POMBO_POSTGRES_URL: 'postgres://pombo@pg.example/pombo',
  POMBO_REDIS_URL: 'redis://redis.example',
  POMBO_MASTER_KEY: 'ab'.repeat(32),
  POMBO_JWT_SECRET: 'a secret of at least thirty-two bytes',
  POMBO_SIMULATOR_URL: 'http://simulator.example:8090',
  POMBO_SIMULATOR_SECRET: 'y'.repeat(16),
  POMBO_PUBLIC_URL: 'http://api.example:8080',
}
const failing = (code: string, port?: number) => async (): Promise<never> => {
  throw new Error('cannot listen', { cause: Object.assign(new Error('listen'), { code, port }) })
}

describe('serve', () => {
  test('opens the gateway and closes it when stopped', async () => {
    const { openApp, events } = fakeApp()
    const { code } = await run(['serve'], { openApp, stopSignal })
    assert.equal(code, 0)
    assert.deepEqual(events, ['opened', 'closed'])
  })

  test('runs until it is stopped', async () => {
    const { openApp, events } = fakeApp()
    const stop = new AbortController()
    const running = run(['serve'], { openApp, stopSignal: () => stop.signal, env: { POMBO_LOG_LEVEL: 'silent' } })
    while (events.length === 0) await new Promise(setImmediate)
    assert.deepEqual(events, ['opened'])
    stop.abort()
    assert.equal((await running).code, 0)
    assert.deepEqual(events, ['opened', 'closed'])
  })

  test('prints the URL, a token, and a curl line that works when pasted', async () => {
    await using gateway = await openTestGateway(({ body }) => body)
    const { openApp } = fakeApp({ url: gateway.url, token: 'ready-token' })
    const { out } = await run(['serve'], { openApp, stopSignal })
    assert.match(out, new RegExp(`^Pombo listens on ${gateway.url}$`, 'm'))
    assert.match(out, /^ready-token$/m)

    const line = out.split('\n').find((line) => line.startsWith('curl ')) ?? ''
    // Asynchronous, or the gateway in this process could not answer.
    await promisify(execFile)('sh', ['-c', line])
    const [request] = gateway.requests
    assert.equal(request?.path, '/v1/sms/send')
    assert.equal(request?.headers.authorization, 'Bearer ready-token')
    assert.match(String(request?.headers['idempotency-key']), /^hello-[0-9a-f]{8}$/)
    assert.deepEqual(request?.body, { to: '+15005550100', message: 'Hello from Pombo' })
  })

  test('prints a console link with a token only when Pombo generated the secret', async () => {
    const { out } = await run(['serve'], { openApp: fakeApp({ token: 'ready-token' }).openApp, stopSignal })
    assert.match(out, /^Console {2}http:\/\/127\.0\.0\.1:8080\/console\/#token=ready-token$/m)
    const bare = await run(['serve'], { openApp: fakeApp().openApp, stopSignal })
    assert.match(bare.out, /^Console {2}http:\/\/127\.0\.0\.1:8080\/console\/$/m)
  })

  test('prints no console link when the API is not served', async () => {
    const env = { ...CLUSTER, POMBO_ROLES: 'worker' }
    const { out, code } = await run(['serve'], { openApp: fakeApp().openApp, stopSignal, env })
    assert.equal(code, 0)
    assert.doesNotMatch(out, /console/i)
  })

  test('prints no token when the operator set the secret', async () => {
    const { out } = await run(['serve'], { openApp: fakeApp().openApp, stopSignal })
    assert.doesNotMatch(out, /token|curl/i)
  })

  test('logs to stderr as JSON, misspelt settings first', async () => {
    const env = { POMBO_PROT: '1' }
    const { err } = await run(['serve'], { openApp: fakeApp().openApp, stopSignal, env })
    const [first] = err.split('\n')
    assert.equal(JSON.parse(first ?? '').msg, 'POMBO_PROT is not a setting; did you mean POMBO_PORT?')
  })

  test('warns that nothing is sent when the embedded profile runs without a worker', async () => {
    const { openApp } = fakeApp()
    const looking = await run(['serve', '--roles', 'api,callbacks,projector'], { openApp, stopSignal })
    assert.equal(looking.code, 0)
    assert.match(looking.err, /accepted but not sent/)
    assert.doesNotMatch((await run(['serve'], { openApp, stopSignal })).err, /not sent/)
  })

  for (const [code, message] of [
    ['EADDRINUSE', /^pombo: port 8080 on 127\.0\.0\.1 is in use; stop the program that uses it, or set POMBO_PORT/],
    ['EADDRNOTAVAIL', /^pombo: 127\.0\.0\.1 is not an address of this machine; correct POMBO_HOST/],
  ] as const) {
    test(`${code} exits with 69 and says how to fix it`, async () => {
      const ran = await run(['serve'], { openApp: failing(code), stopSignal })
      assert.equal(ran.code, 69)
      assert.match(ran.err, message)
    })
  }

  test('names the setting of the SMTP port that is in use or needs privileges', async () => {
    const env = { POMBO_SMTP_PORT: '587', POMBO_LOG_LEVEL: 'silent' }
    const used = await run(['serve'], { openApp: failing('EADDRINUSE', 587), stopSignal, env })
    assert.match(used.err, /port 587 on 127\.0\.0\.1 is in use; .* set POMBO_SMTP_PORT to another port/)
    const low = await run(['serve'], { openApp: failing('EACCES', 587), stopSignal, env })
    assert.match(low.err, /port 587 on 127\.0\.0\.1 needs privileges; set POMBO_SMTP_PORT/)
    assert.deepEqual([used.code, low.code], [69, 69])
  })
})
