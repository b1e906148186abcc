import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import type { Fact } from '../domain/message/events.ts'
import { toStatus } from '../domain/message/states.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { observedLog } from '../engines/decorators/observed-log.ts'
import {
  ACCEPTS,
  DEFERS,
  fakeProvider,
  type GatewayOptions,
  OUTCOME_UNKNOWN,
  openGateway,
  REJECTS,
  receiptOf,
} from '../flows/gateway.fixture.ts'
import { applyReceipt } from '../flows/receive/apply-receipt.ts'
import type { Clock } from '../lib/clock.ts'
import { seconds } from '../lib/time.ts'
import { ATTEMPTED, append, createdEntry, nextEntry, stopped } from '../ports/samples.contract.ts'
import { openMetrics } from './metrics.ts'

/** A gateway with metrics. */
function open(options: GatewayOptions = {}) {
  let metrics: ReturnType<typeof openMetrics> | undefined
  const openEngine = ({ clock }: { clock: Clock }) => {
    const engine = openMemoryEngine({ clock })
    metrics = openMetrics(engine)
    return { ...engine, log: observedLog(engine.log, metrics.observe) }
  }
  const gateway = openGateway({ openEngine, ids: openIds() }, options)
  assert.ok(metrics !== undefined)
  return { ...gateway, metrics, ...reading(metrics) }
}

function reading({ registry }: ReturnType<typeof openMetrics>) {
  const valuesOf = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values ?? []
  return {
    /** The values of a counter or a gauge, by the values of their labels. */
    counts: async (name: string): Promise<Record<string, number>> =>
      Object.fromEntries((await valuesOf(name)).map(({ labels, value }) => [Object.values(labels).join(' '), value])),
    /** Count and sum of a histogram, or of one state of it. */
    measured: async (name: string, state?: string): Promise<unknown[]> => {
      const named = (await valuesOf(name)) as { metricName?: string; value: number; labels: { state?: string } }[]
      const own = named.filter(({ labels }) => labels.state === state)
      return ['count', 'sum'].map((part) => own.find(({ metricName }) => metricName === `${name}_${part}`)?.value)
    },
  }
}

test('a message that is deferred, has an unknown outcome and is then delivered is in every pipeline metric', async () => {
  const gateway = open({ providers: [fakeProvider([DEFERS, OUTCOME_UNKNOWN])] })
  const { counts, measured, pass, work, deps } = gateway
  const id = await gateway.submit()
  await work()
  pass(seconds(2))
  await work()
  pass(seconds(1))
  const attempted = await gateway.stateOf(id)
  await applyReceipt(deps, receiptOf(attempted, 'accepted'))
  assert.deepEqual(await measured('pombo_handoff_latency_seconds'), [1, 3])
  assert.deepEqual(await counts('pipeline_final_state_total'), {})
  pass(seconds(4))
  await applyReceipt(deps, receiptOf(attempted, 'delivered'))

  assert.deepEqual(await counts('pipeline_state_transitions_total'), {
    'sms  queued': 1,
    'sms queued sending': 1,
    'sms sending sent': 1,
    'sms sent delivered': 1,
  })
  assert.deepEqual(await counts('pipeline_retry_total'), { 'sms BUSY TRANSIENT_ERROR': 1 })
  assert.deepEqual(await counts('pipeline_unknown_total'), { 'one TIMEOUT': 1 })
  assert.deepEqual(await counts('pipeline_final_state_total'), { 'sms delivered': 1 })
  assert.deepEqual(await measured('pombo_message_duration_seconds'), [1, 7])
  assert.deepEqual(await counts('pipeline_validation_failures_total'), {})
})

test('without delivery reports a message is final once the provider has accepted it', async () => {
  const { submit, work, counts, measured } = open({
    providers: [fakeProvider([{ ...ACCEPTS, noDeliveryReports: true }])],
  })
  await submit()
  await work()
  assert.deepEqual(await counts('pipeline_final_state_total'), { 'sms sent': 1 })
  assert.deepEqual((await measured('pombo_message_duration_seconds'))[0], 1)
})

