import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import { instant, later, millis, seconds } from '../../lib/time.ts'
import type { Entry } from '../../ports/event-log.ts'
import {
  createdEntry,
  forever,
  jobOf,
  NOON,
  someContent,
  someJob,
  someMessage,
  stopped,
} from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { sqliteEventLog } from './event-log.ts'
import { LocalDriver } from './local-driver.ts'
import { type Prefetched, sqliteQueue } from './queue.ts'
import { newFolder, openSealed } from './store.fixture.ts'
import { openStore, type Store } from './store.ts'

/** What SQLite throws when the disk is full, and when a write fails. */
const FULL = Object.assign(new Error('database or disk is full'), { errcode: 13 })
const BROKEN = Object.assign(new Error('disk I/O error'), { errcode: 10 | (3 << 8) })

/** A driver on a real file, with parts of its store replaced. */
function open(t: TestContext, replace: (store: Store) => Partial<Store> = () => ({}), clock: Clock = stopped) {
  const path = join(newFolder(t), 'pombo.db')
  const store = openStore({ path, clock, sealer: openSealed, indexBodies: false })
  const driver = new LocalDriver({ ...store, ...replace(store) })
  t.after(() => driver[Symbol.asyncDispose]())
  const prefetched: Prefetched = new Map()
  return { driver, log: sqliteEventLog(driver, prefetched), queue: sqliteQueue(driver, prefetched) }
}

/** Counts transactions, and fails chosen ones. */
function counted() {
  const counts = { begun: 0, committed: 0 }
  const trouble: Error[] = []
  const replace = (store: Store): Partial<Store> => ({
    begin() {
      counts.begun += 1
      store.begin()
    },
    commit() {
      const error = trouble.shift()
      if (error !== undefined) throw error
      store.commit()
      counts.committed += 1
    },
  })
  return { counts, trouble, replace }
}

const entries = (count: number): Entry[] => Array.from({ length: count }, () => createdEntry())
const idOf = ({ event }: Entry) => event.state.id

test('writes that arrive together share one transaction, others have one each', async (t) => {
  const { counts, replace } = counted()
  const { log, queue } = open(t, replace)
  const put = queue.put(someJob())
  const results = await Promise.all(entries(50).map((entry) => log.append(entry)))
  assert.equal(results.filter(({ kind }) => kind === 'appended').length, 50)
  assert.equal(await put, true)
  assert.equal(counts.committed, 1)
  for (const entry of entries(3)) await log.append(entry)
  assert.equal(counts.committed, 4)
})

test('answers after the transaction is committed and on disk', async (t) => {
  const order: string[] = []
  const onDisk: (() => void)[] = []
  const { log } = open(t, (store) => ({
    commit() {
      store.commit()
      order.push('committed')
    },
    whenDurable: (done) => {
      onDisk.push(done)
    },
  }))
  const answers = Promise.all(entries(2).map((entry) => log.append(entry).then(() => order.push('answered'))))
  while (onDisk.length === 0) await setImmediate()
  await setImmediate()
  order.push('on disk')
  for (const done of onDisk) done()
  await answers
  assert.deepEqual(order, ['committed', 'on disk', 'answered', 'answered'])
})

test('a failing call does not fail the others, and leaves no trace', async (t) => {
  const [one, bad, two] = [createdEntry(), createdEntry(), createdEntry()]
  const { log } = open(t, ({ methods }) => ({
    methods: {
      ...methods,
      append(...row) {
        const seq = methods.append(...row)
        if (row[0] === idOf(bad)) throw new Error('a bug of ours')
        return seq
      },
    },
  }))
  const [first, failed, second] = await Promise.allSettled([one, bad, two].map((entry) => log.append(entry)))
  assert.deepEqual([first?.status, second?.status], ['fulfilled', 'fulfilled'])
  assert.ok(failed?.status === 'rejected' && failed.reason instanceof Unavailable)
  assert.match(String(failed.reason.cause), /a bug of ours/)
  assert.equal(await log.latest(idOf(bad)), undefined)
  assert.equal(await log.tip(), 2)
  assert.deepEqual((await log.load(idOf(two)))?.content, someContent())
})

for (const error of [FULL, BROKEN]) {
  test(`a disk error (${error.message}) fails all calls, changes nothing, and the store goes on`, async (t) => {
    const { counts, trouble, replace } = counted()
    const { log, queue } = open(t, replace)
    await log.append(createdEntry())
    trouble.push(error)
    const [one, two] = [createdEntry(), createdEntry()]
    const job = someJob()
    const results = await Promise.allSettled([log.append(one), log.append(two), queue.put(job)])
    assert.ok(results.every((result) => result.status === 'rejected' && result.reason instanceof Unavailable))
    assert.equal(counts.begun, 2)
    assert.deepEqual([await log.tip(), await log.latest(idOf(one))], [1, undefined])

    assert.deepEqual(await log.append(one), { kind: 'appended', revision: 2 })
    await queue.put(job)
    assert.deepEqual(
      (await queue.take(2, forever())).map((taken) => taken.job),
      [job],
    )
  })
}

