/** Background work of the driver: filing late indexes, truncating the write-ahead log, retrying. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { instant, later, seconds } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import { createdEntry, forever, NOON, someJob } from '../../ports/samples.contract.ts'
import { BUSY_TIMEOUT_MS, openReader } from './database.ts'
import { sqliteEventLog } from './event-log.ts'
import { LocalDriver } from './local-driver.ts'
import { sqliteQueue } from './queue.ts'
import { newFolder, openSealed } from './store.fixture.ts'
import { openStore, type Store } from './store.ts'

const FULL = Object.assign(new Error('database or disk is full'), { errcode: 13 })

/** A driver with parts of its store replaced, a clock to set, and timers that run by `tick`. */
function open(t: TestContext, replace: (store: Store) => Partial<Store>) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = NOON
  const path = join(newFolder(t), 'pombo.db')
  const store = openStore({ path, clock: () => now, sealer: openSealed, indexBodies: false })
  const driver = new LocalDriver({ ...store, ...replace(store) })
  t.after(() => driver[Symbol.asyncDispose]())
  return {
    driver,
    log: sqliteEventLog(driver, new Map()),
    queue: sqliteQueue(driver, new Map()),
    async tick(forSeconds: number): Promise<void> {
      now = later(now, seconds(forSeconds))
      t.mock.timers.tick(forSeconds * 1000)
      for (let turn = 0; turn < 3; turn += 1) await setImmediate()
    },
  }
}

test('files a little in every turn until done, without a call', async (t) => {
  let left = 5
  const { log } = open(t, () => ({
    isFilingDue: () => left > 0,
    file() {
      left -= 1
    },
  }))
  await log.tip()
  assert.ok(left >= 4)
  for (let turn = 0; turn < 10; turn += 1) await setImmediate()
  assert.equal(left, 0)
})

test('leaves unfiled entries for the next start when closed', async (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const store = openStore({ path, clock: () => NOON, sealer: openSealed, indexBodies: false })
  let filed = 0
  const driver = new LocalDriver({
    ...store,
    isFilingDue: () => true,
    file() {
      filed += 1
    },
  })
  await driver.call('tip')
  const before = filed
  await driver[Symbol.asyncDispose]()
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  assert.equal(filed, before)
})

/** Background work runs after an answer and before the next. */
async function rest(log: EventLog): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await log.tip()
}

test('pauses filing for five seconds after a failure, while writes go on', async (t) => {
  let tries = 0
  const { log, tick } = open(t, () => ({
    isFilingDue: () => true,
    file() {
      tries += 1
      throw FULL
    },
  }))
  assert.equal((await log.append(createdEntry())).kind, 'appended')
  await rest(log)
  assert.equal(tries, 1)
  await tick(4)
  await rest(log)
  assert.equal(tries, 1)
  await tick(1)
  await rest(log)
  assert.equal(tries, 2)
})

test('truncates the write-ahead log on opening and after shredding, and retries while a reader blocks it', async (t) => {
  const busy = [false, true, true, false]
  const tries: boolean[] = []
  const { driver, log, tick } = open(t, () => ({
    truncateWal() {
      const isBusy = busy[tries.length] ?? false
      tries.push(!isBusy)
      return !isBusy
    },
  }))
  const entry = createdEntry()
  await log.append(entry)
  assert.deepEqual(tries, [true])
  await log.shred(entry.event.state.id)
  await tick(1)
  assert.deepEqual(tries, [true, false, false, true])
  await tick(60)
  assert.equal(tries.length, 4)
  await driver.call('tombstone', entry.event.state.id)
  assert.equal(tries.length, 5)
})

test('shredded data is gone from the write-ahead log, and a blocking reader delays no write', async (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const clock = () => instant(Date.now())
  const driver = new LocalDriver(openStore({ path, clock, sealer: openSealed, indexBodies: false }))
  t.after(() => driver[Symbol.asyncDispose]())
  const log = sqliteEventLog(driver, new Map())
  const sizeOfWal = (): number => statSync(`${path}-wal`).size
  const [one, two] = [createdEntry(), createdEntry()]
  await log.append(one)
  await log.append(two)
  assert.ok(sizeOfWal() > 0)
  await log.shred(one.event.state.id)
  assert.equal(sizeOfWal(), 0)

  const reader = openReader(path)
  reader.exec('begin; select count(*) from events')
  const began = performance.now()
  await log.shred(two.event.state.id)
  await log.append(createdEntry())
  assert.ok(performance.now() - began < 2 * BUSY_TIMEOUT_MS)
  assert.ok(sizeOfWal() > 0)
  reader.exec('commit')
  reader.close()
  while (sizeOfWal() > 0) await setImmediate()
})

test('a failed truncation does not fail the write, and is retried later', async (t) => {
  let isFull = true
  let tries = 0
  const { log, tick } = open(t, () => ({
    truncateWal() {
      tries += 1
      if (isFull) throw FULL
      return true
    },
  }))
  const [old, fresh] = [createdEntry(), createdEntry()]
  await log.append(old)
  const [, appended] = await Promise.all([log.shred(old.event.state.id), log.append(fresh)])
  assert.equal(appended.kind, 'appended')
  await tick(1)
  isFull = false
  await tick(1)
  const enough = tries
  assert.ok(enough >= 3)
  await tick(60)
  assert.equal(tries, enough)
})

test('retries due jobs after a pause while the disk is full', async (t) => {
  let isFull = false
  let tries = 0
  const { queue, tick } = open(t, (store) => ({
    promote() {
      tries += 1
      if (isFull) throw FULL
      store.promote()
    },
  }))
  await queue.put(someJob({ dueAt: later(NOON, seconds(5)) }))
  isFull = true
  await tick(5)
  for (let turn = 0; turn < 20; turn += 1) {
    await queue.depth()
    await tick(0.01)
  }
  assert.equal(tries, 1)
  isFull = false
  await tick(1)
  assert.equal(tries, 2)
  assert.equal(
    (await queue.depth()).reduce((sum, { ready }) => sum + ready, 0),
    1,
  )
})

test('jobs that became due while the store was closed become ready without a call', async (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const options = { path, sealer: openSealed, indexBodies: false }
  const before = new LocalDriver(openStore({ ...options, clock: () => NOON }))
  const job = someJob({ dueAt: later(NOON, seconds(5)) })
  await sqliteQueue(before, new Map()).put(job)
  await before[Symbol.asyncDispose]()

  const after = new LocalDriver(openStore({ ...options, clock: () => later(NOON, seconds(60)) }))
  await after.changed('readied', after.signals(), forever())
  const [taken] = await sqliteQueue(after, new Map()).take(1, forever())
  assert.equal(taken?.job.messageId, job.messageId)
  await after[Symbol.asyncDispose]()
})
