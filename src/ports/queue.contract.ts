/** The tests every queue must pass: nobody's job is lost, doubled or early, and everyone gets a fair turn. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { LANES } from '../domain/message.ts'
import { type Instant, instant, later, millis, seconds } from '../domain/time.ts'
import type { Depth, Job, Queue, Taken } from './queue.ts'
import { queueFairnessContract } from './queue-fairness.contract.ts'
import {
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
  retryAt,
  someContent,
  someJob,
  someMessage,
  stopped,
  tenant,
  VALIDATED,
} from './samples.contract.ts'

export function queueContract(engine: string, open: Open<'log' | 'queue'>): void {
  describe(`queue on ${engine}`, { timeout: 30_000 }, () => {
    test('due jobs are handed out, each to its message, tenant and lane, no more than asked for', async () => {
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

    test('a worker whose signal ends goes home with nothing and takes nothing along', async () => {
      await using opened = await open(stopped)
      const { queue } = opened
      const controller = new AbortController()
      await queue.put(someJob({ dueAt: later(NOON, hours(1)) }))
      const waiting = queue.take(10, controller.signal)
      await setImmediate()
      controller.abort()
      assert.deepEqual(await waiting, [])
      assert.deepEqual(await queue.take(10, controller.signal), [])
      const job = someJob()
      await queue.put(job)
      assert.deepEqual(jobsOf(await queue.take(10, forever())), [job.messageId])
    })

    test('waiting leaves nothing behind on the signal', async () => {
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

    test('workers at once never get the same job', async () => {
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

    test('a job that is done is gone, and may be put again', async () => {
      await using opened = await open(stopped)
      const { queue } = opened
      const job = someJob()
      await queue.put(job)
      const taken = await takeOne(queue)
      await queue.done(taken)
      await queue.done(taken)
      await assertNothingElseDue(queue)
      await queue.put(job)
      assert.deepEqual(await takeJobs(queue, 1), [job.messageId])
    })

    test('a job handed back comes again when it is due, not before', async () => {
      const { clock, move } = movableClock()
      await using opened = await open(clock)
      const { queue } = opened
      const job = someJob()
      await queue.put(job)
      const taken = await takeOne(queue)
      await queue.release(taken, later(NOON, seconds(5)))
      await assertNothingElseDue(queue)
      move(later(NOON, seconds(5)))
      assert.deepEqual(await takeJobs(queue, 1), [job.messageId])
    })

    test('a delayed job is not handed out before it is due', async () => {
      const { clock, move } = movableClock()
      await using opened = await open(clock)
      const { queue } = opened
      const delayed = someJob({ dueAt: later(NOON, hours(1)) })
      await queue.put(delayed)
      await assertNothingElseDue(queue)
      move(earlier(later(NOON, hours(1)), millis(1)))
      await assertNothingElseDue(queue)
      move(later(NOON, hours(1)))
      assert.deepEqual(await takeJobs(queue, 1), [delayed.messageId])
    })

    test('putting a job twice does not double it, be it ready, delayed or taken', async () => {
      const { clock, move } = movableClock()
      await using opened = await open(clock)
      const { queue } = opened
      const [ready, delayed] = [someJob(), someJob({ dueAt: later(NOON, seconds(5)) })]
      for (const job of [ready, ready, delayed, delayed, { ...delayed, dueAt: NOON }]) await queue.put(job)
      const taken = await takeOne(queue)
      assert.deepEqual(taken.job, ready)
      await queue.put(ready)
      await assertNothingElseDue(queue)
      move(later(NOON, seconds(5)))
      assert.deepEqual(await takeJobs(queue, 1), [delayed.messageId])
      await assertNothingElseDue(queue)
    })

    test('a job appended with an event arrives, and wakes a waiting worker', async () => {
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

    test('a job appended with a later event takes the place of the one at work', async () => {
      await using opened = await open(stopped)
      const { log, queue } = opened
      const { message, created } = await queued(opened)
      const old = await takeOne(queue)
      await append(log, nextEntry(created, VALIDATED, jobOf(message)))
      await queue.done(old)
      const newer = await takeOne(queue)
      assert.deepEqual(newer.job.messageId, message.id)
      assert.notEqual(newer.turn, old.turn)
      await queue.done(old)
      await queue.release(old, NOON)
      await queue.put(jobOf(message))
      await assertNothingElseDue(queue)
      await queue.release(newer, NOON)
      assert.deepEqual(await takeJobs(queue, 1), [message.id])
      await assertNothingElseDue(queue)
    })

    test('a job appended with a later event takes the place of the one that waits', async () => {
      const { clock, move } = movableClock()
      await using opened = await open(clock)
      const { log, queue } = opened
      const { message, created } = await queued(opened)
      await assertDepth(queue, [...IDLE, { lane: message.lane, ready: 1, delayed: 0, taken: 0 }])
      const attempted = await append(log, nextEntry(created, ATTEMPTED))
      const dueAt = later(NOON, seconds(9))
      await append(log, nextEntry(attempted, retryAt(dueAt), jobOf(message, dueAt)))
      await assertDepth(queue, [...IDLE, { lane: message.lane, ready: 0, delayed: 1, taken: 0 }])
      await assertNothingElseDue(queue)
      move(dueAt)
      assert.deepEqual(await takeJobs(queue, 1), [message.id])
      await assertNothingElseDue(queue)
    })

    test('the depth tells what is ready, delayed and taken in each lane', async () => {
      const { clock, move } = movableClock()
      await using opened = await open(clock)
      const { queue } = opened
      await queue.put(someJob({ lane: 'otp' }))
      const taken = await takeOne(queue)
      await queue.put(someJob({ lane: 'otp' }))
      for (const after of [1, 2]) await queue.put(someJob({ lane: 'bulk', dueAt: later(NOON, seconds(after)) }))
      const otp = { lane: 'otp', ready: 1, delayed: 0, taken: 1 } as const
      const bulk = { lane: 'bulk', ready: 0, delayed: 2, taken: 0 } as const
      await assertDepth(queue, [...IDLE, otp, bulk])
      await queue.done(taken)
      move(later(NOON, seconds(1)))
      await assertDepth(queue, [...IDLE, { ...otp, taken: 0 }, { ...bulk, ready: 1, delayed: 1 }])
    })
  })

  queueFairnessContract(engine, open)
}

function movableClock() {
  let now = NOON
  return {
    clock: () => now,
    move(to: Instant): void {
      now = to
    },
  }
}

async function queued({ log }: Awaited<ReturnType<Open<'log' | 'queue'>>>) {
  const message = someMessage()
  return { message, created: await append(log, createdEntry(message, someContent(), jobOf(message))) }
}

async function takeCount(queue: Queue, count: number): Promise<readonly Taken[]> {
  const all: Taken[] = []
  while (all.length < count) all.push(...(await queue.take(count - all.length, forever())))
  return all
}

async function takeOne(queue: Queue): Promise<Taken> {
  const [taken] = await takeCount(queue, 1)
  assert.ok(taken !== undefined)
  return taken
}

const jobsOf = (taken: readonly Taken[]): string[] => taken.map(({ job }) => job.messageId)
const takeJobs = async (queue: Queue, count: number): Promise<string[]> => jobsOf(await takeCount(queue, count))

/** A job that is due has no more use for `dueAt`: engines may drop it. */
const byId = (jobs: readonly Job[]): Job[] =>
  jobs
    .map(({ messageId, tenantId, lane }) => ({ messageId, tenantId, lane }))
    .toSorted((a, b) => (a.messageId < b.messageId ? -1 : 1))

/** Of everything queued only a job put just now is handed out: no waiting for what must not come. */
async function assertNothingElseDue(queue: Queue): Promise<void> {
  const witness = someJob({ lane: 'bulk', tenantId: tenant('witness') })
  await queue.put(witness)
  const taken = await queue.take(10, forever())
  assert.deepEqual(jobsOf(taken), [witness.messageId])
  for (const each of taken) await queue.done(each)
}

const IDLE: readonly Depth[] = LANES.map((lane) => ({ lane, ready: 0, delayed: 0, taken: 0 }))

/** Of two depths of a lane the last is expected. */
async function assertDepth(queue: Queue, expected: readonly Depth[]): Promise<void> {
  const lanes = (depths: readonly Depth[]): Record<string, Depth> => Object.fromEntries(depths.map((d) => [d.lane, d]))
  assert.deepEqual(lanes(await queue.depth()), lanes(expected))
}
