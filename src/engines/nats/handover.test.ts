/** Messages that go straight to a worker, and those that no worker takes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openOwnNats } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import { later, millis } from '../../lib/time.ts'
import type { Taken } from '../../ports/queue.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  jobOf,
  nextEntry,
  REAL_TIME,
  someContent,
  someMessage,
  VALIDATED,
} from '../../ports/samples.contract.ts'
import { openNats as connect } from './connection.ts'
import { namesFor } from './subjects.ts'

/** An api process, a worker process, and what both read from the broker's streams. */
async function openProcesses() {
  await using opened = new AsyncDisposableStack()
  const broker = opened.use(await openOwnNats())
  const prefix = newPrefix()
  const witness = opened.use(await connect(broker))
  const gets: string[] = []
  witness.subscribe('$JS.API.DIRECT.GET.>', ({ subject }) => gets.push(subject.slice(subject.lastIndexOf('_') + 1)))
  const api = opened.use(await openEngine({ ...broker, prefix }))
  const worker = opened.use(await openEngine({ ...broker, prefix }))
  const stop = new AbortController()
  opened.defer(() => stop.abort())
  /** What was read since the last time. The broker answers the witness after everything before. */
  const reads = async (): Promise<readonly string[]> => {
    await witness.request('$JS.API.INFO', '')
    return gets.splice(0)
  }
  const take = async (): Promise<Taken> => {
    const [taken] = await worker.queue.take(1, stop.signal)
    assert.ok(taken)
    return taken
  }
  const accept = async (content = someContent(), message = someMessage()) => ({
    id: message.id,
    first: await append(api.log, { ...createdEntry(message), content, job: jobOf(message) }),
  })
  const closing = opened.move()
  return {
    prefix,
    witness,
    api,
    worker,
    stop,
    reads,
    take,
    accept,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

type Processes = Awaited<ReturnType<typeof openProcesses>>

/** A worker learns that a tenant has no older jobs from its queue, so the first message goes through that. */
async function warmUp({ accept, take, worker }: Processes): Promise<void> {
  await accept()
  await worker.queue.done(await take())
}

/** The number of jobs that the broker stores. */
async function queued({ api }: Processes): Promise<number> {
  const depths = await api.queue.depth()
  return depths.reduce((sum, { ready, delayed, taken }) => sum + ready + delayed + taken, 0)
}

/** A message that was accepted while a worker waited for one. After a refusal nothing is offered for a while. */
async function handOver(processes: Processes) {
  const deadline = performance.now() + 10_000
  while (performance.now() < deadline) {
    const taking = processes.take()
    const { id, first } = await processes.accept()
    const taken = await taking
    if ((await queued(processes)) === 0) return { id, first, taken }
    await processes.worker.queue.done(taken)
  }
  throw new Error('no message was handed over')
}

describe('a message that is handed over', { timeout: 120_000 }, () => {
  test('is sent without being queued or read', async () => {
    await using processes = await openProcesses()
    await warmUp(processes)
    const { worker, reads } = processes
    const { id, first, taken } = await handOver(processes)
    await reads()
    const loaded = await worker.log.load(id, undefined, taken)
    assert.deepEqual(loaded?.content, someContent())
    assert.deepEqual([loaded?.revision, loaded?.event], [first.revision, first.event])
    const claimed = await append(worker.log, {
      ...nextEntry(first, ATTEMPTED),
      before: nextEntry(first, VALIDATED).event,
    })
    const handedOff = await append(worker.log, { ...nextEntry(claimed, ACCEPTED), ends: taken })
    assert.deepEqual(await reads(), [])
    assert.deepEqual(worker.log.recall?.(id), { revision: handedOff.revision, event: handedOff.event })
    assert.equal((await processes.api.log.latest(id))?.event.id, handedOff.event.id)
  })

  test('is queued when it is released, parked or left alone', async () => {
    await using processes = await openProcesses()
    await warmUp(processes)
    const { worker } = processes
    const soon = later(REAL_TIME.clock(), millis(300))
    const released = await handOver(processes)
    await worker.queue.release(released.taken, soon)
    const due = await processes.take()
    assert.equal(due.job.messageId, released.id)
    await worker.queue.done(due)
    const parked = await handOver(processes)
    await worker.queue.park(parked.taken, ['x' as never], later(REAL_TIME.clock(), millis(60_000)))
    assert.equal(await worker.queue.unpark({ provider: 'x' as never }, 1), 1)
    const unparked = await processes.take()
    assert.equal(unparked.job.messageId, parked.id)
    await worker.queue.done(unparked)
    const left = await handOver(processes)
    await worker[Symbol.asyncDispose]()
    await until('the job to be queued', async () => (await queued(processes)) > 0)
    assert.equal(await processes.api.queue.put(jobOf(left.first.event.state)), false)
  })

  test('cannot be claimed once it has moved on', async () => {
    await using processes = await openProcesses()
    await warmUp(processes)
    const { worker, api } = processes
    const { id, first, taken } = await handOver(processes)
    const newer = await append(api.log, nextEntry(first, ATTEMPTED))
    const loaded = await worker.log.load(id, undefined, taken)
    assert.equal(loaded?.revision, first.revision)
    assert.deepEqual(await worker.log.append(nextEntry(first, VALIDATED)), { kind: 'conflict' })
    assert.equal((await worker.log.latest(id))?.event.id, newer.event.id)
  })

  test('never travels in the clear', async () => {
    await using processes = await openProcesses()
    await warmUp(processes)
    const seen: Buffer[] = []
    const { handover } = namesFor(processes.prefix, 1)
    processes.witness.subscribe(handover, ({ data }) => seen.push(Buffer.from(data)))
    const { taken } = await handOver(processes)
    await processes.reads()
    assert.ok(seen.length > 0)
    const content = someContent()
    assert.equal(content.channel, 'sms')
    for (const bytes of seen) {
      assert.ok(!bytes.includes(content.to))
      assert.ok(content.channel === 'sms' && !bytes.includes(content.body))
    }
    await processes.worker.queue.done(taken)
  })
})

describe('a message is queued', { timeout: 120_000 }, () => {
  test('when no worker waits for one', async () => {
    await using processes = await openProcesses()
    const { id } = await processes.accept()
    assert.equal(await queued(processes), 1)
    const taken = await processes.take()
    assert.equal(taken.job.messageId, id)
    await processes.reads()
    assert.deepEqual((await processes.worker.log.load(id, undefined, taken))?.content, someContent())
    assert.deepEqual((await processes.reads()).toSorted(), ['KEYS', 'LOG'])
  })

  test('when its content is large', async () => {
    await using processes = await openProcesses()
    await warmUp(processes)
    const content = someContent({ body: 'x'.repeat(20_000) })
    const taking = processes.take()
    const { id } = await processes.accept(content)
    const taken = await taking
    assert.equal(await queued(processes), 1)
    assert.deepEqual((await processes.worker.log.load(id, undefined, taken))?.content, content)
  })

  test('when its tenant has older jobs', async () => {
    await using processes = await openProcesses()
    await warmUp(processes)
    const before = await Promise.all(Array.from({ length: 20 }, () => processes.accept()))
    const late = await processes.accept()
    const order: string[] = []
    while (order.length <= before.length) {
      const taken = await processes.take()
      order.push(taken.job.messageId)
      await processes.worker.queue.done(taken)
    }
    assert.equal(order.at(-1), late.id)
  })

  test('when a request is not from one of our processes', async () => {
    await using processes = await openProcesses()
    await warmUp(processes)
    const { handover } = namesFor(processes.prefix, 1)
    for (const garbage of ['', 'x', 'x'.repeat(200)]) {
      assert.equal((await processes.witness.request(handover, garbage)).string(), '')
    }
    const taking = processes.take()
    const { id } = await processes.accept()
    assert.equal((await taking).job.messageId, id)
  })
})
