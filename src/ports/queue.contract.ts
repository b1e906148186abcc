/** The tests every queue must pass: no job is lost, duplicated or early, and tenants are served fairly. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { later, seconds } from '../lib/time.ts'
import type { Job } from './queue.ts'
import { queueFairnessContract } from './queue-fairness.contract.ts'
import { queueParkingContract } from './queue-parking.contract.ts'
import {
  assertDepth,
  assertNothingElseDue,
  eventually,
  IDLE,
  jobsOf,
  queued,
  takeCount,
  takeJobs,
  takeOne,
} from './queue-samples.contract.ts'
import { queueTimeContract } from './queue-time.contract.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  earlier,
  forever,
  hours,
  jobOf,
  NOON,
  nextEntry,
  type Open,
  someContent,
  someJob,
  someMessage,
  stopped,
  tenant,
  VALIDATED,
  virtualTime,
} from './samples.contract.ts'

export function queueContract(engine: string, open: Open<'log' | 'queue'>): void {
  describe(`queue on ${engine}`, { timeout: 120_000 }, () => {
    test('hands out due jobs with their message, tenant and lane, at most as many as requested', async () => {
      await using opened = await open(stopped)
      const { queue } = opened
      const jobs = [someJob(), someJob({ lane: 'otp' }), someJob({ dueAt: earlier(NOON, seconds(1)) })]
      for (const job of jobs) await queue.put(job)
      const first = await queue.take(2, forever())
      assert.ok(first.length === 1 || first.length === 2)
      const rest = await takeCount(queue, 3 - first.length)
      assert.deepEqual(byId([...first, ...rest].map(({ job }) => job)), byId(jobs))
    })

    test('a worker waits for the first job', async () => {
      await using opened = await open(stopped)
      const { queue } = opened
      const waiting = queue.take(10, forever())
      await setImmediate()
      const job = someJob()
      await queue.put(job)
      assert.deepEqual(jobsOf(await waiting), [job.messageId])
    })

    test('an aborted take returns nothing and takes no job', async () => {
      const virtual = virtualTime()
      await using opened = await open(virtual.clock)
      const { clock } = opened.time ?? virtual
      const { queue } = opened
      const controller = new AbortController()
      await queue.put(someJob({ dueAt: later(clock(), hours(1)) }))
      const waiting = queue.take(10, controller.signal)
      await setImmediate()
      controller.abort()
      assert.deepEqual(await waiting, [])
      assert.deepEqual(await queue.take(10, controller.signal), [])
      const job = someJob()
      await queue.put(job)
      assert.deepEqual(jobsOf(await queue.take(10, forever())), [job.messageId])
    })

    test('waiting leaves no listener on the signal', async () => {
      await using opened = await open(stopped)
      const { queue } = opened
      const signal = forever()
      for (let round = 0; round < 3; round += 1) {
        const waiting = queue.take(1, signal)
        await setImmediate()
        await queue.put(someJob())
        await waiting
      }
      assert.equal(getEventListeners(signal, 'abort').length, 0)
    })

    test('a taken job is not handed out a second time', async () => {
      await using opened = await open(stopped)
      const { queue } = opened
      await queue.put(someJob())
      await takeCount(queue, 1)
      await assertNothingElseDue(queue)
    })

    test('concurrent workers never get the same job', async () => {
      await using opened = await open(stopped)
      const { queue } = opened
      const jobs = Array.from({ length: 30 }, () => someJob())
      const allTaken = new AbortController()
      const seen: string[] = []
      const worker = async (): Promise<void> => {
        while (!allTaken.signal.aborted) {
          seen.push(...jobsOf(await queue.take(2, allTaken.signal)))
          if (seen.length >= jobs.length) allTaken.abort()
        }
      }
      const workers = Array.from({ length: 5 }, worker)
      await Promise.all(jobs.map((job) => queue.put(job)))
      await Promise.all(workers)
      assert.deepEqual(seen.toSorted(), jobs.map((job) => job.messageId).toSorted())
    })

    test('a finished job is gone, and may be put again', async () => {
      const virtual = virtualTime()
      await using opened = await open(virtual.clock)
      const { lag } = opened.time ?? virtual
      const { queue } = opened
      const job = someJob()
      await queue.put(job)
      const taken = await takeOne(queue)
      await queue.done(taken)
      await queue.done(taken)
      await assertNothingElseDue(queue)
      await eventually(lag, async () => {
        await queue.put(job)
        await assertDepth(queue, [...IDLE, { lane: job.lane, ready: 1, delayed: 0, parked: 0, taken: 0 }])
      })
      assert.deepEqual(await takeJobs(queue, 1), [job.messageId])
    })

    test('a job appended with an event is queued, and wakes a waiting worker', async () => {
      await using opened = await open(stopped)
      const { log, queue } = opened
      const waiting = queue.take(1, forever())
      await setImmediate()
      const message = someMessage({ lane: 'otp', tenantId: tenant('south') })
      await append(log, createdEntry(message, someContent(), jobOf(message)))
      assert.deepEqual(
        (await waiting).map(({ job }) => job),
        [jobOf(message)],
      )
    })

    test('a job appended with a later event replaces the taken one', async () => {
      await using opened = await open(stopped)
      const { log, queue } = opened
      const { message, created } = await queued(opened)
      const old = await takeOne(queue)
      await append(log, nextEntry(created, VALIDATED, jobOf(message)))
      await queue.done(old)
      const newer = await takeOne(queue)
      assert.deepEqual(newer.job.messageId, message.id)
      assert.notEqual(newer.leaseToken, old.leaseToken)
      await queue.done(old)
      await queue.release(old, NOON)
      await queue.put(jobOf(message))
      await assertNothingElseDue(queue)
      await queue.release(newer, NOON)
      assert.deepEqual(await takeJobs(queue, 1), [message.id])
      await assertNothingElseDue(queue)
    })

    test('an event that ends a job removes it, and keeps the job appended with it', async () => {
      const virtual = virtualTime()
      await using opened = await open(virtual.clock)
      const { lag } = opened.time ?? virtual
      const { log, queue } = opened
      const { message, created } = await queued(opened)
      const first = await takeOne(queue)
      const attempted = await append(log, { ...nextEntry(created, ATTEMPTED, jobOf(message)), ends: first })
      await assertDepth(queue, [...IDLE, { lane: message.lane, ready: 1, delayed: 0, parked: 0, taken: 0 }], lag)
      const second = await takeOne(queue)
      assert.equal(second.job.messageId, message.id)
      await append(log, { ...nextEntry(attempted, ACCEPTED), ends: second })
      await assertDepth(queue, IDLE, lag)
      await assertNothingElseDue(queue)
    })
  })

  queueTimeContract(engine, open)
  queueParkingContract(engine, open)
  queueFairnessContract(engine, open)
}

/** A due job does not need `dueAt`: engines may drop it. */
const byId = (jobs: readonly Job[]): Job[] =>
  jobs
    .map(({ messageId, tenantId, lane }) => ({ messageId, tenantId, lane }))
    .toSorted((a, b) => (a.messageId < b.messageId ? -1 : 1))
