import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFERS, fakeProvider } from '../../flows/gateway.fixture.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import { stopped } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openMeasured, openTestMetrics } from './metrics.fixture.ts'

test('measures the queue by lane and state, and the lag of the index', async () => {
  const { submit, take, work, project, counts } = openMeasured({ providers: [fakeProvider([DEFERS])] })
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
  assert.deepEqual(await counts('pombo_index_lag_events'), { '': 0 })
})

test('reads the stores once while what was read is fresh, however many scrapes there are', async () => {
  let now: Instant = stopped()
  let reads = 0
  const { counts } = openTestMetrics({
    clock: () => now,
    keep: seconds(10),
    storage: async () => {
      reads += 1
      return { tables: reads }
    },
  })
  const scrape = () => Promise.all([counts('pombo_storage_bytes'), counts('pombo_storage_bytes')])
  assert.deepEqual(await scrape(), [{ tables: 1 }, { tables: 1 }])
  now = later(now, seconds(9))
  assert.deepEqual(await scrape(), [{ tables: 1 }, { tables: 1 }])
  now = later(now, seconds(1))
  assert.deepEqual(await scrape(), [{ tables: 2 }, { tables: 2 }])
})

test('a store that is unreachable leaves its gauges empty, and is asked again by the next scrape', async () => {
  let isAway = true
  const { counts, registry } = openTestMetrics({
    keep: seconds(10),
    log: {
      tip: async () => {
        if (isAway) throw new Unavailable('the log is unreachable')
        return 7 as never
      },
    },
    storage: () => Promise.reject(new Unavailable('the disk is gone')),
  })
  assert.deepEqual(await counts('pombo_index_lag_events'), { '': Number.NaN })
  assert.deepEqual(await counts('pombo_storage_bytes'), {})
  assert.match(await registry.metrics(), /^pombo_queue_jobs\{/m)
  isAway = false
  assert.deepEqual(await counts('pombo_index_lag_events'), { '': 7 })
})

test('exports what only one profile has', async () => {
  const disk = async () => ({ size: 100, free: 40 })
  const { counts } = openTestMetrics({ unfiledFrames: () => 3, areLimitsDegraded: () => true, disk })
  assert.deepEqual(await counts('pombo_disk_free_bytes'), { '': 40 })
  assert.deepEqual(await counts('pombo_journal_unfiled_frames'), { '': 3 })
  assert.deepEqual(await counts('pombo_limits_degraded'), { '': 1 })
  assert.deepEqual(await openTestMetrics().counts('pombo_limits_degraded'), {})
})
