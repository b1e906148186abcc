import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openNats } from '../../../test/support/nats-server.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { later, seconds } from '../../lib/time.ts'
import { jobsOf, takeCount } from '../../ports/queue-samples.contract.ts'
import {
  append,
  createdEntry,
  jobOf,
  nextEntry,
  REAL_TIME,
  someContent,
  someJob,
  someMessage,
  tenant,
  unknownUntil,
} from '../../ports/samples.contract.ts'
import { openNats as connect } from './connection.ts'
import { JetStream } from './jetstream.ts'
import { ensureStream } from './streams.ts'

test('postponing a job does not make the broker forget others in flight', { timeout: 30_000 }, async () => {
  await using broker = await openNats()
  const prefix = newPrefix()
  await using holder = await openEngine({ ...broker, prefix })
  await using other = await openEngine({ ...broker, prefix })
  for (const job of [someJob(), someJob()]) await holder.queue.put(job)
  const message = someMessage()
  const seen = await append(holder.log, createdEntry(message, someContent(), jobOf(message)))
  const [first, second] = await takeCount(holder.queue, 3)
  assert(first && second)

  const dueAt = later(REAL_TIME.clock(), seconds(60))
  await append(other.log, nextEntry(seen, unknownUntil(dueAt), jobOf(message, dueAt)))
  await other.queue.put(someJob())
  for (const taken of await takeCount(other.queue, 1)) await other.queue.done(taken)

  for (const taken of [first, second]) await holder.queue.release(taken, REAL_TIME.clock())
  assert.deepEqual(jobsOf(await takeCount(other.queue, 2)).toSorted(), jobsOf([first, second]).toSorted())
})

test('erasing an erased message does not fail, wherever it was', async () => {
  await using broker = await openNats()
  await using connection = await connect(broker)
  const js = new JetStream(connection, 1)
  const name = newPrefix()
  await ensureStream(js, { name, subjects: [`${name}.*`], allow_direct: true })
  for (const index of [1, 2, 3, 4]) await js.publish(`${name}.${index}`, '')
  for (const seq of [3, 3, 1, 1, 9]) await js.erase(name, seq)
  assert.equal(await js.get(name, { seq: 3 }), undefined)
  assert.equal((await js.get(name, { seq: 4 }))?.seq, 4)
})

test('parked jobs are found by other processes, also by one that starts later', { timeout: 30_000 }, async () => {
  await using broker = await openNats()
  const prefix = newPrefix()
  const [absent, other] = ['absent' as ProviderName, 'other' as ProviderName]
  const jobs = ['north', 'south', 'east', 'west'].map((name) => someJob({ tenantId: tenant(name) }))
  {
    await using parker = await openEngine({ ...broker, prefix })
    for (const job of jobs) await parker.queue.put(job)
    const until = later(REAL_TIME.clock(), seconds(3_600))
    for (const taken of await takeCount(parker.queue, jobs.length)) {
      await parker.queue.park(taken, [absent, other], until)
    }
  }
  await using first = await openEngine({ ...broker, prefix })
  await using second = await openEngine({ ...broker, prefix })
  const unparked = await Promise.all([first, second].map(({ queue }) => queue.unpark({ provider: other }, 3)))
  const rest = await second.queue.unpark({ provider: absent }, 9)
  assert.equal(
    unparked.reduce((sum, count) => sum + count, rest),
    4,
  )
  assert.deepEqual(jobsOf(await takeCount(first.queue, 4)).toSorted(), jobs.map((job) => job.messageId).toSorted())
})

test('repairing a message whose job is parked leaves it parked', { timeout: 30_000 }, async () => {
  await using broker = await openNats()
  await using engine = await openEngine(broker)
  const { queue } = engine
  const job = someJob()
  await queue.put(job)
  for (const taken of await takeCount(queue, 1)) {
    await queue.park(taken, ['absent' as ProviderName], later(REAL_TIME.clock(), seconds(3_600)))
  }
  for (let round = 0; round < 3; round += 1) assert.equal(await queue.put(job), false)
  const depth = (await queue.depth()).find(({ lane }) => lane === job.lane)
  assert.deepEqual(depth, { lane: job.lane, ready: 0, delayed: 0, parked: 1, taken: 0 })
})
