/** Background work of the driver: filing, truncating the write-ahead log, retrying. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { instant, later, seconds } from '../../lib/time.ts'
import { createdEntry, NOON, someMessage } from '../../ports/samples.contract.ts'
import { BUSY_TIMEOUT_MS, openReader } from './database.ts'
import { JournalProgress } from './journal/progress.ts'
import { LocalDriver } from './local-driver.ts'
import { openSqlite } from './sqlite.ts'
import { newFolder, UNSEALED } from './store.fixture.ts'
import { openStore, type Store } from './store.ts'

const FULL = Object.assign(new Error('database or disk is full'), { errcode: 13 })

/** A driver with parts of its store replaced, a clock to set, and timers that run by `tick`. */
function open(t: TestContext, replace: (store: Store) => Partial<Store>) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  let now = NOON
  const path = join(newFolder(t), 'pombo.db')
  const progress = new JournalProgress()
  const store = openStore({ path, clock: () => now, ...UNSEALED, progress, indexBodies: false })
  const driver = new LocalDriver({ ...store, ...replace(store) })
  t.after(() => driver[Symbol.asyncDispose]())
  return {
    driver,
    async tick(forSeconds: number): Promise<void> {
      now = later(now, seconds(forSeconds))
      t.mock.timers.tick(forSeconds * 1000)
      for (let turn = 0; turn < 3; turn += 1) await setImmediate()
    },
  }
}

test('files a little in every turn until done, without a call', async (t) => {
  let left = 5
  const { driver } = open(t, () => ({
    isFilingDue: () => left > 0,
    file() {
      left -= 1
    },
  }))
  await driver.call('index.positions', [])
  assert.ok(left >= 4)
  for (let turn = 0; turn < 10; turn += 1) await setImmediate()
  assert.equal(left, 0)
})

test('leaves unfiled entries for the next start when closed', async (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const progress = new JournalProgress()
  const store = openStore({ path, clock: () => NOON, ...UNSEALED, progress, indexBodies: false })
  let filed = 0
  const driver = new LocalDriver({
    ...store,
    isFilingDue: () => true,
    file() {
      filed += 1
    },
  })
  await driver.call('index.positions', [])
  const before = filed
  await driver[Symbol.asyncDispose]()
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  assert.equal(filed, before)
})

/** Background work runs after an answer and before the next. */
async function rest(driver: LocalDriver): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await driver.call('index.positions', [])
}

test('pauses filing for five seconds after a failure, while writes go on', async (t) => {
  let tries = 0
  const { driver, tick } = open(t, () => ({
    isFilingDue: () => true,
    file() {
      tries += 1
      throw FULL
    },
  }))
  await driver.call('health.prove', [])
  await rest(driver)
  assert.equal(tries, 1)
  await tick(4)
  await rest(driver)
  assert.equal(tries, 1)
  await tick(1)
  await rest(driver)
  assert.equal(tries, 2)
})

test('truncates the write-ahead log on opening and after shredding, and retries while a reader blocks it', async (t) => {
  const busy = [false, true, true, false]
  const tries: boolean[] = []
  const { driver, tick } = open(t, () => ({
    truncateWal() {
      const isBusy = busy[tries.length] ?? false
      tries.push(!isBusy)
      return !isBusy
    },
  }))
  const { id } = someMessage()
  await tick(0.1)
  assert.deepEqual(tries, [true])
  await driver.call('log.shred', [id])
  assert.deepEqual(tries, [true, false])
  await tick(1)
  assert.deepEqual(tries, [true, false, false, true])
  await tick(60)
  assert.equal(tries.length, 4)
  await driver.call('index.tombstone', [id])
  assert.equal(tries.length, 5)
})

test('a failed truncation does not fail the write, and is retried later', async (t) => {
  let isFull = true
  let tries = 0
  const { driver, tick } = open(t, () => ({
    truncateWal() {
      tries += 1
      if (isFull) throw FULL
      return true
    },
  }))
  await Promise.all([driver.call('log.shred', [someMessage().id]), driver.call('health.prove', [])])
  await tick(1)
  isFull = false
  await tick(1)
  const enough = tries
  assert.ok(enough >= 3)
  await tick(60)
  assert.equal(tries, enough)
})

test('shredded data is gone from the write-ahead log, and a blocking reader delays no write', async (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const clock = () => instant(Date.now())
  await using engine = await openSqlite({ path, clock, ...UNSEALED, indexBodies: false })
  const { log } = engine
  const sizeOfWal = (): number => statSync(`${path}-wal`).size
  const [one, two] = [createdEntry(), createdEntry()]
  await log.append(one)
  await log.append(two)
  await log.shred(one.event.state.id)
  assert.equal(sizeOfWal(), 0)
  const reader = openReader(path)
  reader.exec('begin; select count(*) from messages')
  const began = performance.now()
  await log.shred(two.event.state.id)
  await log.append(createdEntry())
  assert.ok(performance.now() - began < 2 * BUSY_TIMEOUT_MS)
  assert.ok(sizeOfWal() > 0)
  reader.exec('commit')
  reader.close()
  while (sizeOfWal() > 0) await setImmediate()
})
