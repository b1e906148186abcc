import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMeasured, openTestMetrics } from './metrics.fixture.ts'

test('scraping twice does not count twice', async () => {
  const { submit, metrics, counts } = openMeasured()
  await submit()
  await metrics.registry.metrics()
  await metrics.registry.metrics()
  assert.deepEqual(await counts('pipeline_state_transitions_total'), { 'sms RECEIVED': 1 })
})

test('counts the messages checked and the jobs recovered', async () => {
  const { onRecovered, counts } = openTestMetrics()
  for (const recovered of [0, 2]) onRecovered({ checked: 500, recovered })
  assert.deepEqual(await counts('pombo_jobs_checked_total'), { '': 1_000 })
  assert.deepEqual(await counts('pombo_jobs_recovered_total'), { '': 2 })
})

test('counts swept orphans by kind', async () => {
  const { onSwept, counts } = openTestMetrics()
  onSwept('key', 2)
  onSwept('content', 1)
  onSwept('key', 3)
  assert.deepEqual(await counts('pombo_orphans_swept_total'), { key: 5, content: 1 })
})

test('counts messages that are no longer kept', async () => {
  const { onPruned, counts } = openTestMetrics()
  assert.deepEqual(await counts('pombo_messages_pruned_total'), { '': 0 })
  for (const count of [500, 0, 7]) onPruned(count)
  assert.deepEqual(await counts('pombo_messages_pruned_total'), { '': 507 })
})

test('counts requests by route and status, and measures them by route', async () => {
  const { onRequestAnswered, counts, measured } = openTestMetrics()
  onRequestAnswered('POST', '/v1/sms/send', 202, 0.002)
  onRequestAnswered('POST', '/v1/sms/send', 422, 0.001)
  onRequestAnswered('GET', '', 404, 0)
  const expected = { 'POST /v1/sms/send 202': 1, 'POST /v1/sms/send 422': 1, 'GET  404': 1 }
  assert.deepEqual(await counts('pombo_http_requests_total'), expected)
  assert.deepEqual(await measured('pombo_http_request_duration_seconds', 'POST /v1/sms/send'), [2, 0.003])
})

test('counts one-time codes by channel and their checks by status', async () => {
  const { onCodeStarted, onChecked, counts } = openTestMetrics()
  onCodeStarted('sms')
  onCodeStarted('email')
  onChecked('verified')
  assert.deepEqual(await counts('pombo_otp_started_total'), { sms: 1, email: 1 })
  assert.deepEqual(await counts('pombo_otp_checks_total'), { verified: 1 })
})

test('measures the time to the 202, and Node itself', async () => {
  const { onAccepted, measured, registry } = openTestMetrics()
  onAccepted(0.002)
  onAccepted(0.5)
  assert.deepEqual(await measured('pombo_accept_duration_seconds'), [2, 0.502])
  const text = await registry.metrics()
  assert.match(text, /^nodejs_eventloop_lag_p99_seconds /m)
  assert.match(text, /^# TYPE nodejs_gc_duration_seconds histogram$/m)
})

test('counters without labels begin at zero, so that their first increase is one', async () => {
  const { counts } = openTestMetrics()
  assert.deepEqual(await counts('pombo_webhook_deliveries_total'), { '': 0 })
})
