import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { instant, later, seconds } from '../../lib/time.ts'
import { NOON, tenant } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { JournalProgress } from './journal/progress.ts'
import { LocalDriver } from './local-driver.ts'
import { newFolder, UNSEALED } from './store.fixture.ts'
import { openStore } from './store.ts'

const TEMPLATE = {
  tenantId: tenant('north'),
  name: 'hello',
  locale: 'en',
  channel: 'sms',
  texts: { text: 'Hello' },
  createdAt: NOON,
} as const

const FULL = Object.assign(new Error('database or disk is full'), { errcode: 13 })

/** A driver on a real file whose commits can be made to fail, and access to the row that proves a write. */
function open(t: TestContext) {
  const path = join(newFolder(t), 'pombo.db')
  let [now, isFull] = [instant(NOON), false]
  const progress = new JournalProgress()
  const store = openStore({ path, clock: () => now, ...UNSEALED, progress, indexBodies: false })
  const commit = (): void => {
    if (isFull) throw FULL
    store.commit()
  }
  const driver = new LocalDriver({ ...store, commit })
  const reader = new DatabaseSync(path, { readOnly: true })
  t.after(() => driver[Symbol.asyncDispose]())
  t.after(() => reader.close())
  const heartbeat = reader.prepare(`select position from progress where name = 'heartbeat'`)
  return {
    removeMissing: () => driver.call('templates.remove', [TEMPLATE.tenantId, 'missing', undefined]),
    add: () => driver.call('templates.add', [TEMPLATE]),
    prove: () => driver.call('health.prove', []),
    beatAt: () => heartbeat.get()?.['position'],
    pass: (wait: number) => {
      now = later(now, seconds(wait))
      return now
    },
    setFull: (full: boolean) => {
      isFull = full
    },
  }
}

test('proves a write by making one, and then trusts it for a while', async (t) => {
  const { prove, beatAt, pass } = open(t)
  await prove()
  assert.equal(beatAt(), NOON)
  pass(2)
  await prove()
  assert.equal(beatAt(), NOON, 'it was proven two seconds ago')
  const at = pass(1)
  await prove()
  assert.equal(beatAt(), at)
})

test('other writes prove it as well, unless they change nothing', async (t) => {
  const { prove, beatAt, pass, add, removeMissing } = open(t)
  await add()
  await prove()
  assert.equal(beatAt(), undefined)
  const at = pass(3)
  assert.equal(await removeMissing(), false)
  await prove()
  assert.equal(beatAt(), at)
})

test('after a failure only a successful write restores trust', async (t) => {
  const { prove, beatAt, pass, add, setFull } = open(t)
  await prove()
  setFull(true)
  await assert.rejects(add(), Unavailable)
  for (const _ of [1, 2]) await assert.rejects(prove(), Unavailable)
  setFull(false)
  const at = pass(1)
  await prove()
  assert.equal(beatAt(), at, 'though the last proof was a second ago')
})