test('counts failed messages as final, and adds up equal labels', async () => {
  const { submit, work, counts, measured } = open({ providers: [fakeProvider([REJECTS, REJECTS, ACCEPTS])] })
  for (let n = 0; n < 3; n += 1) {
    await submit()
    await work()
  }
  assert.deepEqual(await counts('pipeline_final_state_total'), { 'sms failed': 2 })
  assert.deepEqual((await measured('pombo_message_duration_seconds'))[0], 2)
  assert.equal((await counts('pipeline_state_transitions_total'))['sms  queued'], 3)
  assert.equal((await counts('pipeline_state_transitions_total'))['sms sending failed'], 2)
})

test('the transitions scraped are those of the events in the log', async () => {
  const answers = [ACCEPTS, REJECTS, DEFERS, OUTCOME_UNKNOWN, ACCEPTS, ACCEPTS]
  const { submit, work, eventsOf, stateOf, deps, counts } = open({ providers: [fakeProvider(answers)] })
  const ids = []
  for (const _ of answers) {
    const id = await submit()
    await work()
    ids.push(id)
    await applyReceipt(deps, receiptOf(await stateOf(id), 'delivered'))
  }
  const events = (await Promise.all(ids.map(eventsOf))).flat()
  const expected: Record<string, number> = {}
  for (const { previousStatus = '', state } of events) {
    const status = toStatus(state)
    if (status === previousStatus) continue
    const name = `sms ${previousStatus} ${status}`
    expected[name] = (expected[name] ?? 0) + 1
  }
  assert.ok(Object.keys(expected).length > 4)
  assert.deepEqual(await counts('pipeline_state_transitions_total'), expected)
})

test('scraping twice does not count twice', async () => {
  const { submit, metrics, counts } = open()
  await submit()
  await metrics.registry.metrics()
  await metrics.registry.metrics()
  assert.deepEqual(await counts('pipeline_state_transitions_total'), { 'sms  queued': 1 })
})

test('measures the time in each state when it ends, and each attempt separately', async () => {
  const name = 'pipeline_processing_duration_seconds'
  const { submit, work, pass, stateOf, deps, measured } = open({ providers: [fakeProvider([DEFERS, OUTCOME_UNKNOWN])] })
  const id = await submit()
  pass(seconds(3))
  await work()
  assert.deepEqual(await measured(name, 'queued'), [1, 3])
  assert.deepEqual(await measured(name, 'sending'), [1, 0])
  pass(seconds(60))
  await work()
  pass(seconds(5))
  await applyReceipt(deps, receiptOf(await stateOf(id), 'accepted'))
  assert.deepEqual(await measured(name, 'sending'), [2, 5])
  pass(seconds(7))
  await applyReceipt(deps, receiptOf(await stateOf(id), 'delivered'))
  assert.deepEqual(await measured(name, 'sent'), [1, 7])
  assert.deepEqual(await measured(name, 'queued'), [1, 3])
})

test('counts validation failures by check and code', async () => {
  const engine = openMemoryEngine({ clock: stopped })
  const metrics = openMetrics(engine)
  const log = observedLog(engine.log, metrics.observe)
  const created = await append(log, createdEntry())
  await append(log, nextEntry(created, INVALID))
  const { counts } = reading(metrics)
  assert.deepEqual(await counts('pipeline_validation_failures_total'), { 'TEMPLATE INVALID_TEMPLATE': 1 })
  assert.deepEqual(await counts('pipeline_final_state_total'), { 'sms failed': 1 })
})

const INVALID: Fact = { kind: 'ValidationFailed', check: 'TEMPLATE', code: 'INVALID_TEMPLATE', detail: 'no html' }

test('an event that does not change the status is not a transition', async () => {
  const engine = openMemoryEngine({ clock: stopped })
  const metrics = openMetrics(engine)
  const log = observedLog(engine.log, metrics.observe)
  const attempted = await append(log, nextEntry(await append(log, createdEntry()), ATTEMPTED))
  const before = await reading(metrics).counts('pipeline_state_transitions_total')
  await append(log, nextEntry(attempted, { kind: 'MessageErased' }))
  assert.deepEqual(await reading(metrics).counts('pipeline_state_transitions_total'), before)
})

