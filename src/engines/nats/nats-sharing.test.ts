/** Several processes on one broker. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openNats } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import { millis } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import { takeCount } from '../../ports/queue-samples.contract.ts'
import { append, createdEntry, delivered, forever, nextEntry, someJob, tenant } from '../../ports/samples.contract.ts'

describe('processes that share a broker', { timeout: 120_000 }, () => {
  test('race for every revision, and one wins', async () => {
    await using broker = await openNats()
    const prefix = newPrefix()
    await using one = await openEngine({ ...broker, prefix })
    await using other = await openEngine({ ...broker, prefix })
    const race = async (logs: readonly EventLog[]): Promise<void> => {
      const seen = await append(one.log, createdEntry())
      const entries = logs.map((_, at) => nextEntry(seen, delivered(`report-${at}`)))
      const results = await Promise.all(logs.map((log, at) => log.append(entries[at] ?? createdEntry())))
      assert.deepEqual(results.map(({ kind }) => kind).toSorted(), ['appended', 'conflict'])
      const winner = entries[results.findIndex(({ kind }) => kind === 'appended')]
      for (const log of logs) assert.equal((await log.latest(seen.event.state.id))?.event.id, winner?.event.id)
    }
    await Promise.all(Array.from({ length: 200 }, () => race([one.log, other.log])))
  })

  test('share the work whatever their start order, and do each job once', async () => {
    await using broker = await openNats()
    const prefix = newPrefix()
    await using producer = await openEngine({ ...broker, prefix })
    await using early = await openEngine({ ...broker, prefix })
    const done: string[] = []
    const stop = new AbortController()
    const work = async ({ queue }: typeof early): Promise<void> => {
      while (!stop.signal.aborted) {
        for (const taken of await queue.take(4, stop.signal)) {
          done.push(taken.job.messageId)
          await queue.done(taken)
        }
      }
    }
    const working = [work(early)]
    const jobs = Array.from({ length: 60 }, (_, n) => someJob({ tenantId: tenant(`tenant-${n % 5}`), lane: 'bulk' }))
    await Promise.all(jobs.slice(0, 30).map((job) => producer.queue.put(job)))
    await using late = await openEngine({ ...broker, prefix })
    working.push(work(late))
    await Promise.all(jobs.slice(30).map((job) => producer.queue.put(job)))
    await until('all to be done', () => done.length >= jobs.length)
    stop.abort()
    await Promise.all(working)
    assert.deepEqual(done.toSorted(), jobs.map(({ messageId }) => messageId).toSorted())
  })

  test('find the work of processes that ended before they started', async () => {
    await using broker = await openNats()
    const prefix = newPrefix()
    const jobs = Array.from({ length: 8 }, (_, n) => someJob({ tenantId: tenant(`tenant-${n}`) }))
    {
      await using gone = await openEngine({ ...broker, prefix, partitions: 4 })
      for (const job of jobs) await gone.queue.put(job)
    }
    await using engine = await openEngine({ ...broker, prefix, partitions: 7 })
    const taken = await takeCount(engine.queue, jobs.length)
    assert.deepEqual(
      taken.map(({ job }) => job.messageId).toSorted(),
      jobs.map(({ messageId }) => messageId).toSorted(),
    )
  })

  test('get the job of a killed process after a while', async () => {
    await using broker = await openNats()
    const prefix = newPrefix()
    const ackWait = millis(1_000)
    await using engine = await openEngine({ ...broker, prefix, ackWait })
    const job = someJob()
    await engine.queue.put(job)
    const taker = fileURLToPath(new URL('../../../test/support/nats-job-holder.ts', import.meta.url))
    const child = spawn(process.execPath, [taker, broker.url, prefix, String(ackWait)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    assert.equal(said.toString(), `taken ${job.messageId}\n`)
    // It is alive and sends heartbeats: no other process gets the job.
    const soon = await engine.queue.take(1, AbortSignal.timeout(2 * ackWait))
    assert.deepEqual(soon, [])
    child.kill('SIGKILL')
    const [taken] = await engine.queue.take(1, forever())
    assert.equal(taken?.job.messageId, job.messageId)
  })

  test('get the jobs of a process that shuts down gracefully at once', async () => {
    await using broker = await openNats()
    const prefix = newPrefix()
    await using engine = await openEngine({ ...broker, prefix })
    const job = someJob()
    {
      await using ending = await openEngine({ ...broker, prefix })
      await ending.queue.put(job)
      assert.equal((await ending.queue.take(1, forever())).length, 1)
    }
    const [taken] = await engine.queue.take(1, AbortSignal.timeout(5_000))
    assert.equal(taken?.job.messageId, job.messageId)
  })

  test('get jobs that were delivered to a process without a free worker', async () => {
    await using broker = await openNats()
    const prefix = newPrefix()
    await using busy = await openEngine({ ...broker, prefix })
    await using free = await openEngine({ ...broker, prefix })
    await busy.queue.put(someJob())
    assert.equal((await busy.queue.take(1, forever())).length, 1)
    const job = someJob()
    await free.queue.put(job)
    const [taken] = await free.queue.take(1, AbortSignal.timeout(5_000))
    assert.equal(taken?.job.messageId, job.messageId)
  })
})

describe('fairness', { timeout: 120_000 }, () => {
  test('five thousand waiting jobs of one tenant do not delay the single job of another', async () => {
    await using broker = await openNats()
    await using engine = await openEngine(broker)
    const { queue } = engine
    await Promise.all(Array.from({ length: 5_000 }, () => queue.put(someJob({ tenantId: tenant('flood') }))))
    const stop = new AbortController()
    const order: string[] = []
    const work = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const taken = await queue.take(10, stop.signal)
        order.push(...taken.map(({ job }) => job.tenantId))
        for (const each of taken) await queue.done(each)
      }
    }
    const working = [work(), work()]
    const single = tenant('single')
    for (let round = 0; round < 10; round += 1) {
      await until('the flood to be worked on', () => order.length > (round + 1) * 50, { everyMs: 1 })
      await queue.put(someJob({ tenantId: single }))
      const before = order.length
      await until('the single job to be taken', () => order.includes(single, before), { everyMs: 1 })
      const overtaken = order.indexOf(single, before) - before
      assert.ok(overtaken <= 60, `${overtaken} jobs of the flood went before the single one`)
    }
    assert.ok(order.length < 5_000)
    stop.abort()
    await Promise.all(working)
  })
})
