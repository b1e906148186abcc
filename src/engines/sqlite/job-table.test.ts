/** Beyond the queue contract: expired leases, long queues, and rollbacks. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { MessageId, ProviderName } from '../../domain/ids.ts'
import { type Instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import { NOON, tenant } from '../../ports/samples.contract.ts'
import { JobTable } from './job-table.ts'
import { newTables } from './store.fixture.ts'
import { toBytes } from './uuid.ts'

const LEASE = seconds(120)
const NORTH = tenant('north')

function openJobs(t: TestContext, count: number) {
  const db = newTables(t)
  const insert = db.prepare('insert into messages (n, id) values (?, ?)')
  const ids = Array.from({ length: count }, () => randomUUID() as MessageId)
  for (const [index, id] of ids.entries()) insert.run(index + 1, toBytes(id))
  let now: Instant = NOON
  const open = (): JobTable => new JobTable(db, () => now)
  const jobs = open()
  for (const n of ids.keys()) jobs.put(n + 1, 'bulk', NORTH, null)
  const numberOf = (id: string): number => ids.indexOf(id as MessageId) + 1
  return {
    db,
    jobs,
    open,
    pass: (by: Millis): void => {
      now = later(now, by)
    },
    /** The numbers of the messages whose jobs are taken. */
    take: (max = count, from = jobs): number[] => from.take(max).map(([id]) => numberOf(id)),
    turns: (max = count): number[] => jobs.take(max).map(([, , , turn]) => turn),
  }
}

const depthOf = (jobs: JobTable) => jobs.depth().find(({ lane }) => lane === 'bulk')

test('redelivers the job of a lost worker when its lease expires, and not before', (t) => {
  const { jobs, take, pass } = openJobs(t, 2)
  assert.deepEqual(take(1), [1])
  pass(millis(LEASE - 1))
  assert.deepEqual(take(), [2])
  pass(millis(1))
  assert.deepEqual(take(), [1])
  assert.deepEqual(depthOf(jobs), { lane: 'bulk', ready: 0, delayed: 0, parked: 0, taken: 2 })
})

test('a job whose lease expired goes back to the head of its queue', (t) => {
  const { take, pass } = openJobs(t, 3)
  take(1)
  pass(LEASE)
  assert.deepEqual(take(1), [1])
})

test('a job that was finished or released in time is not redelivered by its lease', (t) => {
  const { jobs, take, turns, pass } = openJobs(t, 2)
  const [first = 0, second = 0] = turns(2)
  jobs.done(1, first)
  jobs.release(2, second, 'bulk', NORTH, later(NOON, seconds(500)))
  pass(LEASE)
  assert.deepEqual(take(), [])
  assert.deepEqual(depthOf(jobs), { lane: 'bulk', ready: 0, delayed: 1, parked: 0, taken: 0 })
})

test('delivers a long queue in order, however few are taken at a time', (t) => {
  const { take } = openJobs(t, 200)
  const all = [...take(1), ...take(100), ...take(63), ...take(64)]
  assert.deepEqual(
    all,
    Array.from({ length: 200 }, (_, n) => n + 1),
  )
  assert.deepEqual(take(), [])
})

test('many delayed jobs become ready in portions, the most overdue first', (t) => {
  const { jobs, take, turns, pass } = openJobs(t, 1_200)
  for (const [n, turn] of turns().entries()) jobs.release(n + 1, turn, 'bulk', NORTH, later(NOON, millis(1_200 - n)))
  assert.equal(jobs.nextDue(), NOON + 1)
  pass(seconds(60))
  for (const portion of [500, 500, 200]) {
    jobs.promote()
    assert.equal(take().length, portion)
  }
  assert.equal(jobs.nextDue(), Number.POSITIVE_INFINITY)
})

test('reopening finds all jobs ready or delayed as they were, and no leases', (t) => {
  const { jobs, take, turns, open } = openJobs(t, 4)
  const [first = 0, second = 0] = turns(3)
  jobs.done(1, first)
  const dueAt = later(NOON, seconds(5))
  jobs.release(2, second, 'bulk', NORTH, dueAt)
  const reopened = open()
  assert.deepEqual(depthOf(reopened), { lane: 'bulk', ready: 2, delayed: 1, parked: 0, taken: 0 })
  assert.equal(reopened.nextDue(), dueAt)
  assert.deepEqual(take(4, reopened), [3, 4])
})

test('a job whose end was rolled back is not lost', (t) => {
  for (const end of ['done', 'release'] as const) {
    const { db, jobs, take, turns, pass } = openJobs(t, 1)
    const [turn = 0] = turns(1)
    db.exec('begin')
    if (end === 'done') jobs.done(1, turn)
    else jobs.release(1, turn, 'bulk', NORTH, later(NOON, seconds(5)))
    db.exec('rollback')
    jobs.recall()
    pass(LEASE)
    assert.deepEqual(take(), [1], end)
  }
})

test('a rollback delivers nothing twice', (t) => {
  const { db, jobs, take } = openJobs(t, 100)
  assert.equal(take(80).length, 80)
  db.exec('begin; rollback')
  jobs.recall()
  assert.equal(take().length, 20)
  assert.deepEqual(take(), [])
})

/** Parks everything, the last first. */
function parkAll(t: TestContext, count: number, gate = 'one two') {
  const opened = openJobs(t, count)
  const until = later(NOON, seconds(3_600))
  for (const [n, turn] of [...opened.turns().entries()].reverse()) {
    opened.jobs.release(n + 1, turn, 'bulk', NORTH, until, gate)
  }
  return { ...opened, until }
}

const ONE = { provider: 'one' as ProviderName }

test('reopening finds parked jobs and their gates', (t) => {
  const { open, take } = parkAll(t, 3)
  const reopened = open()
  assert.deepEqual(depthOf(reopened), { lane: 'bulk', ready: 0, delayed: 0, parked: 3, taken: 0 })
  assert.equal(reopened.unpark({ provider: 'three' as ProviderName }, 9), 0)
  assert.equal(reopened.unpark(ONE, 2), 2)
  assert.deepEqual(take(9, reopened), [3, 2])
})

test('an unparked job is parked again after a rollback', (t) => {
  const { db, jobs, take } = parkAll(t, 3)
  db.exec('begin')
  assert.equal(jobs.unpark(ONE, 9), 3)
  db.exec('rollback')
  jobs.recall()
  assert.deepEqual(take(), [])
  assert.equal(jobs.unpark(ONE, 9), 3)
  assert.equal(take().length, 3)
})

test('finds parked jobs through an index, by gate and by tenant', (t) => {
  const { db } = parkAll(t, 1)
  const planOf = (where: string): string =>
    String(
      db
        .prepare(`explain query plan select n from jobs where ${where} and lane = 'bulk' and gate is not null
        and due_at is not null order by lease_token limit 9`)
        .get()?.['detail'],
    )
  assert.match(planOf(`gate = 'one'`), /jobs_parked \(gate=\? AND lane=\?\)/)
  assert.match(planOf(`tenant = 'north'`), /jobs_parked_of \(tenant=\? AND lane=\?\)/)
})
