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

/** Work that is begun by the runner and ended by the test. */
function bench() {
  const inHand: { taken: Taken; end: (disposition: Disposition) => void; fail: (fault: Error) => void }[] = []
  return {
    inHand,
    handle: (taken: Taken): Promise<Disposition> => {
      const { promise, resolve: end, reject: fail } = Promise.withResolvers<Disposition>()
      inHand.push({ taken, end, fail })
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
const run = (deps: Omit<RunnerDeps, 'onFault' | 'deadLetter'> & Partial<RunnerDeps>, hands: number): Runner =>
  new Runner({ onFault: noFault, deadLetter: async () => assert.fail('no message is poison'), ...deps }, hands)

test('it works on as many jobs at once as it has hands, and takes the next when one is free', async () => {
  const { queue, clock, depth } = await openQueue(10)
  const { inHand, handle } = bench()
  const runner = run({ queue, clock, handle }, 3)
  await setImmediate()
  assert.deepEqual([inHand.length, await depth()], [3, [7, 0, 3]])
  inHand[1]?.end(DONE)
  await setImmediate()
  assert.deepEqual([inHand.length, await depth()], [4, [6, 0, 3]])
  for (const { end } of inHand) end(DONE)
  await setImmediate()
  assert.deepEqual([inHand.length, await depth()], [7, [3, 0, 3]])
  for (const { end } of inHand) end(DONE)
  await runner[Symbol.asyncDispose]()
  assert.deepEqual(await depth(), [3, 0, 0])
})

test('no more jobs are asked for than there are hands free', async () => {
  const { queue, clock } = await openQueue(5)
  const asked: number[] = []
  const watching: Queue = {
    ...queue,
    take(max, signal) {
      asked.push(max)
      return queue.take(Math.min(max, 2), signal)
    },
  }
  const { inHand, handle } = bench()
  const runner = run({ queue: watching, clock, handle }, 3)
  await setImmediate()
  assert.deepEqual(asked, [3, 1])
  for (const { end } of inHand) end(DONE)
  await runner[Symbol.asyncDispose]()
})

test('a job waits in the queue while there is none, and is begun when it comes', async () => {
  const { queue, clock } = await openQueue(0)
  const { inHand, handle } = bench()
  await using _runner = run({ queue, clock, handle }, 2)
  await setImmediate()
  const job = someJob()
  await queue.put(job)
  await setImmediate()
  assert.deepEqual(inHand[0]?.taken.job, job)
  inHand[0]?.end(DONE)
})

test('a finished job is gone, a later one waits, a parked one is parked, and one that is gone already is left alone', async () => {
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

test('a fault is told, and the job is handed back to be tried again after five seconds', async () => {
  const { queue, clock, depth, pass } = await openQueue(1)
  const { inHand, handle } = bench()
  const faults: [unknown, Job | undefined][] = []
  const onFault = (error: unknown, job?: Job) => faults.push([error, job])
  const runner = run({ queue, clock, handle, onFault }, 1)
  await setImmediate()
  const fault = new Error('a bug of ours')
  inHand[0]?.fail(fault)
  await setImmediate()
  assert.deepEqual(faults, [[fault, inHand[0]?.taken.job]])
  assert.deepEqual(await depth(), [0, 1, 0])
  pass(5)
  await queue.put(someJob())
  await setImmediate()
  assert.deepEqual(await depth(), [1, 0, 1])
  assert.equal(inHand.length, 2)
  inHand[1]?.end(DONE)
  await runner[Symbol.asyncDispose]()
})

test('a job that cannot even be handed back does not stop the others', async () => {
  const { queue, clock } = await openQueue(3)
  const away = async () => Promise.reject(new Unavailable('no disk'))
  const faults: unknown[] = []
  let handled = 0
  const handle = async (): Promise<Disposition> => {
    handled += 1
    return DONE
  }
  const broken: Queue = { ...queue, done: away, release: away }
  await using _runner = run({ queue: broken, clock, handle, onFault: (error) => faults.push(error) }, 1)
  await setImmediate()
  assert.equal(handled, 3)
  assert.ok(faults.length === 3 && faults.every((fault) => fault instanceof Unavailable))
})

test('a queue that is away is asked again after a second', async (t) => {
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
  const { inHand, handle } = bench()
  const runner = run({ queue: flaky, clock, handle }, 1)
  await setImmediate()
  assert.equal(asked, 1)
  t.mock.timers.tick(1_000)
  await setImmediate()
  assert.deepEqual([asked, inHand.length], [2, 0])
  t.mock.timers.tick(1_000)
  await setImmediate()
  assert.deepEqual([asked, inHand.length], [3, 1])
  inHand[0]?.end(DONE)
  await runner[Symbol.asyncDispose]()
})

test('a queue that refuses to hand out jobs is told of, and asked again', async (t) => {
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
  const { inHand, handle } = bench()
  const runner = run({ queue: refusing, clock, handle, onFault: (...told) => faults.push(told) }, 1)
  await setImmediate()
  assert.deepEqual(faults, [[refusal]])
  t.mock.timers.tick(1_000)
  await setImmediate()
  assert.equal(inHand.length, 1)
  inHand[0]?.end(DONE)
  await runner[Symbol.asyncDispose]()
})

test('disposing takes no more work and waits for what is in hand', async () => {
  for (const hands of [2, 5]) {
    const { queue, clock, depth } = await openQueue(2)
    const { inHand, handle } = bench()
    const runner = run({ queue, clock, handle }, hands)
    await setImmediate()
    let isDisposed = false
    const disposing = runner[Symbol.asyncDispose]().then(() => {
      isDisposed = true
    })
    await queue.put(someJob())
    inHand[0]?.end(DONE)
    await setImmediate()
    assert.deepEqual([isDisposed, inHand.length], [false, 2])
    inHand[1]?.end(DONE)
    await disposing
    assert.deepEqual([await depth(), inHand.length], [[1, 0, 0], 2])
  }
})

test('what the queue hands over while the runner is being disposed is still worked on', async () => {
  const { queue, clock } = await openQueue(0)
  const late = Promise.withResolvers<readonly Taken[]>()
  const slow: Queue = { ...queue, take: () => late.promise }
  const { inHand, handle } = bench()
  const runner = run({ queue: slow, clock, handle }, 1)
  const disposing = runner[Symbol.asyncDispose]()
  late.resolve([{ job: someJob(), leaseToken: 1 }])
  await setImmediate()
  assert.equal(inHand.length, 1)
  inHand[0]?.end(DONE)
  await disposing
})

/** Five seconds pass, and again: a new job makes whoever waits look at the queue, and is done at once. */
async function everyFiveSeconds(times: number, { queue, pass }: Awaited<ReturnType<typeof openQueue>>): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await setImmediate()
    pass(5)
    await queue.put(someJob())
  }
  await setImmediate()
}

test('what faults again and again waits longer each time, and ends in the dead letters', async () => {
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

test('what cannot even be dead-lettered is tried again', async () => {
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

test('a store that is away makes no message poison', async () => {
  const opened = await openQueue(1)
  const { queue, clock } = opened
  const handle = async (): Promise<Disposition> => Promise.reject(new Unavailable('no disk'))
  await using _runner = run({ queue, clock, handle, onFault: () => undefined }, 1)
  await everyFiveSeconds(20, opened)
})
