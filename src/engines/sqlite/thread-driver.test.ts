import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openClock } from '../../lib/clock.ts'
import { eventLogContract } from '../../ports/event-log.contract.ts'
import { forever } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { StoreThreadData } from '../../profiles/store-thread.ts'
import { DatabaseDamaged } from './damage.ts'
import { openReader } from './database.ts'
import type { EchoData, EchoMethods } from './echo-thread.fixture.ts'
import { ReaderDriver } from './reader-driver.ts'
import { openSearch } from './search.ts'
import { toEngine } from './sqlite.ts'
import type { StoreMethods } from './store.ts'
import { openThread, serveThread } from './thread-driver.ts'

const ENTRY = new URL('./echo-thread.fixture.ts', import.meta.url)
const STORE = new URL('../../profiles/store-thread.ts', import.meta.url)
const openEcho = (data: EchoData = {}) => openThread<EchoMethods>(ENTRY, data)

test('every call is answered with its own answer, and those of one turn travel together', async () => {
  await using thread = await openEcho()
  const values = [1, 'two', { three: [3] }, null, undefined, new Uint8Array([4])]
  assert.deepEqual(await Promise.all(values.map((value) => thread.call('echo', value))), values)
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => thread.call('together'))), [3, 3, 3])
})

test('an error comes back as an error, Unavailable as Unavailable, and neither harms the others', async () => {
  await using thread = await openEcho()
  const results = await Promise.allSettled([
    thread.call('fault', 'a bug of ours'),
    thread.call('unavailable', 'no disk'),
    thread.call('echo', 'fine'),
  ])
  const [fault, unavailable] = results.map((result) => (result.status === 'rejected' ? result.reason : undefined))
  assert.ok(fault instanceof Error && !(fault instanceof Unavailable))
  assert.equal(fault.message, 'a bug of ours')
  assert.ok(unavailable instanceof Unavailable)
  assert.equal(unavailable.message, 'no disk')
  assert.deepEqual(results[2], { status: 'fulfilled', value: 'fine' })
})

test('damage to the file comes back as such, and the first of it is remembered', async () => {
  await using thread = await openEcho()
  const known = (): string | undefined => thread.damage?.message
  await assert.rejects(thread.call('fault', 'a bug of ours'))
  assert.equal(known(), undefined)
  await assert.rejects(thread.call('damaged', 'a page'), DatabaseDamaged)
  await assert.rejects(thread.call('damaged', 'another'), DatabaseDamaged)
  assert.equal(known(), 'a page')
})

test('when the thread ends by itself, calls under way and later ones are told that it is not there', async () => {
  const thread = await openEcho()
  const underWay = thread.call('never')
  thread.call('exit').catch(() => undefined)
  await assert.rejects(underWay, Unavailable)
  await assert.rejects(thread.call('echo', 1), Unavailable)
  await thread[Symbol.asyncDispose]()
})

test('disposing answers what was asked before, ends the thread, and then nobody is there', async () => {
  const thread = await openEcho()
  const asked = thread.call('echo', 'before')
  await thread[Symbol.asyncDispose]()
  assert.equal(await asked, 'before')
  await assert.rejects(thread.call('echo', 'after'), Unavailable)
  await thread[Symbol.asyncDispose]()
})

test('signals travel with an answer, and by themselves when there is none', async () => {
  await using thread = await openEcho()
  const before = thread.signals()
  await thread.call('write')
  assert.deepEqual(thread.signals(), { ...before, tip: before.tip + 1 })
  const readied = thread.changed('readied', thread.signals(), forever())
  await thread.call('readyLater')
  assert.equal(thread.signals().readied, before.readied)
  await readied
  assert.equal(thread.signals().readied, before.readied + 1)
})

test('a thread that cannot start says why, and with which exit code', async () => {
  const failure = { message: 'another Pombo is using the data folder', exitCode: 73 }
  await assert.rejects(openEcho({ failure }), failure)
  await assert.rejects(openEcho({ failure: { message: 'no luck' } }), { message: 'no luck', exitCode: undefined })
})

test('a thread whose entry is broken says so', async () => {
  await assert.rejects(openThread(new URL('./no-such-file.fixture.ts', import.meta.url), {}), {
    code: /MODULE_NOT_FOUND/,
  })
})

test('the entry of a thread is not to be run as a program', async () => {
  await assert.rejects(
    serveThread(null, async () => assert.fail('nobody asked for it')),
    /entry of a worker thread/,
  )
})

eventLogContract('sqlite in a thread', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-thread-'))
  const path = join(folder, 'pombo.db')
  const data: StoreThreadData = {
    path,
    masterKey: randomBytes(32),
    indexBodies: false,
    clock: openClock(() => undefined).shared,
  }
  const writer = await openThread<StoreMethods>(STORE, data)
  const db = openReader(path)
  const reader = new ReaderDriver(db, openSearch(db))
  return {
    ...toEngine(writer, reader),
    async [Symbol.asyncDispose]() {
      await reader[Symbol.asyncDispose]()
      await writer[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
})
