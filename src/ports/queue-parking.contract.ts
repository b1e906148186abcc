/** The tests of parking: a parked job waits for a provider of its gate, and is neither lost, duplicated nor forgotten. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ProviderName } from '../domain/ids.ts'
import { later } from '../lib/time.ts'
import type { Gate, Job, Queue } from './queue.ts'
import {
  assertDepth,
  assertNothingElseDue,
  IDLE,
  jobsOf,
  queued,
  takeCount,
  takeJobs,
  takeOne,
} from './queue-samples.contract.ts'
import {
  append,
  forever,
  hours,
  jobOf,
  nextEntry,
  type Open,
  retryAt,
  someJob,
  tenant,
  VALIDATED,
  virtualTime,
} from './samples.contract.ts'

const ONE = 'one' as ProviderName
const TWO = 'two' as ProviderName
const OTHER = 'other' as ProviderName
const AT_ONE: Gate = [ONE]
const AT_BOTH: Gate = [ONE, TWO]
const COUNTED = { ready: 0, delayed: 0, parked: 0, taken: 0 }

async function openParking(open: Open<'log' | 'queue'>) {
  const virtual = virtualTime()
  const opened = await open(virtual.clock)
  const time = opened.time ?? virtual
  const park = async (gate: Gate, job: Job = someJob()): Promise<Job> => {
    await opened.queue.put(job)
    await opened.queue.park(await takeOne(opened.queue), gate, later(time.clock(), hours(1)))
    return job
  }
  return { ...opened, ...time, park, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}

/** Takes all due jobs, in as many calls as necessary. */
async function takeInOrder(queue: Queue, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const [taken] = await queue.take(1, forever())
    assert.ok(taken !== undefined, 'no job came')
    ids.push(taken.job.messageId)
    await queue.done(taken)
  }
  return ids
}