test('measures the queue by lane and state, and the lag of the index', async () => {
  const { submit, take, work, pass, project, counts } = open({ providers: [fakeProvider([DEFERS])] })
  await submit({ lane: 'otp' })
  await work()
  await submit()
  await submit()
  await take()
  const jobs = await counts('pombo_queue_jobs')
  assert.equal(Object.keys(jobs).length, 12)
  const nonZero = Object.fromEntries(Object.entries(jobs).filter(([, count]) => count > 0))
  assert.deepEqual(nonZero, { 'otp delayed': 1, 'transactional ready': 1, 'transactional taken': 1 })
  assert.deepEqual(await counts('pombo_index_lag_events'), { '': 5 })
  await project()
  pass(seconds(60))
  assert.deepEqual(await counts('pombo_index_lag_events'), { '': 0 })
})

test('counts the messages checked and the jobs recovered', async () => {
  const metrics = openMetrics(openMemoryEngine({ clock: stopped }))
  for (const recovered of [0, 2]) metrics.onRecovered({ checked: 500, recovered })
  const { counts } = reading(metrics)
  assert.deepEqual(await counts('pombo_jobs_checked_total'), { '': 1_000 })
  assert.deepEqual(await counts('pombo_jobs_recovered_total'), { '': 2 })
})

test('measures the calls in flight at each provider when scraped', async () => {
  const calls = new Map([['one', 3]])
  const { counts } = reading(openMetrics({ ...openMemoryEngine({ clock: stopped }), calls: () => calls }))
  assert.deepEqual(await counts('pombo_provider_calls'), { one: 3 })
  calls.set('one', 0).set('two', 1)
  assert.deepEqual(await counts('pombo_provider_calls'), { one: 0, two: 1 })
})

test('counts swept orphans by kind', async () => {
  const metrics = openMetrics(openMemoryEngine({ clock: stopped }))
  for (const [kind, count] of [
    ['key', 2],
    ['content', 1],
    ['key', 3],
  ] as const)
    metrics.onSwept(kind, count)
  assert.deepEqual(await reading(metrics).counts('pombo_orphans_swept_total'), { key: 5, content: 1 })
})

test('counts messages that are no longer kept', async () => {
  const metrics = openMetrics(openMemoryEngine({ clock: stopped }))
  const { counts } = reading(metrics)
  assert.deepEqual(await counts('pombo_messages_pruned_total'), { '': 0 })
  for (const count of [500, 0, 7]) metrics.onPruned(count)
  assert.deepEqual(await counts('pombo_messages_pruned_total'), { '': 507 })
})

test('exports one breaker state per provider, and counts transitions', async () => {
  const answers = [...Array(5).fill(DEFERS), ACCEPTS]
  const { submit, work, pass, counts } = open({ providers: [fakeProvider(answers)] })
  const stateOf = async (): Promise<string[]> =>
    Object.entries(await counts('pombo_breaker_state')).flatMap(([name, value]) => (value === 1 ? [name] : []))
  assert.deepEqual(await stateOf(), [])
  for (let n = 0; n < 5; n += 1) {
    await submit()
    await work()
    assert.deepEqual(await stateOf(), [n < 4 ? 'one closed' : 'one open'])
  }
  pass(seconds(30))
  await work()
  assert.deepEqual(await stateOf(), ['one closed'])
  assert.deepEqual(await counts('pombo_breaker_transitions_total'), {
    'one closed open': 1,
    'one open half_open': 1,
    'one half_open closed': 1,
  })
})

test('measures the time to the 202, and Node itself', async () => {
  const { metrics, measured } = open()
  metrics.onAccepted(0.002)
  metrics.onAccepted(0.5)
  assert.deepEqual(await measured('pombo_accept_duration_seconds'), [2, 0.502])
  assert.match(await metrics.registry.metrics(), /^nodejs_eventloop_lag_seconds /m)
})
