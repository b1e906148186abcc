import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { backlogOf, growthOf, type Metrics, readMetrics, withAcceptedEarlier } from './metrics.ts'

const TEXT = `# HELP pombo_queue_jobs Jobs in the queue
pombo_queue_jobs{lane="otp",state="ready"} 3
pombo_queue_jobs{lane="bulk",state="taken"} 4
pombo_index_lag_events 12
pombo_messages_ended_total{channel="sms",provider="simulator",status="delivered"} 70
pombo_messages_ended_total{channel="sms",provider="simulator",status="failed"} 5
pombo_accept_duration_seconds_count 100
pombo_handoff_latency_seconds_count 80
pombo_handoff_latency_seconds_bucket{le="0.1"} 1
`

test('sums metrics over their labels', async (t) => {
  const server = createServer((_request, response) => response.end(TEXT)).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const metrics = await readMetrics((server.address() as AddressInfo).port)
  const { accepted, handedOff, delivered, ended, queued, indexLag } = metrics
  assert.deepEqual([accepted, handedOff, delivered, ended, queued, indexLag], [100, 80, 70, 75, 7, 12])
  assert.equal(backlogOf(metrics), 25)
})

test('sums counters of several processes, and takes shared gauges once', async (t) => {
  const server = createServer((_request, response) => response.end(TEXT)).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { accepted, handedOff, delivered, ended, queued, indexLag } = await readMetrics(port, port)
  assert.deepEqual([accepted, handedOff, delivered, ended, queued, indexLag], [200, 160, 140, 150, 7, 12])
})

const at = (seconds: number, queued: number): Metrics => ({
  at: seconds,
  queued,
  accepted: 0,
  handedOff: 0,
  delivered: 0,
  ended: 0,
  indexLag: 0,
})

test('growth is the slope over all samples, not affected by a single one', () => {
  const growth = (values: readonly number[]): number =>
    growthOf(
      values.map((value, second) => at(second, value)),
      ({ queued }) => queued,
    )
  assert.equal(growth([5, 15, 25, 35]), 10)
  assert.equal(growth([7, 7, 7]), 0)
  assert.ok(Math.abs(growth([100, 0, 100, 0, 100])) < 1e-9)
  assert.equal(growth([1]), 0)
})

test('messages whose receipt is not due yet are no backlog, at any pace', () => {
  const accepted = [0, 100, 300, 600, 1000, 1500]
  const samples = accepted.map((count, second) => ({
    ...at(second, 0),
    accepted: count,
    ended: second < 2.5 ? 0 : ((accepted[second - 2] ?? 0) + (accepted[second - 3] ?? 0)) / 2,
  }))
  const shifted = withAcceptedEarlier(samples, 2.5)
  assert.deepEqual(
    shifted.map((sample) => [sample.at, sample.accepted, backlogOf(sample)]),
    [
      [3, 50, 0],
      [4, 200, 0],
      [5, 450, 0],
    ],
  )
  assert.ok(growthOf(samples, backlogOf) > 100)
  assert.deepEqual(withAcceptedEarlier(samples, 0), samples)
})