test('a job whose end could not be stored is redelivered when its lease expires', async (t) => {
  let now = NOON
  const { trouble, replace } = counted()
  const { queue } = open(t, replace, () => now)
  const job = someJob()
  await queue.put(job)
  const [taken] = await queue.take(1, forever())
  assert.ok(taken !== undefined)
  trouble.push(FULL, FULL)
  await assert.rejects(queue.done(taken), Unavailable)
  await assert.rejects(queue.release(taken, NOON), Unavailable)
  now = later(now, seconds(120))
  assert.deepEqual(
    (await queue.take(1, forever())).map((again) => again.job),
    [job],
  )
})

test('reads see only committed data: earlier writes of the same turn, or nothing of them', async (t) => {
  const { trouble, replace } = counted()
  const { log } = open(t, replace)
  const [good, bad] = [createdEntry(), createdEntry()]
  const [, seen] = await Promise.all([log.append(good), log.latest(idOf(good))])
  assert.deepEqual(seen?.event, good.event)
  trouble.push(FULL)
  const [, unseen] = await Promise.allSettled([log.append(bad), log.latest(idOf(bad))])
  assert.deepEqual(unseen, { status: 'fulfilled', value: undefined })
})

test('a failing read rejects only its own caller', async (t) => {
  const fault = new Error('a bug of ours')
  const { driver } = open(t, ({ methods }) => ({
    methods: {
      ...methods,
      depth: () => {
        throw fault
      },
    },
  }))
  const [depth, tip] = await Promise.allSettled([driver.call('depth'), driver.call('tip')])
  assert.deepEqual(depth, { status: 'rejected', reason: fault })
  assert.deepEqual(tip, { status: 'fulfilled', value: 0 })
})

test('the index has transactions of its own, one at a time, after the writes and independent of their failures', async (t) => {
  const order: string[] = []
  const { driver, log } = open(t, ({ commit, methods }) => ({
    commit() {
      order.push('commit')
      commit()
    },
    methods: {
      ...methods,
      apply(projections, through) {
        order.push(`apply ${through}`)
        if (through === 2) throw new Error('a bug of ours')
        methods.apply(projections, through)
      },
    },
  }))
  const applying = Promise.allSettled([1, 2, 3].map((through) => driver.call('apply', [], through)))
  await Promise.all([log.append(createdEntry()), log.tip()])
  const [one, two, three] = await applying
  assert.deepEqual(
    [one, two, three].map((result) => result?.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(order, ['commit', 'apply 1', 'commit', 'apply 2', 'apply 3', 'commit'])
  assert.deepEqual([await driver.call('position'), await log.tip()], [3, 1])
})

test('answers a write only after it is synced to disk', async (t) => {
  const forced = Promise.withResolvers<() => void>()
  const { log } = open(t, () => ({ whenDurable: forced.resolve }))
  let isAnswered = false
  const appending = log.append(createdEntry()).then(() => {
    isAnswered = true
  })
  const done = await forced.promise
  assert.equal(await log.tip(), 1)
  assert.equal(isAnswered, false)
  done()
  await appending
})

test('delayed jobs become ready by themselves and wake waiting workers', async (t) => {
  const { queue } = open(t, undefined, () => instant(Date.now()))
  const dueAt = later(instant(Date.now()), millis(30))
  const job = someJob({ dueAt })
  await queue.put(job)
  const [taken] = await queue.take(1, forever())
  assert.equal(taken?.job.messageId, job.messageId)
  assert.ok(Date.now() >= dueAt)
})

test('a message comes along with its job and is loaded from there once, but never after it was shredded', async (t) => {
  let loads = 0
  const { log, queue } = open(t, ({ methods }) => ({
    methods: {
      ...methods,
      load(id) {
        loads += 1
        return methods.load(id)
      },
    },
  }))
  const [mine, yours] = [someMessage(), someMessage()]
  for (const message of [mine, yours]) await log.append(createdEntry(message, someContent(), jobOf(message)))
  await queue.take(2, forever())
  await log.shred(mine.id)
  assert.equal((await log.load(mine.id))?.content, undefined)
  assert.deepEqual([(await log.load(yours.id))?.content, loads], [someContent(), 1])
  await log.load(yours.id)
  assert.equal(loads, 2)
})

test('answers calls made before disposing', async (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const driver = new LocalDriver(openStore({ path, clock: stopped, sealer: openSealed, indexBodies: false }))
  const log = sqliteEventLog(driver, new Map())
  const entry = createdEntry()
  const answers = Promise.all([log.append(entry), log.latest(idOf(entry))])
  await driver[Symbol.asyncDispose]()
  assert.deepEqual((await answers)[1]?.event, entry.event)
  await setImmediate()
})
