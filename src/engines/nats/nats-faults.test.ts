/** Guarantees when the broker dies. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openOwnNats } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import type { MessageId } from '../../domain/ids.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import { START } from '../../ports/event-log.ts'
import type { Taken } from '../../ports/queue.ts'
import { takeCount } from '../../ports/queue-samples.contract.ts'
import {
  append,
  createdEntry,
  forever,
  jobOf,
  REAL_TIME,
  someContent,
  someJob,
  someMessage,
} from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openNats as connect } from './connection.ts'

/** How long a request waits for an answer. */
const TIMEOUT_MS = 5_000

describe('when the broker dies', { timeout: 120_000 }, () => {
  test('writes are refused in bounded time and resume afterwards, and no acknowledged write is lost', async () => {
    await using broker = await openOwnNats()
    await using engine = await openEngine({ ...broker, timeoutMs: TIMEOUT_MS })
    const { log } = engine
    const safe: MessageId[] = []
    const accept = async (): Promise<void> => {
      const message = someMessage()
      await append(log, createdEntry(message, someContent(), jobOf(message)))
      safe.push(message.id)
    }
    for (let kill = 0; kill < 2; kill += 1) {
      const ended = Promise.allSettled(Array.from({ length: 200 }, accept))
      await until('some writes to be answered', () => safe.length > kill * 200, { everyMs: 1 })
      await broker.faults.kill()
      for (const outcome of await ended) {
        if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof Unavailable, String(outcome.reason))
      }
      const began = performance.now()
      await assert.rejects(accept(), Unavailable)
      await assert.rejects(async () => log.latest(someMessage().id), Unavailable)
      await assert.rejects(engine.queue.take(1, forever()), Unavailable)
      assert.ok(performance.now() - began < TIMEOUT_MS, 'none waits for the broker')
      assert.equal((await engine.health())['log']?.ok, false)
      await broker.faults.restart()
      await until('writes to go on', () =>
        accept().then(
          () => true,
          () => false,
        ),
      )
    }
    for (const id of safe) assert.deepEqual((await log.load(id))?.content, someContent())
    assert.deepEqual(await engine.health(), { log: { ok: true }, keys: { ok: true }, queue: { ok: true } })
  })

  test('waiting workers and followers recover', async () => {
    await using broker = await openOwnNats()
    await using engine = await openEngine(broker)
    const { log, queue } = engine
    await append(log, createdEntry())
    const pages = log.follow(START, 10, forever())[Symbol.asyncIterator]()
    assert.equal((await pages.next()).value?.length, 1)
    const following = pages.next().catch((error: unknown) => error)
    const waiting = queue.take(1, forever()).catch((error: unknown) => error)
    await broker.faults.kill()
    assert.ok((await waiting) instanceof Unavailable)
    await broker.faults.restart()

    const message = someMessage()
    await until('writes to go on', () =>
      append(log, createdEntry(message, someContent(), jobOf(message))).then(
        () => true,
        () => false,
      ),
    )
    const [taken] = await until('the queue to answer', () => queue.take(1, forever()).catch(() => false as const))
    assert.equal(taken?.job.messageId, message.id)
    const followed = await following
    if (followed instanceof Unavailable) {
      for await (const page of log.follow(START, 10, forever())) {
        assert.equal(page.length, 2)
        break
      }
    } else {
      assert.equal((followed as { value: readonly { messageId: MessageId }[] }).value[0]?.messageId, message.id)
    }
  })

  test('delayed and ready jobs are still there afterwards', async () => {
    await using broker = await openOwnNats()
    await using engine = await openEngine(broker)
    const dueAt = later(REAL_TIME.clock(), seconds(2))
    const [waiting, delayed] = [someJob(), someJob({ dueAt })]
    for (const job of [waiting, delayed]) await engine.queue.put(job)
    await broker.faults.kill()
    await broker.faults.restart()
    const take = () => engine.queue.take(1, forever()).catch(() => false as const)
    const [first] = await until('the queue to answer', take)
    const [second] = await until('the queue to answer', take)
    assert.deepEqual([first?.job.messageId, second?.job.messageId], [waiting.messageId, delayed.messageId])
    assert.ok(REAL_TIME.clock() >= dueAt)
  })
})

test('a queue that the broker has forgotten is announced again by the process that put a job there', {
  timeout: 30_000,
}, async () => {
  await using broker = await openOwnNats()
  const options = { ...broker, prefix: newPrefix() }
  await using engine = await openEngine(options)
  const job = someJob()
  await engine.queue.put(job)
  {
    await using connection = await connect(broker)
    await connection.request(`$JS.API.STREAM.PURGE.${options.prefix}_LINES`, '')
  }
  await broker.faults.kill()
  await broker.faults.restart()
  await using other = await openEngine(options)
  const [taken] = await other.queue.take(1, forever())
  assert.equal(taken?.job.messageId, job.messageId)
})

test('repairing requeues a job that the broker counts as acknowledged', { timeout: 20_000 }, async () => {
  await using broker = await openOwnNats()
  const options = { ...broker, prefix: newPrefix(), partitions: 1 }
  {
    await using before = await openEngine(options)
    await before.queue.put(someJob())
    for (const taken of await before.queue.take(1, forever())) await before.queue.done(taken)
  }
  await using engine = await openEngine(options)
  const lost = someJob()
  await engine.queue.put(lost)
  await using connection = await connect(broker)
  const consumer = `${options.prefix}_JOBS_0.transactional_north`
  await connection.request(`$JS.API.CONSUMER.RESET.${consumer}`, JSON.stringify({ seq: 3 }))
  assert.deepEqual(await engine.queue.take(1, AbortSignal.timeout(500)), [])
  await engine.queue.put(lost)
  const [taken] = await engine.queue.take(1, forever())
  assert.equal(taken?.job.messageId, lost.messageId)
})

describe('jobs in flight', { timeout: 120_000 }, () => {
  test('are redelivered when they could not be returned in order', async () => {
    await using broker = await openOwnNats()
    await using engine = await openEngine({ ...broker, ackWait: millis(1_000) })
    const { queue } = engine
    const jobs = [someJob(), someJob(), someJob()]
    for (const job of jobs) await queue.put(job)
    const [one, two, three] = await takeCount(queue, 3)
    assert.ok(one !== undefined && two !== undefined && three !== undefined)
    await broker.faults.stop()
    await assert.rejects(queue.take(1, forever()), Unavailable)
    await assert.rejects(queue.done(one), Unavailable)
    await assert.rejects(queue.release(two, REAL_TIME.clock()), Unavailable)
    await assert.rejects(queue.release(three, later(REAL_TIME.clock(), seconds(60))), Unavailable)
    await broker.faults.restart()
    const again = await until('the queue to answer', () => takeCount(queue, 3).catch(() => false as const))
    assert.deepEqual(again.map(idOf).toSorted(), jobs.map(({ messageId }) => messageId).toSorted())
  })
})

const idOf = ({ job }: Taken): string => job.messageId
