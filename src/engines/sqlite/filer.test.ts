import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Revision } from '../../ports/event-log.ts'
import { ATTEMPTED, createdEntry, nextEntry, someContent, stopped } from '../../ports/samples.contract.ts'
import { encodeFirst, encodeNext } from './journal/frame.ts'
import { Journal } from './journal/journal.ts'
import { JournalProgress } from './journal/progress.ts'
import { newFolder, UNSEALED } from './store.fixture.ts'
import { openStore } from './store.ts'

/** The tables and the journal in one thread, with full control over when a frame counts as durable. */
function open(t: TestContext) {
  const path = join(newFolder(t), 'pombo.db')
  const progress = new JournalProgress()
  const store = openStore({ path, clock: stopped, ...UNSEALED, progress, indexBodies: false })
  const { owner } = store.methods.recovered()
  const journal = new Journal({ database: path, owner, last: 0, sealing: UNSEALED.sealing, progress })
  t.after(() => {
    store.close()
    return journal[Symbol.asyncDispose]()
  })
  return {
    store,
    progress,
    write: (line: string) =>
      new Promise<void>((onDurable, onFailed) => journal.add({ lines: [line], onDurable, onFailed })),
  }
}

function someStream(): readonly [created: MessageEvent, attempted: MessageEvent] {
  const { event } = createdEntry()
  return [event, nextEntry({ revision: 1 as Revision, event }, ATTEMPTED).event]
}

const CONTENT = JSON.stringify(someContent())

test('a frame that becomes durable during a filing is left to the next one', async (t) => {
  const { store, progress, write } = open(t)
  const [created, attempted] = someStream()
  await write(encodeFirst(1, created, someContent(), CONTENT))
  await write(encodeNext(2, attempted))
  const { id } = created.state
  progress.durable = 1
  store.begin()
  store.methods.shred(id)
  progress.durable = 2
  store.methods.shred(id)
  store.commit()
  assert.deepEqual(
    store.methods.read(id).map(([seq]) => seq),
    [1, 2],
  )
  store.begin()
  store.methods.shred(id)
  store.commit()
  assert.equal(store.methods.position(), 2)
  assert.deepEqual(store.methods.content(id), [null, null])
})

test('reads see durable frames and nothing beyond them, filed or not', async (t) => {
  const { store, progress, write } = open(t)
  const [created, attempted] = someStream()
  await write(encodeFirst(1, created, someContent(), CONTENT))
  await write(encodeNext(2, attempted))
  const { id } = created.state
  const seqs = () => store.methods.read(id).map(([seq]) => seq)
  progress.durable = 1
  assert.deepEqual([seqs(), store.methods.page(0, 10).length, store.methods.content(id)[0]], [[1], 1, CONTENT])
  progress.durable = 2
  assert.deepEqual([seqs(), store.methods.page(0, 10).length], [[1, 2], 2])
  assert.equal(store.methods.position(), 0, 'nothing is filed')
})

test('a filing that is rolled back is filed again', async (t) => {
  const { store, write } = open(t)
  const [created, attempted] = someStream()
  await write(encodeFirst(1, created, someContent(), CONTENT))
  store.begin()
  store.methods.positionBefore(0)
  store.rollback()
  await write(encodeNext(2, attempted))
  store.begin()
  store.methods.positionBefore(0)
  store.commit()
  assert.equal(store.methods.position(), 2)
  assert.deepEqual(store.methods.content(created.state.id), [CONTENT, null])
})
