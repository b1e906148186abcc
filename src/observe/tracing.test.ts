/** Spans reach the collector, and a failing collector does not affect messages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { START } from '../flows/gateway.fixture.ts'
import { type Instant, later, millis, seconds } from '../lib/time.ts'
import { open, openCollector, openTracedGateway } from './tracing.fixture.ts'

/** The batch size of the SDK. */
const BATCH = 512

test('the endpoint is the base URL of the collector, or the full URL', async () => {
  await using collector = await openCollector()
  const paths = ['', '/', '/v1/traces', '/v1/traces/', '/otlp', '/otlp/', '/otlp/v1/traces', '/otlp?key=1']
  for (const path of paths) {
    const tracing = await open(collector.url + path)
    await openTracedGateway(tracing).submit()
    await tracing[Symbol.asyncDispose]()
  }
  assert.deepEqual(
    collector.requests.map(({ path }) => path),
    [...Array(4).fill('/v1/traces'), ...Array(3).fill('/otlp/v1/traces'), '/otlp/v1/traces?key=1'],
  )
})

test('an unreachable collector loses spans and nothing else', async () => {
  const { url } = await closedCollector()
  const faults: Error[] = []
  const tracing = await open(url, { timeout: millis(500), onFault: (fault) => faults.push(fault) })
  const gateway = openTracedGateway(tracing)
  const id = await gateway.submit()
  await gateway.work()
  assert.equal((await gateway.stateOf(id)).handoffState, 'handed_off')
  const startedAt = performance.now()
  await tracing[Symbol.asyncDispose]()
  assert(performance.now() - startedAt < 1_000)
  assert.deepEqual(
    faults.map(({ message, cause }) => [message, (cause as NodeJS.ErrnoException).code]),
    [['3 spans could not be exported', 'ECONNREFUSED']],
  )
})

async function closedCollector() {
  await using collector = await openCollector()
  return collector
}

test('closing waits no longer than the timeout for a hanging collector', async () => {
  await using collector = await openCollector('endless')
  const tracing = await open(collector.url, { timeout: millis(200), onFault: () => {} })
  await openTracedGateway(tracing).submit()
  const startedAt = performance.now()
  await tracing[Symbol.asyncDispose]()
  const took = performance.now() - startedAt
  assert(took > 150 && took < 1_000, `${took} ms`)
  assert.equal(collector.requests.length, 1)
})

test('reports lost spans at most once a minute', async () => {
  await using collector = await openCollector(400)
  const failures = [0, 59, 60, 119, 120].values()
  const reportedAt: number[] = []
  let now = 0
  const clock = (): Instant => {
    now = failures.next().value ?? Number.NaN
    return later(START, seconds(now))
  }
  const tracing = await open(collector.url, { clock, onFault: () => reportedAt.push(now) })
  const gateway = openTracedGateway(tracing)
  for (let spans = 0; spans < 5 * BATCH; spans += 1) await gateway.submit()
  await tracing[Symbol.asyncDispose]()
  assert.equal(collector.requests.length, 5)
  assert.deepEqual(reportedAt, [0, 60, 120])
})
