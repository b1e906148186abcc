import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import { type Instant, later, seconds } from '../lib/time.ts'
import type { Disposition, Job, Queue, Taken } from '../ports/queue.ts'
import { ACME, NOON, someJob } from '../ports/samples.contract.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { Runner, type RunnerDeps } from './runner.ts'

const DONE = { kind: 'done' } as const
const GONE = { kind: 'gone' } as const

/** Work that the runner begins and the test ends. */
function bench() {
  const inFlight: { taken: Taken; end: (disposition: Disposition) => void; fail: (fault: Error) => void }[] = []
  return {
    inFlight,
    handle: (taken: Taken): Promise<Disposition> => {
      const { promise, resolve: end, reject: fail } = Promise.withResolvers<Disposition>()
      inFlight.push({ taken, end, fail })
      return promise
    },
  }
}

async function openQueue(jobs: number) {
  let now: Instant = NOON
  const clock = () => now
  const { queue } = openMemoryEngine({ clock, lease: seconds(3600) })
  for (let n = 0; n < jobs; n += 1) await queue.put(someJob())
  const depth = async () => {
    const { ready, delayed, taken, parked } = (await queue.depth()).find(({ lane }) => lane === 'transactional') ?? {}
    return [ready, delayed, taken, ...(parked === 0 ? [] : [parked])]
  }
  const pass = (by: number): void => {
    now = later(now, seconds(by))
  }
  return { queue, clock, depth, pass }
}

const noFault = (error: unknown): void => assert.fail(String(error))
const run = (deps: Omit<RunnerDeps, 'onFault' | 'deadLetter'> & Partial<RunnerDeps>, concurrency: number): Runner =>
  new Runner({ onFault: noFault, deadLetter: async () => assert.fail('unexpected dead letter'), ...deps }, concurrency)

test('runs as many jobs concurrently as configured, and takes the next when one ends', async () => {
  const { queue, clock, depth } = await openQueue(10)
  const { inFlight, handle } = bench()
  const runner = run({ queue, clock, handle }, 3)
  await setImmediate()
  assert.deepEqual([inFlight.length, await depth()], [3, [7, 0, 3]])
  inFlight[1]?.end(DONE)
  await setImmediate()
  assert.deepEqual([inFlight.length, await depth()], [4, [6, 0, 3]])
  for (const { end } of inFlight) end(DONE)
  await setImmediate()
  assert.deepEqual([inFlight.length, await depth()], [7, [3, 0, 3]])
  for (const { end } of inFlight) end(DONE)
  await runner[Symbol.asyncDispose]()
  assert.deepEqual(await depth(), [3, 0, 0])
})

test('takes no more jobs than it can run', async () => {
  const { queue, clock } = await openQueue(5)
  const asked: number[] = []
  const watching: Queue = {
    ...queue,
    take(max, signal) {
      asked.push(max)
      return queue.take(Math.min(max, 2), signal)
    },
  }
  const { inFlight, handle } = bench()
  const runner = run({ queue: watching, clock, handle }, 3)
  await setImmediate()
  assert.deepEqual(asked, [3, 1])
  for (const { end } of inFlight) end(DONE)
  await runner[Symbol.asyncDispose]()
})

test('waits for a job while the queue is empty, and starts it when it arrives', async () => {
  const { queue, clock } = await openQueue(0)
  const { inFlight, handle } = bench()
  await using _runner = run({ queue, clock, handle }, 2)
  await setImmediate()
  const job = someJob()
  await queue.put(job)
  await setImmediate()
  assert.deepEqual(inFlight[0]?.taken.job, job)
  inFlight[0]?.end(DONE)
})

test('finishes, delays or parks a job as its work decides, and leaves a removed job alone', async () => {
  for (const [disposition, expected] of [
    [DONE, [0, 0, 0]],
    [{ kind: 'later', at: later(NOON, seconds(9)) }, [0, 1, 0]],
    [{ kind: 'parked', gate: [ACME], until: later(NOON, seconds(9)) }, [0, 0, 0, 1]],
    [GONE, [0, 0, 1]],
  ] as const) {
    const { queue, clock, depth } = await openQueue(1)
    await using _runner = run({ queue, clock, handle: async () => disposition }, 1)
    await setImmediate()
    assert.deepEqual(await depth(), expected)
  }
})

test('reports a fault, and releases the job for five seconds later', async () => {
  const { queue, clock, depth, pass } = await openQueue(1)
  const { inFlight, handle } = bench()
  const faults: [unknown, Job | undefined][] = []
  const onFault = (error: unknown, job?: Job) => faults.push([error, job])
  const runner = run({ queue, clock, handle, onFault }, 1)
  await setImmediate()
  const fault = new Error('a bug of ours')
  inFlight[0]?.fail(fault)
  await setImmediate()
  assert.deepEqual(faults, [[fault, inFlight[0]?.taken.job]])
  assert.deepEqual(await depth(), [0, 1, 0])
  pass(5)
  await queue.put(someJob())
  await setImmediate()
  assert.deepEqual(await depth(), [1, 0, 1])
  assert.equal(inFlight.length, 2)
  inFlight[1]?.end(DONE)
  await runner[Symbol.asyncDispose]()
})

test('a job that cannot be released does not stop the others', async () => {
  const { queue, clock } = await openQueue(3)
  const unavailable = async () => Promise.reject(new Unavailable('no disk'))
  const faults: unknown[] = []
  let handled = 0
  const handle = async (): Promise<Disposition> => {
    handled += 1
    return DONE
  }
  const broken: Queue = { ...queue, done: unavailable, release: unavailable }
  await using _runner = run({ queue: broken, clock, handle, onFault: (error) => faults.push(error) }, 1)
  await setImmediate()
  assert.equal(handled, 3)
  assert.ok(faults.length === 3 && faults.every((fault) => fault instanceof Unavailable))
})