export function queueParkingContract(engine: string, open: Open<'log' | 'queue'>): void {
  describe(`parking on ${engine}`, { timeout: 120_000 }, () => {
    test('a parked job becomes due when a provider of its gate is unparked, and carries its gate', async () => {
      await using opened = await openParking(open)
      const { queue, park } = opened
      const first = await park(AT_BOTH)
      await assertNothingElseDue(queue)
      assert.equal(await queue.unpark({ provider: OTHER }, 10), 0)
      await assertNothingElseDue(queue)
      assert.equal(await queue.unpark({ provider: TWO }, 10), 1)
      const taken = await takeOne(queue)
      assert.deepEqual([taken.job.messageId, taken.gate], [first.messageId, AT_BOTH])
    })

    test('unparking wakes a waiting worker', async () => {
      await using opened = await openParking(open)
      const { queue, park } = opened
      const job = await park(AT_ONE)
      const waiting = queue.take(1, forever())
      assert.equal(await queue.unpark({ provider: ONE }, 10), 1)
      assert.deepEqual(jobsOf(await waiting), [job.messageId])
    })

    test('a parked job becomes due at its deadline, and not before', async () => {
      await using opened = await openParking(open)
      const { queue, clock, delay, passTo } = opened
      const job = someJob()
      await queue.put(job)
      const until = later(clock(), delay)
      await queue.park(await takeOne(queue), AT_ONE, until)
      await assertNothingElseDue(queue)
      await passTo(until)
      const taken = await takeOne(queue)
      assert.deepEqual([taken.job.messageId, taken.gate], [job.messageId, AT_ONE])
      assert.equal(await queue.unpark({ provider: ONE }, 10), 0)
      await assertNothingElseDue(queue)
    })

    test('unparks at most as many as requested: codes first, then the longest parked', async () => {
      await using opened = await openParking(open)
      const { queue, park } = opened
      const first = await park(AT_ONE)
      const second = await park(AT_BOTH)
      await park(AT_ONE)
      const code = await park(AT_BOTH, someJob({ lane: 'otp' }))
      assert.equal(await queue.unpark({ provider: ONE }, 1), 1)
      assert.deepEqual(await takeInOrder(queue, 1), [code.messageId])
      await assertNothingElseDue(queue)
      assert.equal(await queue.unpark({ provider: ONE }, 2), 2)
      assert.deepEqual(await takeInOrder(queue, 2), [first.messageId, second.messageId])
      await assertNothingElseDue(queue)
      assert.equal(await queue.unpark({ provider: ONE }, 9), 1)
      assert.equal(await queue.unpark({ provider: ONE }, 9), 0)
    })

    test('unparks the jobs of one tenant only', async () => {
      await using opened = await openParking(open)
      const { queue, park } = opened
      const [south, code] = [tenant('south'), someJob({ tenantId: tenant('south'), lane: 'otp' })]
      await park(AT_ONE)
      const mine = [await park(AT_ONE, someJob({ tenantId: south })), await park(AT_BOTH, code)]
      assert.equal(await queue.unpark({ tenantId: south }, 10), 2)
      assert.deepEqual((await takeJobs(queue, 2)).toSorted(), mine.map(({ messageId }) => messageId).toSorted())
      assert.equal(await queue.unpark({ provider: ONE }, 10), 1)
    })

    test('concurrent unparking makes each job due once', async () => {
      await using opened = await openParking(open)
      const { queue, park } = opened
      const jobs: Job[] = []
      for (let nth = 0; nth < 20; nth += 1) jobs.push(await park(nth % 2 === 0 ? AT_ONE : AT_BOTH))
      const counts = await Promise.all([ONE, TWO, ONE].map((provider) => queue.unpark({ provider }, 15)))
      const rest = await queue.unpark({ provider: ONE }, 20)
      assert.equal(
        counts.reduce((sum, count) => sum + count, rest),
        20,
      )
      const taken = await takeCount(queue, 20)
      assert.deepEqual(jobsOf(taken).toSorted(), jobs.map(({ messageId }) => messageId).toSorted())
      await assertNothingElseDue(queue)
    })

    test('a message with a parked job gets no second job', async () => {
      await using opened = await openParking(open)
      const { queue, park, lag } = opened
      const job = await park(AT_ONE)
      assert.equal(await queue.put(job), false)
      await assertNothingElseDue(queue)
      await assertDepth(queue, [...IDLE, { ...COUNTED, lane: job.lane, parked: 1 }], lag)
    })

    test('counts parked jobs apart from delayed ones in each lane', async () => {
      await using opened = await openParking(open)
      const { queue, park, clock, lag } = opened
      const lane = 'bulk'
      await park(AT_ONE, someJob({ lane }))
      await park(AT_BOTH, someJob({ lane }))
      await queue.put(someJob({ lane, dueAt: later(clock(), hours(1)) }))
      await assertDepth(queue, [...IDLE, { ...COUNTED, lane, parked: 2, delayed: 1 }], lag)
      await queue.unpark({ provider: TWO }, 10)
      await assertDepth(queue, [...IDLE, { ...COUNTED, lane, parked: 1, delayed: 1, ready: 1 }], lag)
    })

    test('a job appended with a later event replaces the parked one, due now or later', async () => {
      await using opened = await openParking(open)
      const { log, queue, clock, delay, passTo, lag } = opened
      for (const isDelayed of [false, true]) {
        const { message, created } = await queued(opened)
        const until = later(clock(), delay)
        await queue.park(await takeOne(queue), AT_ONE, until)
        const dueAt = isDelayed ? later(until, delay) : undefined
        await append(log, nextEntry(created, dueAt === undefined ? VALIDATED : retryAt(dueAt), jobOf(message, dueAt)))
        const [ready, delayed] = isDelayed ? [0, 1] : [1, 0]
        await assertDepth(queue, [...IDLE, { ...COUNTED, lane: message.lane, ready, delayed }], lag)
        assert.equal(await queue.unpark({ provider: ONE }, 10), 0)
        if (isDelayed) await passTo(until)
        if (isDelayed) await assertNothingElseDue(queue)
        if (dueAt !== undefined) await passTo(dueAt)
        assert.deepEqual(await takeInOrder(queue, 1), [message.id])
        await assertNothingElseDue(queue)
      }
    })

    test('parking an outdated job does not affect the newer one', async () => {
      await using opened = await openParking(open)
      const { log, queue, clock, lag } = opened
      const { message, created } = await queued(opened)
      const old = await takeOne(queue)
      await append(log, nextEntry(created, VALIDATED, jobOf(message)))
      await queue.park(old, AT_ONE, later(clock(), hours(1)))
      await assertDepth(queue, [...IDLE, { ...COUNTED, lane: message.lane, ready: 1 }], lag)
      assert.deepEqual(await takeJobs(queue, 1), [message.id])
    })
  })
}
