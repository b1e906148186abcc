/** Beyond the contract: memory, expired leases, and many due jobs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageId, ProviderName } from '../../../domain/ids.ts'
import { type Instant, later, type Millis, millis, seconds } from '../../../lib/time.ts'
import { toUuid } from '../../../lib/uuid-words.ts'
import type { Taken } from '../../../ports/queue.ts'
import { hours, NOON, someJob, stopped, tenant } from '../../../ports/samples.contract.ts'
import { JobSlots } from './job-slots.ts'

const LEASE = seconds(120)
const NORTH = tenant('north')
const MEGABYTE = 1e6
const idOf = (n: number): MessageId => toUuid(n, 0x4000, 0x8000, n) as MessageId

/** Jobs of one tenant, numbered from 1. */
function openJobs(count: number) {
  let now: Instant = NOON
  const slots = new JobSlots(() => now)
  const ids = Array.from({ length: count }, (_, n) => idOf(n + 1))
  const take = (max = count): readonly Taken[] => {
    slots.promote(now)
    return slots.take(max, now)
  }
  const numberOf = ({ job }: Taken): number => ids.indexOf(job.messageId) + 1
  for (const messageId of ids) slots.replace(someJob({ messageId, lane: 'bulk' }))
  return {
    slots,
    take,
    numbers: (max = count): number[] => take(max).map(numberOf),
    pass: (by: Millis): void => {
      now = later(now, by)
    },
  }
}

const bulk = (slots: JobSlots) => slots.depth().find(({ lane }) => lane === 'bulk')

test('redelivers the job of a lost worker when its lease expires, and not before', () => {
  const { slots, numbers, pass } = openJobs(2)
  assert.deepEqual(numbers(1), [1])
  pass(millis(LEASE - 1))
  assert.deepEqual(numbers(), [2])
  pass(millis(1))
  assert.deepEqual(numbers(), [1])
  assert.deepEqual(bulk(slots), { lane: 'bulk', ready: 0, delayed: 0, parked: 0, taken: 2 })
})

test('jobs whose lease expired go back to the head of their queue, in order', () => {
  const { numbers, pass } = openJobs(5)
  assert.deepEqual(numbers(3), [1, 2, 3])
  pass(LEASE)
  assert.deepEqual(numbers(), [1, 2, 3, 4, 5])
})

test('a job that was finished or released in time is not redelivered by its lease', () => {
  const { slots, take, pass } = openJobs(2)
  const [first, second] = take()
  assert.ok(first !== undefined && second !== undefined)
  slots.finish(first)
  slots.release(second, later(NOON, seconds(500)))
  assert.equal(slots.nextWake(), NOON + 500_000)
  pass(LEASE)
  assert.deepEqual(take(), [])
  assert.deepEqual(bulk(slots), { lane: 'bulk', ready: 0, delayed: 1, parked: 0, taken: 0 })
})

test('many delayed jobs become ready in portions, the most overdue first', () => {
  const { slots, take, numbers, pass } = openJobs(1_200)
  for (const [n, taken] of take().entries()) slots.release(taken, later(NOON, millis(1_200 - n)))
  assert.equal(slots.nextWake(), NOON + 1)
  pass(seconds(60))
  const portions = [numbers(), numbers(), numbers()]
  assert.deepEqual(
    portions.map(({ length }) => length),
    [500, 500, 200],
  )
  assert.deepEqual(
    portions.flat(),
    Array.from({ length: 1_200 }, (_, n) => 1_200 - n),
  )
})

test('jobs that are due at the same time keep their order', () => {
  const { slots, take, numbers, pass } = openJobs(50)
  for (const taken of take()) slots.release(taken, later(NOON, seconds(1)))
  pass(seconds(1))
  assert.deepEqual(
    numbers(),
    Array.from({ length: 50 }, (_, n) => n + 1),
  )
})

test('a million delayed jobs take less than 100 MB', () => {
  const slots = new JobSlots(stopped)
  const dueAt = (n: number): Instant => later(NOON, millis((n % 3_600_000) + 1))
  for (let n = 1; n <= 1_000_000; n += 1) {
    slots.replace({ messageId: idOf(n), tenantId: NORTH, lane: 'bulk', dueAt: dueAt(n) })
  }
  assert.equal(bulk(slots)?.delayed, 1_000_000)
  assert.ok(slots.bytes < 100 * MEGABYTE, `${slots.bytes} bytes`)
})

test('the slots of finished and replaced jobs are used again', () => {
  const slots = new JobSlots(stopped)
  for (let round = 0; round < 10; round += 1) {
    for (let n = 0; n < 5_000; n += 1) slots.replace(someJob({ messageId: idOf(round * 5_000 + n) }))
    for (let n = 0; n < 5_000; n += 1) slots.replace(someJob({ messageId: idOf(round * 5_000 + n), lane: 'otp' }))
    for (const taken of slots.take(5_000, NOON)) slots.finish(taken)
  }
  assert.deepEqual([...new Set(slots.depth().flatMap(({ ready, taken }) => [ready, taken]))], [0])
  assert.ok(slots.bytes < 3 * MEGABYTE, `${slots.bytes} bytes`)
})

test('tenants and gates without jobs are forgotten', () => {
  const slots = new JobSlots(stopped)
  for (let n = 0; n < 20_000; n += 1) {
    slots.replace(someJob({ messageId: idOf(n), tenantId: tenant(`tenant-${n}`) }))
    const [first] = slots.take(1, NOON)
    assert.ok(first !== undefined)
    slots.release(first, later(NOON, hours(1)), [`provider-${n}` as ProviderName])
    assert.equal(slots.unpark({ tenantId: first.job.tenantId }, 1), 1)
    for (const taken of slots.take(1, NOON)) slots.finish(taken)
  }
  assert.ok(slots.groups <= 2 * 1_024, `${slots.groups} are left`)
})
