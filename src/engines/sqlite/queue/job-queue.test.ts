import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { memoryEventLog } from '../../../../test/memory/event-log.ts'
import { later, seconds } from '../../../lib/time.ts'
import { queueContract } from '../../../ports/queue.contract.ts'
import { jobsOf, takeCount, takeOne } from '../../../ports/queue-samples.contract.ts'
import { forever, hours, someJob, stopped, virtualTime } from '../../../ports/samples.contract.ts'
import { openJobQueue } from './job-queue.ts'

queueContract('embedded', async (clock) => {
  const queue = openJobQueue({ clock })
  const log = memoryEventLog({ blind: () => '', indexBodies: false, enqueue: queue.replace, finish: queue.finish })
  return {
    log,
    queue,
    async [Symbol.asyncDispose]() {
      queue[Symbol.dispose]()
    },
  }
})

describe('the embedded queue', { timeout: 30_000 }, () => {
  test('a waiting call gets all jobs that become ready in one turn of the event loop', async () => {
    using queue = openJobQueue({ clock: stopped })
    const waiting = queue.take(10, forever())
    await setImmediate()
    const jobs = [someJob(), someJob(), someJob()]
    for (const job of jobs) queue.replace(job)
    assert.deepEqual(
      jobsOf(await waiting),
      jobs.map(({ messageId }) => messageId),
    )
  })

  test('waiting calls share the jobs, and those without one wait on', async () => {
    using queue = openJobQueue({ clock: stopped })
    const waiting = [2, 2, 2].map((max) => queue.take(max, forever()))
    for (let count = 0; count < 3; count += 1) queue.replace(someJob())
    const [first, second] = await Promise.all(waiting.slice(0, 2))
    assert.deepEqual([first?.length, second?.length], [2, 1])
    const last = someJob()
    queue.replace(last)
    assert.deepEqual(jobsOf((await waiting[2]) ?? []), [last.messageId])
  })

  test('a waiting call notices that the clock has jumped ahead, without another call', async () => {
    const { clock, passTo } = virtualTime()
    using queue = openJobQueue({ clock })
    const job = someJob({ dueAt: later(clock(), hours(1)) })
    queue.replace(job)
    const waiting = queue.take(10, forever())
    await passTo(later(clock(), hours(2)))
    assert.deepEqual(jobsOf(await waiting), [job.messageId])
  })

  test('a waiting call gets the job of a lost worker, who can no longer change it', async () => {
    const { clock, passTo } = virtualTime()
    using queue = openJobQueue({ clock })
    queue.replace(someJob())
    const lost = await takeOne(queue)
    const waiting = queue.take(1, forever())
    await passTo(later(clock(), seconds(120)))
    const [redelivered] = await waiting
    assert.deepEqual(redelivered?.job, lost.job)
    queue.finish(lost)
    await queue.release(lost, clock())
    await queue.park(lost, ['one' as never], later(clock(), hours(1)))
    const depth = (await queue.depth()).find(({ lane }) => lane === lost.job.lane)
    assert.deepEqual(depth, { lane: lost.job.lane, ready: 0, delayed: 0, parked: 0, taken: 1 })
  })

  test('many jobs that are due at once all become ready without further calls', async () => {
    const { clock, passTo } = virtualTime()
    using queue = openJobQueue({ clock })
    const dueAt = later(clock(), seconds(5))
    for (let count = 0; count < 2_000; count += 1) queue.replace(someJob({ dueAt, lane: 'bulk' }))
    await passTo(dueAt)
    const taken = await takeCount(queue, 1)
    for (let turn = 0; turn < 10; turn += 1) await setImmediate()
    const [bulk] = (await queue.depth()).filter(({ lane }) => lane === 'bulk')
    assert.deepEqual(bulk, { lane: 'bulk', ready: 2_000 - taken.length, delayed: 0, parked: 0, taken: taken.length })
  })

  test('keeps ids that are not lowercase UUIDs as they are', async () => {
    using queue = openJobQueue({ clock: stopped })
    const { messageId } = someJob()
    const ids = [messageId, messageId.toUpperCase(), messageId.replaceAll('-', ''), 'ü'.repeat(36), '']
    for (const id of ids) for (let twice = 0; twice < 2; twice += 1) queue.replace(someJob({ messageId: id as never }))
    const taken = await takeCount(queue, ids.length)
    assert.deepEqual(jobsOf(taken), ids)
    for (const each of taken) queue.finish(each)
    for (const id of ids) assert.equal(await queue.put(someJob({ messageId: id as never })), true)
  })
})
