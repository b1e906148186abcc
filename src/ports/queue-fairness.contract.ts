/** The tests of a queue's fairness: lanes by weight, tenants in turn. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LANES, type Lane } from '../domain/message/message.ts'
import type { Job, Queue } from './queue.ts'
import { forever, type Open, someJob, stopped, tenant } from './samples.contract.ts'

export function queueFairnessContract(engine: string, open: Open<'queue'>): void {
  describe(`fairness of the queue on ${engine}`, { timeout: 120_000 }, () => {
    test('a tenant with a long queue does not delay the single message of another', async () => {
      await using opened = await open(stopped)
      const { queue } = opened
      const flood = Array.from({ length: 1000 }, () => someJob({ tenantId: tenant('flood') }))
      await Promise.all(flood.map((job) => queue.put(job)))
      const single = someJob({ tenantId: tenant('single') })
      await queue.put(single)
      assert.ok((await finish(queue, 4)).some((job) => job.messageId === single.messageId))
    })

    test('tenants with work share a lane evenly', async () => {
      await using opened = await open(stopped)
      const { queue } = opened
      const jobs = ['a', 'b', 'c'].flatMap((name) =>
        Array.from({ length: name === 'a' ? 200 : 20 }, () => someJob({ tenantId: tenant(name) })),
      )
      await Promise.all(jobs.map((job) => queue.put(job)))
      const finished = await finish(queue, 45)
      for (const name of ['a', 'b', 'c']) assertAbout(15, finished.filter((job) => job.tenantId === name).length)
    })

    test('flooded lanes are served 8 to 4 to 1, and none starves', async () => {
      await using opened = await open(stopped)
      const { queue } = opened
      const jobs = LANES.flatMap((lane) => Array.from({ length: 120 }, () => someJob({ lane })))
      await Promise.all(jobs.map((job) => queue.put(job)))
      const finished = await finish(queue, 130)
      const share: Record<Lane, number> = { otp: 80, transactional: 40, bulk: 10 }
      for (const lane of LANES) assertAbout(share[lane], finished.filter((job) => job.lane === lane).length)
    })

    test('lanes without work give their turns to the others', async () => {
      await using opened = await open(stopped)
      const { queue } = opened
      const jobs = Array.from({ length: 40 }, () => someJob({ lane: 'bulk' }))
      await Promise.all(jobs.map((job) => queue.put(job)))
      assert.equal((await finish(queue, 40)).length, 40)
    })
  })
}

/** The next jobs in turn, processed in small batches. */
async function finish(queue: Queue, count: number): Promise<readonly Job[]> {
  const jobs: Job[] = []
  while (jobs.length < count) {
    const batch = await queue.take(Math.min(4, count - jobs.length), forever())
    assert.ok(batch.length > 0, 'no job came')
    for (const taken of batch) await queue.done(taken)
    jobs.push(...batch.map(({ job }) => job))
  }
  return jobs
}

/** An engine that prefetches may be off by a few turns. */
const assertAbout = (expected: number, actual: number): void =>
  assert.ok(Math.abs(actual - expected) <= Math.max(2, expected * 0.1), `${actual} is not about ${expected}`)
