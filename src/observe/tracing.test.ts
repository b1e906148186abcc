/** How spans reach the collector, and that a collector which fails is nobody else's trouble. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { START } from '../flows/gateway.fixture.ts'
import { type Instant, later, millis, seconds } from '../lib/time.ts'
import { open, openCollector, openTracedGateway } from './tracing.fixture.ts'

/** So many spans leave together. */
const BATCH = 512

test('the endpoint is the base of the address, or the whole of it', async () => {
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

test('a collector that is down costs its spans and nothing else', async () => {
  const { url } = await closedCollector()
  const faults: Error[] = []
  const tracing = await open(url, { patience: millis(500), onFault: (fault) => faults.push(fault) })
  const gateway = openTracedGateway(tracing)
  const id = await gateway.submit()
  await gateway.work()
  assert.equal((await gateway.stateOf(id)).handoffState, 'handed_off')
  const startedAt = performance.now()
  await tracing[Symbol.asyncDispose]()
  assert(performance.now() - startedAt < 1_000)
  assert.deepEqual(
    faults.map(({ message, cause }) => [message, (cause as NodeJS.ErrnoException).code]),
    [['2 spans could not be exported', 'ECONNREFUSED']],
  )
})

async function closedCollector() {
  await using collector = await openCollector()
  return collector
}

test('closing waits no longer than its patience for a collector that comes to no end', async () => {
  await using collector = await openCollector('endless')
  const tracing = await open(collector.url, { patience: millis(200), onFault: () => {} })
  await openTracedGateway(tracing).submit()
  const startedAt = performance.now()
  await tracing[Symbol.asyncDispose]()
  const took = performance.now() - startedAt
  assert(took > 150 && took < 1_000, `${took} ms`)
  assert.equal(collector.requests.length, 1)
})

test('failures are told at most once a minute', async () => {
  await using collector = await openCollector(400)
  const failures = [0, 59, 60, 119, 120].values()
  const toldAt: number[] = []
  let now = 0
  const clock = (): Instant => {
    now = failures.next().value ?? Number.NaN
    return later(START, seconds(now))
  }
  const tracing = await open(collector.url, { clock, onFault: () => toldAt.push(now) })
  const gateway = openTracedGateway(tracing)
  for (let spans = 0; spans < 5 * BATCH; spans += 1) await gateway.submit()
  await tracing[Symbol.asyncDispose]()
  assert.equal(collector.requests.length, 5)
  assert.deepEqual(toldAt, [0, 60, 120])
})
