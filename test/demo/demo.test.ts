/** The demo, for a few seconds on its own gateway. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseOptions } from '../../demo/options.ts'
import { runDemo } from '../../demo/run.ts'
import { freePort } from '../support/free-port.ts'
import { callerOf } from '../support/gateway.ts'

const LINK = /^Console {3}(http:\/\/127\.0\.0\.1:(\d+))\/console\/#token=(ey\S+)$/m
const HALF_HOUR = 30 * 60 * 1000

type Stats = Readonly<{ buckets: readonly Readonly<{ start: string; statuses: Readonly<Record<string, number>> }>[] }>

/** How many messages each half hour of the last day has. */
async function countsOf(url: string, token: string): Promise<readonly number[]> {
  const to = Math.ceil(Date.now() / HALF_HOUR) * HALF_HOUR
  const starts = Array.from({ length: 48 }, (_, n) => to - (48 - n) * HALF_HOUR)
  const [from, until] = [starts[0] ?? 0, to].map((at) => new Date(at).toISOString())
  const { body } = await callerOf(url, token)<Stats>('GET', `/v1/stats?from=${from}&to=${until}&bucket=1800`)
  const byStart = Map.groupBy(body.buckets, ({ start }) => Date.parse(start))
  return starts.map((start) =>
    (byStart.get(start) ?? [])
      .flatMap(({ statuses }) => Object.values(statuses))
      .reduce((sum, count) => sum + count, 0),
  )
}

test('starts with a day of messages on the port of POMBO_PORT, runs, and ends when stopped', {
  timeout: 180_000,
}, async () => {
  const port = await freePort()
  const secret = 'a secret of at least thirty-two bytes'
  const options = parseOptions(['--pace', '10'], { POMBO_PORT: `${port}`, POMBO_JWT_SECRET: secret })
  assert.ok(options !== undefined)
  const [stop, linked] = [new AbortController(), Promise.withResolvers<RegExpExecArray>()]
  let output = ''
  const write = (text: string): void => {
    output += text
    const link = LINK.exec(output)
    if (link !== null) linked.resolve(link)
  }
  const demo = runDemo(options, write, stop.signal)
  demo.catch(linked.reject)
  const [, url = '', at, token = ''] = await linked.promise
  const counts = await countsOf(url, token).finally(() => setTimeout(() => stop.abort(), 3_000))
  const { accepted, refused } = await demo
  assert.equal(at, `${port}`)
  assert.deepEqual(
    counts.slice(0, -1).filter((count) => count < 20),
    [],
    `${counts}`,
  )
  assert.ok(accepted > 20, `${accepted} accepted`)
  assert.ok(refused < accepted / 4, `${refused} refused`)
})

describe('the options of the demo', () => {
  test('are rejected with a reason when they are invalid', () => {
    assert.throws(() => parseOptions(['--url', 'http://127.0.0.1:8080']), /--url and --token must be used together/)
    assert.throws(() => parseOptions(['--seconds', 'soon']), /--seconds must be a whole number/)
    assert.throws(() => parseOptions(['--port', '70000']), /--port must be a whole number/)
    assert.throws(
      () => parseOptions(['--url', 'http://x', '--token', 'y', '--port', '1']),
      /cannot be combined with --url/,
    )
    assert.equal(parseOptions(['--help']), undefined)
  })

  test('let settings of the environment apply, except for those of a real gateway', () => {
    const env = {
      POMBO_PORT: '18080',
      POMBO_LOG_LEVEL: 'info',
      POMBO_DATA_DIR: '/data',
      POMBO_CONFIG: 'c.json',
      HOME: '/',
    }
    assert.deepEqual(parseOptions([], env)?.settings, { POMBO_PORT: '18080', POMBO_LOG_LEVEL: 'info' })
    assert.deepEqual(parseOptions(['--port', '0'], env)?.settings, { POMBO_PORT: '0', POMBO_LOG_LEVEL: 'info' })
    assert.deepEqual(parseOptions([], { POMBO_PORT: '' })?.settings, { POMBO_PORT: '0' })
  })
})
