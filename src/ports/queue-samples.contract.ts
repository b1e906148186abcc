/** Helpers that take jobs and check the depth, for the contracts of queues. For tests only. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { TenantId } from '../domain/ids.ts'
import { LANES } from '../domain/message/message.ts'
import { type Millis, millis } from '../lib/time.ts'
import type { Depth, Queue, Taken } from './queue.ts'
import {
  append,
  createdEntry,
  forever,
  jobOf,
  type Opened,
  someContent,
  someJob,
  someMessage,
  tenant,
} from './samples.contract.ts'

/** A message with a queued job. */
export async function queued({ log }: Opened<'log'>) {
  const message = someMessage()
  return { message, created: await append(log, createdEntry(message, someContent(), jobOf(message))) }
}

export async function takeCount(queue: Queue, count: number): Promise<readonly Taken[]> {
  const all: Taken[] = []
  while (all.length < count) {
    const taken = await queue.take(count - all.length, forever())
    assert.ok(taken.length > 0, 'no due job')
    all.push(...taken)
  }
  return all
}

export async function takeOne(queue: Queue): Promise<Taken> {
  const [taken] = await takeCount(queue, 1)
  assert.ok(taken !== undefined)
  return taken
}

export const jobsOf = (taken: readonly Taken[]): string[] => taken.map(({ job }) => job.messageId)
export const takeJobs = async (queue: Queue, count: number): Promise<string[]> => jobsOf(await takeCount(queue, count))

/** Puts a job and checks that it is the only due one: waits for no job that must not come. */
export async function assertNothingElseDue(queue: Queue): Promise<void> {
  const witness = someJob({ lane: 'bulk', tenantId: tenant('witness') })
  await queue.put(witness)
  const taken = await queue.take(10, forever())
  assert.deepEqual(jobsOf(taken), [witness.messageId])
  for (const each of taken) await queue.done(each)
}

export const IDLE: readonly Depth[] = LANES.map((lane) => ({ lane, ready: 0, delayed: 0, parked: 0, taken: 0 }))

/** Per lane, the last expected depth counts. */
export async function assertDepth(
  queue: Queue,
  expected: readonly Depth[],
  lag: Millis = millis(0),
  tenantId?: TenantId,
): Promise<void> {
  const lanes = (depths: readonly Depth[]): Record<string, Depth> => Object.fromEntries(depths.map((d) => [d.lane, d]))
  await eventually(lag, async () => assert.deepEqual(lanes(await queue.depth(tenantId)), lanes(expected)))
}

/** Retries the check for as long as the engine may take to show its effect. */
export async function eventually(lag: Millis, check: () => Promise<void>): Promise<void> {
  for (const began = performance.now(); ; await wait(10)) {
    try {
      await check()
      return
    } catch (error) {
      if (performance.now() - began >= lag) throw error
    }
  }
}
