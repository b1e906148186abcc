import assert from 'node:assert/strict'
import { test } from 'node:test'
import { later, millis, seconds } from '../../src/lib/time.ts'
import { challengesContract } from '../../src/ports/challenges.contract.ts'
import { engineContract } from '../../src/ports/engine.contract.ts'
import { erasuresContract } from '../../src/ports/erasures.contract.ts'
import { eventFeedContract } from '../../src/ports/event-feed.contract.ts'
import { START } from '../../src/ports/event-log.ts'
import { limitRulesContract } from '../../src/ports/limit-rules.contract.ts'
import { limitedSendsContract } from '../../src/ports/limited-sends.contract.ts'
import { limiterContract } from '../../src/ports/limiter.contract.ts'
import { partialMessagesContract } from '../../src/ports/partial-messages.contract.ts'
import { projectedIndexContract } from '../../src/ports/projected-index.contract.ts'
import { providerResultsContract } from '../../src/ports/provider-results.contract.ts'
import { raisedAlertsContract } from '../../src/ports/raised-alerts.contract.ts'
import { receiptDeliveriesContract } from '../../src/ports/receipt-deliveries.contract.ts'
import { retentionContract } from '../../src/ports/retention.contract.ts'
import { append, createdEntry, forever, NOON, someContent, someJob, stopped } from '../../src/ports/samples.contract.ts'
import { sinkPositionsContract } from '../../src/ports/sink-positions.contract.ts'
import { projectAll } from '../support/project.ts'
import { openMemoryEngine } from './memory.ts'

engineContract('memory', async (clock) => openMemoryEngine({ clock }))
eventFeedContract('memory', async (clock) => openMemoryEngine({ clock }))
projectedIndexContract('memory', async () => openMemoryEngine({ clock: stopped }))
limiterContract('memory', async (clock) => openMemoryEngine({ clock }))
limitRulesContract('memory', async () => openMemoryEngine({ clock: stopped }))
challengesContract('memory', async () => openMemoryEngine({ clock: stopped }))
erasuresContract('memory', async () => openMemoryEngine({ clock: stopped }))
sinkPositionsContract('memory', async () => openMemoryEngine({ clock: stopped }))
receiptDeliveriesContract('memory', async () => openMemoryEngine({ clock: stopped }))
partialMessagesContract('memory', async () => openMemoryEngine({ clock: stopped }))
raisedAlertsContract('memory', async () => openMemoryEngine({ clock: stopped }))
providerResultsContract('memory', async () => openMemoryEngine({ clock: stopped }))
limitedSendsContract('memory', async () => openMemoryEngine({ clock: stopped }))
retentionContract('memory', async () => {
  const engine = openMemoryEngine({ clock: stopped })
  return { ...engine, catchUp: () => projectAll(engine) }
})

test('followers of a memory engine get bodies when it indexes them', async () => {
  const { log } = openMemoryEngine({ clock: stopped, indexBodies: true })
  await append(log, createdEntry())
  for await (const [first] of log.follow(START, 1, forever())) {
    assert.equal(first?.searchable?.body, someContent().body)
    break
  }
})

test('a memory queue redelivers the job of a lost worker, and ignores that worker afterwards', async () => {
  let now = NOON
  const { queue } = openMemoryEngine({ clock: () => now, lease: seconds(10) })
  const job = someJob()
  await queue.put(job)
  const [old] = await queue.take(1, forever())
  now = later(NOON, millis(10_000))
  const [anew] = await queue.take(1, forever())
  assert.ok(old !== undefined && anew !== undefined)
  assert.deepEqual(anew.job, job)
  await queue.done(old)
  await queue.put(job)
  const depth = (await queue.depth()).find(({ lane }) => lane === job.lane)
  assert.deepEqual(depth, { lane: job.lane, ready: 0, delayed: 0, parked: 0, taken: 1 })
})
