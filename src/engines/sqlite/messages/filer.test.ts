import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { MessageId } from '../../../domain/ids.ts'
import type { MessageEvent } from '../../../domain/message/events.ts'
import type { Revision } from '../../../ports/event-log.ts'
import { ATTEMPTED, createdEntry, nextEntry, someContent, stopped } from '../../../ports/samples.contract.ts'
import { encodeFirst, encodeNext } from '../journal/frame.ts'
import { Journal } from '../journal/journal.ts'
import { JournalProgress } from '../journal/progress.ts'
import { newFolder, UNSEALED } from '../store.fixture.ts'
import { openStore, type Store } from '../store.ts'
import { parseEvents } from './event-codec.ts'

/** The tables and the journal in one thread, with full control over when a frame counts as durable. */
function open(t: TestContext) {
  const path = join(newFolder(t), 'pombo.db')
  const progress = new JournalProgress()
  const store = openStore({ path, clock: stopped, ...UNSEALED, progress, indexBodies: false })
  const { owner } = store.tables.log.reads.recovered()
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

const seqsOf = (store: Store, id: MessageId): readonly number[] =>
  parseEvents(store.tables.log.reads.read(id)?.[1] ?? '[]').map(([seq]) => seq)

const CONTENT = JSON.stringify(someContent())

test('a frame that becomes durable during a filing is left to the next one', async (t) => {
  const { store, progress, write } = open(t)
  const [created, attempted] = someStream()
  await write(encodeFirst(1, created, someContent(), CONTENT))
  await write(encodeNext(2, attempted, created.state))
  const { id } = created.state
  progress.durable = 1
  store.begin()
  store.tables.log.shreds.shred(id)
  progress.durable = 2
  store.tables.log.shreds.shred(id)
  store.commit()
  assert.deepEqual(seqsOf(store, id), [1, 2])
  store.begin()
  store.tables.log.shreds.shred(id)
  store.commit()
  assert.equal(store.tables.index.reads.positions().filed, 2)
  assert.deepEqual(store.tables.log.reads.content(id), [null, null])
})

test('reads see durable frames and nothing beyond them, filed or not', async (t) => {
  const { store, progress, write } = open(t)
  const [created, attempted] = someStream()
  await write(encodeFirst(1, created, someContent(), CONTENT))
  await write(encodeNext(2, attempted, created.state))
  const { id } = created.state
  const paged = () => store.tables.log.reads.page(0, 10).events.length
  progress.durable = 1
  assert.deepEqual([seqsOf(store, id), paged(), store.tables.log.reads.content(id)[0]], [[1], 1, CONTENT])
  progress.durable = 2
  assert.deepEqual([seqsOf(store, id), paged()], [[1, 2], 2])
  assert.equal(store.tables.index.reads.positions().filed, 0, 'nothing is filed')
})

test('a filing that is rolled back is filed again', async (t) => {
  const { store, write } = open(t)
  const [created, attempted] = someStream()
  await write(encodeFirst(1, created, someContent(), CONTENT))
  store.begin()
  store.tables.log.writes.positionBefore(0)
  store.rollback()
  await write(encodeNext(2, attempted, created.state))
  store.begin()
  store.tables.log.writes.positionBefore(0)
  store.commit()
  assert.equal(store.tables.index.reads.positions().filed, 2)
  assert.deepEqual(store.tables.log.reads.content(created.state.id), [CONTENT, null])
})
