/** The tests of a queue's timing: no job is early or forgotten, and the depth is reported. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { instant, later, millis } from '../lib/time.ts'
import { assertDepth, assertNothingElseDue, IDLE, jobsOf, queued, takeJobs, takeOne } from './queue-samples.contract.ts'
import {
  ACME,
  ATTEMPTED,
  append,
  createdEntry,
  earlier,
  forever,
  hours,
  jobOf,
  nextEntry,
  type Open,
  retryAt,
  someContent,
  someJob,
  someMessage,
  tenant,
  VALIDATED,
  virtualTime,
} from './samples.contract.ts'

export function queueTimeContract(engine: string, open: Open<'log' | 'queue'>): void {
  describe(`queue timing on ${engine}`, { timeout: 120_000 }, () => {
    test('a waiting worker is woken when a delayed job comes due', async () => {
      const clock = () => instant(Date.now())
      await using opened = await open(clock)
      const { queue } = opened
      await queue.put(someJob({ dueAt: later(clock(), hours(1)) }))
      const waiting = queue.take(10, forever())
      await setImmediate()
      const soon = someJob({ dueAt: later(clock(), millis(40)) })
      await queue.put(soon)
      assert.deepEqual(jobsOf(await waiting), [soon.messageId])
      assert.ok(clock() >= (soon.dueAt ?? 0))
    })

    test('a released job is due again at its time, and not before', async () => {
      const virtual = virtualTime()
      await using opened = await open(virtual.clock)
      const { clock, passTo, delay, grain } = opened.time ?? virtual
      const { queue } = opened
      const job = someJob()
      await queue.put(job)
      const taken = await takeOne(queue)
      const dueAt = later(clock(), delay)
      await queue.release(taken, dueAt)
      await assertNothingElseDue(queue)
      await passTo(earlier(dueAt, grain))
      await assertNothingElseDue(queue)
      await passTo(dueAt)
      assert.deepEqual(await takeJobs(queue, 1), [job.messageId])
    })

    test('a delayed job is not handed out before it is due', async () => {
      const virtual = virtualTime()
      await using opened = await open(virtual.clock)
      const { clock, passTo, delay, grain } = opened.time ?? virtual
      const { queue } = opened
      const dueAt = later(clock(), delay)
      const delayed = someJob({ dueAt })
      await queue.put(delayed)
      await assertNothingElseDue(queue)
      await passTo(earlier(dueAt, grain))
      await assertNothingElseDue(queue)
      await passTo(dueAt)
      assert.deepEqual(await takeJobs(queue, 1), [delayed.messageId])
      assert.ok(clock() >= dueAt)
    })

    test('putting a job twice does not duplicate it, whether ready, delayed or taken', async () => {
      const virtual = virtualTime()
      await using opened = await open(virtual.clock)
      const { clock, passTo, delay } = opened.time ?? virtual
      const { queue } = opened
      const dueAt = later(clock(), delay)
      const [ready, delayed] = [someJob(), someJob({ dueAt })]
      for (const job of [ready, ready, delayed, delayed, { ...delayed, dueAt: clock() }]) await queue.put(job)
      const taken = await takeOne(queue)
      assert.deepEqual(taken.job, ready)
      await queue.put(ready)
      await assertNothingElseDue(queue)
      await passTo(dueAt)
      assert.deepEqual(await takeJobs(queue, 1), [delayed.messageId])
      await assertNothingElseDue(queue)
    })

    test('a job appended with a later event replaces the waiting one', async () => {
      const virtual = virtualTime()
      await using opened = await open(virtual.clock)
      const { clock, passTo, delay, lag } = opened.time ?? virtual
      const { log, queue } = opened
      const { message, created } = await queued(opened)
      await assertDepth(queue, [...IDLE, { lane: message.lane, ready: 1, delayed: 0, parked: 0, taken: 0 }], lag)
      const attempted = await append(log, nextEntry(created, ATTEMPTED))
      const dueAt = later(clock(), delay)
      await append(log, nextEntry(attempted, retryAt(dueAt), jobOf(message, dueAt)))
      await assertDepth(queue, [...IDLE, { lane: message.lane, ready: 0, delayed: 1, parked: 0, taken: 0 }], lag)
      await assertNothingElseDue(queue)
      await passTo(dueAt)
      assert.deepEqual(await takeJobs(queue, 1), [message.id])
      await assertNothingElseDue(queue)
    })

    test('releasing an outdated job does not affect the newer one', async () => {
      const virtual = virtualTime()
      await using opened = await open(virtual.clock)
      const { clock, lag } = opened.time ?? virtual
      const { log, queue } = opened
      const { message, created } = await queued(opened)
      const old = await takeOne(queue)
      await append(log, nextEntry(created, VALIDATED, jobOf(message)))
      await queue.release(old, later(clock(), hours(1)))
      await assertDepth(queue, [...IDLE, { lane: message.lane, ready: 1, delayed: 0, parked: 0, taken: 0 }], lag)
      assert.deepEqual(await takeJobs(queue, 1), [message.id])
    })

    test('a job due now that is appended with a later event replaces a delayed one', async () => {
      const virtual = virtualTime()
      await using opened = await open(virtual.clock)
      const { clock, lag } = opened.time ?? virtual
      const { log, queue } = opened
      const message = someMessage()
      const created = await append(log, createdEntry(message, someContent(), jobOf(message, later(clock(), hours(1)))))
      await assertDepth(queue, [...IDLE, { lane: message.lane, ready: 0, delayed: 1, parked: 0, taken: 0 }], lag)
      await append(log, nextEntry(created, VALIDATED, jobOf(message)))
      await assertDepth(queue, [...IDLE, { lane: message.lane, ready: 1, delayed: 0, parked: 0, taken: 0 }], lag)
      assert.deepEqual(await takeJobs(queue, 1), [message.id])
    })

    test('the depth counts ready, delayed and taken jobs in each lane', async () => {
      const virtual = virtualTime()
      await using opened = await open(virtual.clock)
      const { clock, passTo, delay, lag } = opened.time ?? virtual
      const { queue } = opened
      await queue.put(someJob({ lane: 'otp' }))
      const taken = await takeOne(queue)
      await queue.put(someJob({ lane: 'otp' }))
      const dueAt = later(clock(), delay)
      for (const at of [dueAt, later(dueAt, hours(1))]) await queue.put(someJob({ lane: 'bulk', dueAt: at }))
      const otp = { lane: 'otp', ready: 1, delayed: 0, parked: 0, taken: 1 } as const
      const bulk = { lane: 'bulk', ready: 0, delayed: 2, parked: 0, taken: 0 } as const
      await assertDepth(queue, [...IDLE, otp, bulk], lag)
      await queue.done(taken)
      await passTo(dueAt)
      await assertDepth(queue, [...IDLE, { ...otp, taken: 0 }, { ...bulk, ready: 1, delayed: 1 }], lag)
    })

    test('the depth of a tenant counts only its own jobs, whatever their state', async () => {
      const virtual = virtualTime()
      await using opened = await open(virtual.clock)
      const { clock, lag } = opened.time ?? virtual
      const { queue } = opened
      const [mine, theirs] = [tenant('mine'), tenant('theirs')]
      await queue.put(someJob({ lane: 'otp', tenantId: mine }))
      const parked = await takeOne(queue)
      await queue.park(parked, [ACME], later(clock(), hours(1)))
      await queue.put(someJob({ lane: 'otp', tenantId: mine }))
      await takeOne(queue)
      await queue.put(someJob({ lane: 'otp', tenantId: mine }))
      await queue.put(someJob({ lane: 'bulk', tenantId: mine, dueAt: later(clock(), hours(1)) }))
      for (const lane of ['otp', 'bulk'] as const) await queue.put(someJob({ lane, tenantId: theirs }))
      const otp = { lane: 'otp', ready: 1, delayed: 0, parked: 1, taken: 1 } as const
      const bulk = { lane: 'bulk', ready: 0, delayed: 1, parked: 0, taken: 0 } as const
      await assertDepth(queue, [...IDLE, otp, bulk], lag, mine)
      const waiting = { ready: 1, delayed: 0, parked: 0, taken: 0 } as const
      await assertDepth(queue, [...IDLE, { lane: 'otp', ...waiting }, { lane: 'bulk', ...waiting }], lag, theirs)
      await assertDepth(queue, [...IDLE], lag, tenant('nobody'))
      await assertDepth(queue, [...IDLE, { ...otp, ready: 2 }, { ...bulk, ready: 1 }], lag)
    })
  })
}