test('retries an unavailable queue after a second', async (t) => {
  const { queue, clock } = await openQueue(1)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let asked = 0
  const flaky: Queue = {
    ...queue,
    async take(max, signal) {
      asked += 1
      if (asked < 3) throw new Unavailable('no disk')
      return queue.take(max, signal)
    },
  }
  const { inFlight, handle } = bench()
  const runner = run({ queue: flaky, clock, handle }, 1)
  await setImmediate()
  assert.equal(asked, 1)
  t.mock.timers.tick(1_000)
  await setImmediate()
  assert.deepEqual([asked, inFlight.length], [2, 0])
  t.mock.timers.tick(1_000)
  await setImmediate()
  assert.deepEqual([asked, inFlight.length], [3, 1])
  inFlight[0]?.end(DONE)
  await runner[Symbol.asyncDispose]()
})

test('reports a queue that fails to hand out jobs, and retries', async (t) => {
  const { queue, clock } = await openQueue(1)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const refusal = new Error('no such consumer')
  let asked = 0
  const refusing: Queue = {
    ...queue,
    async take(max, signal) {
      asked += 1
      if (asked === 1) throw refusal
      return queue.take(max, signal)
    },
  }
  const faults: unknown[][] = []
  const { inFlight, handle } = bench()
  const runner = run({ queue: refusing, clock, handle, onFault: (...args) => faults.push(args) }, 1)
  await setImmediate()
  assert.deepEqual(faults, [[refusal]])
  t.mock.timers.tick(1_000)
  await setImmediate()
  assert.equal(inFlight.length, 1)
  inFlight[0]?.end(DONE)
  await runner[Symbol.asyncDispose]()
})

test('disposing takes no more jobs and waits for those in flight', async () => {
  for (const concurrency of [2, 5]) {
    const { queue, clock, depth } = await openQueue(2)
    const { inFlight, handle } = bench()
    const runner = run({ queue, clock, handle }, concurrency)
    await setImmediate()
    let isDisposed = false
    const disposing = runner[Symbol.asyncDispose]().then(() => {
      isDisposed = true
    })
    await queue.put(someJob())
    inFlight[0]?.end(DONE)
    await setImmediate()
    assert.deepEqual([isDisposed, inFlight.length], [false, 2])
    inFlight[1]?.end(DONE)
    await disposing
    assert.deepEqual([await depth(), inFlight.length], [[1, 0, 0], 2])
  }
})

test('a job taken during disposal is still processed', async () => {
  const { queue, clock } = await openQueue(0)
  const late = Promise.withResolvers<readonly Taken[]>()
  const slow: Queue = { ...queue, take: () => late.promise }
  const { inFlight, handle } = bench()
  const runner = run({ queue: slow, clock, handle }, 1)
  const disposing = runner[Symbol.asyncDispose]()
  late.resolve([{ job: someJob(), leaseToken: 1 }])
  await setImmediate()
  assert.equal(inFlight.length, 1)
  inFlight[0]?.end(DONE)
  await disposing
})

/** Lets five seconds pass: a new job wakes waiting takers of the queue, and is finished at once. */
async function everyFiveSeconds(times: number, { queue, pass }: Awaited<ReturnType<typeof openQueue>>): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await setImmediate()
    pass(5)
    await queue.put(someJob())
  }
  await setImmediate()
}

test('repeated faults delay a job longer each time, and finally dead-letter it', async () => {
  const opened = await openQueue(1)
  const { queue, clock, depth } = opened
  const error = new Error('cannot be processed')
  const times: number[] = []
  const poison: unknown[] = []
  let id: string | undefined
  const handle = async ({ job }: Taken): Promise<Disposition> => {
    id ??= job.messageId
    if (job.messageId !== id) return DONE
    times.push((clock() - NOON) / 1000)
    throw error
  }
  const deadLetter: RunnerDeps['deadLetter'] = async (job, fault) => void poison.push([job.messageId, fault])
  await using _runner = run({ queue, clock, handle, deadLetter, onFault: () => undefined }, 1)
  await everyFiveSeconds(250, opened)
  assert.deepEqual(times, [0, 5, 15, 35, 75, 155, 315, 615])
  assert.deepEqual(poison, [[id, { error, faults: 8 }]])
  assert.deepEqual(await depth(), [0, 0, 0])
})

test('a job that cannot be dead-lettered is retried', async () => {
  const opened = await openQueue(1)
  const { queue, clock, depth } = opened
  const bad = (await queue.take(1, AbortSignal.timeout(1_000)))[0]
  assert.ok(bad)
  await queue.release(bad, clock())
  const handle = async ({ job }: Taken): Promise<Disposition> =>
    job.messageId === bad.job.messageId ? Promise.reject(new Error('a bug of ours')) : DONE
  let tries = 0
  const deadLetter = async (): Promise<void> => {
    tries += 1
    throw new Error('the log cannot be read')
  }
  await using _runner = run({ queue, clock, handle, deadLetter, onFault: () => undefined }, 1)
  await everyFiveSeconds(250, opened)
  assert.equal(tries, 3)
  assert.deepEqual(await depth(), [0, 1, 0])
})

test('an unavailable store is not counted as a fault of the message', async () => {
  const opened = await openQueue(1)
  const { queue, clock } = opened
  const handle = async (): Promise<Disposition> => Promise.reject(new Unavailable('no disk'))
  await using _runner = run({ queue, clock, handle, onFault: () => undefined }, 1)
  await everyFiveSeconds(20, opened)
})
