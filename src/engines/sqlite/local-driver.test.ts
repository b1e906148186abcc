import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { NOON, present, stopped, tenant } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type Driver, remote } from './driver.ts'
import { JournalProgress } from './journal/progress.ts'
import { LocalDriver } from './local-driver.ts'
import { newFolder, UNSEALED } from './store.fixture.ts'
import { openStore, type Store, type StoreMethods } from './store.ts'

/** What SQLite throws when the disk is full, and when a write fails. */
const FULL = Object.assign(new Error('database or disk is full'), { errcode: 13 })
const BROKEN = Object.assign(new Error('disk I/O error'), { errcode: 10 | (3 << 8) })

/** A driver on a real file, with parts of its store replaced. */
function open(t: TestContext, replace: (store: Store) => Partial<Store> = () => ({})) {
  const path = join(newFolder(t), 'pombo.db')
  const progress = new JournalProgress()
  const store = openStore({ path, clock: stopped, ...UNSEALED, progress, indexBodies: false })
  const driver: Driver<StoreMethods> = new LocalDriver({ ...store, ...replace(store) })
  t.after(() => driver[Symbol.asyncDispose]())
  const { add, find } = remote(driver, 'templates')
  return {
    filing: remote(driver, 'index'),
    recovered: remote(driver, 'log').recovered,
    add: (name: string) => present(add(templateOf(name))),
    find: (name: string) => find(tenant('north'), name, ['en']),
  }
}

const templateOf = (name: string) => ({
  tenantId: tenant('north'),
  name,
  locale: 'en',
  channel: 'sms' as const,
  texts: { text: 'Hello' },
  createdAt: NOON,
})

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

test('writes that arrive together share one transaction, others have one each', async (t) => {
  const { counts, replace } = counted()
  const { add } = open(t, replace)
  const added = await Promise.all(Array.from({ length: 50 }, () => add('one')))
  assert.deepEqual(
    added.map(({ version }) => version),
    added.map((_, nth) => nth + 1),
  )
  assert.equal(counts.committed, 1)
  for (const name of ['two', 'three', 'four']) await add(name)
  assert.equal(counts.committed, 4)
})

test('answers after the transaction is committed and on disk', async (t) => {
  const order: string[] = []
  const onDisk: (() => void)[] = []
  const { add } = open(t, (store) => ({
    commit() {
      store.commit()
      order.push('committed')
    },
    whenDurable: (done) => {
      onDisk.push(done)
    },
  }))
  const answers = Promise.all(['one', 'two'].map((name) => add(name).then(() => order.push('answered'))))
  while (onDisk.length === 0) await setImmediate()
  await setImmediate()
  order.push('on disk')
  for (const done of onDisk) done()
  await answers
  assert.deepEqual(order, ['committed', 'on disk', 'answered', 'answered'])
})

test('a failing call does not fail the others, and leaves no trace', async (t) => {
  const { add, find } = open(t, ({ tables }) => {
    const { templates } = tables
    const failing: typeof templates.writes.add = (template) => {
      const added = templates.writes.add(template)
      if (template.name === 'bad') throw new Error('a bug of ours')
      return added
    }
    return { tables: { ...tables, templates: { ...templates, writes: { ...templates.writes, add: failing } } } }
  })
  const [first, failed, second] = await Promise.allSettled([add('one'), add('bad'), add('two')])
  assert.deepEqual([first?.status, second?.status], ['fulfilled', 'fulfilled'])
  assert.ok(failed?.status === 'rejected' && failed.reason instanceof Unavailable)
  assert.match(String(failed.reason.cause), /a bug of ours/)
  assert.equal(await find('bad'), undefined)
  assert.ok((await find('two')) !== undefined)
})

for (const error of [FULL, BROKEN]) {
  test(`a disk error (${error.message}) fails all calls, changes nothing, and the store goes on`, async (t) => {
    const { counts, trouble, replace } = counted()
    const { add, find } = open(t, replace)
    await add('before')
    trouble.push(error)
    const results = await Promise.allSettled([add('one'), add('two')])
    assert.ok(results.every((result) => result.status === 'rejected' && result.reason instanceof Unavailable))
    assert.equal(counts.begun, 2)
    assert.equal(await find('one'), undefined)
    assert.equal((await add('one')).version, 1)
  })
}

test('reads see only committed data: earlier writes of the same turn, or nothing of them', async (t) => {
  const { trouble, replace } = counted()
  const { add, find } = open(t, replace)
  const [, seen] = await Promise.all([add('good'), find('good')])
  assert.ok(seen !== undefined)
  trouble.push(FULL)
  const [, unseen] = await Promise.allSettled([add('bad'), find('bad')])
  assert.deepEqual(unseen, { status: 'fulfilled', value: undefined })
})

test('a failing read rejects only its own caller', async (t) => {
  const fault = new Error('a bug of ours')
  const { recovered, filing } = open(t, ({ tables }) => {
    const failing = (): never => {
      throw fault
    }
    return { tables: { ...tables, log: { ...tables.log, reads: { ...tables.log.reads, recovered: failing } } } }
  })
  const [failed, positions] = await Promise.allSettled([recovered(), filing.positions()])
  assert.deepEqual(failed, { status: 'rejected', reason: fault })
  assert.deepEqual(positions, { status: 'fulfilled', value: { tip: 0, filed: 0, unfiledSince: undefined } })
})

test('the index has transactions of its own, one at a time, after the writes and independent of their failures', async (t) => {
  const order: string[] = []
  const { filing, add } = open(t, ({ commit, tables }) => {
    const { index } = tables
    const fileSome = (position: number): void => {
      order.push(`file ${position}`)
      if (position === 2) throw new Error('a bug of ours')
      index.background.fileSome(position)
    }
    return {
      commit() {
        order.push('commit')
        commit()
      },
      tables: { ...tables, index: { ...index, background: { ...index.background, fileSome } } },
    }
  })
  const filed = Promise.allSettled([1, 2, 3].map(filing.fileSome))
  await Promise.all([add('one'), filing.positions()])
  const [one, two, three] = await filed
  assert.deepEqual(
    [one, two, three].map((result) => result?.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(order, ['commit', 'file 1', 'commit', 'file 2', 'file 3', 'commit'])
})

test('answers calls made before disposing', async (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const progress = new JournalProgress()
  const store = openStore({ path, clock: stopped, ...UNSEALED, progress, indexBodies: false })
  const driver: Driver<StoreMethods> = new LocalDriver(store)
  const { add, find } = remote(driver, 'templates')
  const answers = Promise.all([add(templateOf('one')), find(tenant('north'), 'one', ['en'])])
  await driver[Symbol.asyncDispose]()
  assert.ok((await answers)[1] !== undefined)
  await setImmediate()
})
