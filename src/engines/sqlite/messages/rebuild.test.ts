import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { BatchId } from '../../../domain/ids.ts'
import { later, seconds } from '../../../lib/time.ts'
import { loggedIndex } from '../../../ports/filled-index.contract.ts'
import { idsOf, NORTH, type SampleMessage } from '../../../ports/index-samples.contract.ts'
import type { Filter } from '../../../ports/message-index.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  DEAD,
  delivered,
  hours,
  NOON,
  someContent,
  someMessage,
  stopped,
} from '../../../ports/samples.contract.ts'
import { remote } from '../driver.ts'
import { openSqlite } from '../sqlite.ts'
import { newFolder, openSealed, UNSEALED } from '../store.fixture.ts'

const COUNT = 300
const BATCH = 'upload-1' as BatchId
const open = (path: string) => openSqlite({ path, clock: stopped, ...UNSEALED, indexBodies: true })
type Engine = Awaited<ReturnType<typeof open>>

/** Messages in several states, one after the other. */
const stories = Array.from({ length: COUNT }, (_, nth): SampleMessage => {
  const facts = [[], [ATTEMPTED], [ATTEMPTED, ACCEPTED], [ATTEMPTED, ACCEPTED, delivered()], [ATTEMPTED, DEAD]][nth % 5]
  const named = nth % 3 === 0 ? { batchId: BATCH, template: 'welcome' } : {}
  return { message: someMessage({ createdAt: later(NOON, seconds(nth)), ...named }), facts: facts ?? [] }
})

async function filled(t: TestContext): Promise<string> {
  const path = join(newFolder(t), 'pombo.db')
  await using engine = loggedIndex(await open(path))
  const [first] = await engine.put(...stories)
  assert.ok(first !== undefined)
  await engine.index.search({ tenantId: NORTH, filter: {}, limit: 1 })
  await engine.happen(first, { kind: 'MessageErased' })
  return path
}

const FILTERS: readonly Filter[] = [
  {},
  { tag: 'welcome' },
  { text: 'welcome' },
  { text: '4711' },
  { toKey: openSealed.blind(NORTH, someContent().to) },
  { providerMessageId: 'SM1' },
  { batchId: BATCH },
  { template: 'welcome' },
  { errorCode: 'CARRIER_BLOCKED' },
  { status: 'delivered' },
  { dead: true },
]

/** Everything that readers see of what is derived. */
function derivedOf({ index }: Engine): Promise<readonly unknown[]> {
  const range = { tenantId: NORTH, from: NOON, to: later(NOON, hours(1)) }
  const overdue = { through: later(NOON, hours(1)), limit: COUNT }
  return Promise.all([
    ...FILTERS.map((filter) => index.search({ tenantId: NORTH, filter, limit: COUNT })),
    index.stats({ ...range, bucket: hours(1) }),
    index.errors({ ...range, limit: 9 }),
    index.overdue({ ...overdue, kind: 'silent' }),
    index.overdue({ ...overdue, kind: 'stalled' }),
  ])
}

const rebuild = ({ writer }: Engine, after: number, limit: number) => remote(writer, 'index').rebuild(after, limit)

async function rebuildAll(engine: Engine): Promise<number> {
  let events = 0
  let part = await rebuild(engine, 0, 100)
  for (; part !== undefined; part = await rebuild(engine, part.through, 100)) events += part.events
  return events
}

test('what is derived is the same after a rebuild, and after a restart', async (t) => {
  const path = await filled(t)
  let before: readonly unknown[]
  {
    await using engine = await open(path)
    before = await derivedOf(engine)
    assert.equal(await rebuildAll(engine), await engine.log.tip())
    assert.deepEqual(await derivedOf(engine), before)
  }
  await using reopened = await open(path)
  assert.deepEqual(await derivedOf(reopened), before)
})

test('repairs what was lost', async (t) => {
  const path = await filled(t)
  await using engine = await open(path)
  const before = await derivedOf(engine)
  await rebuild(engine, 0, 1)
  assert.notDeepEqual(await derivedOf(engine), before)
  await rebuildAll(engine)
  assert.deepEqual(await derivedOf(engine), before)
})

test('a rebuild that was interrupted loses no message, and the next one completes it', async (t) => {
  const path = await filled(t)
  let before: readonly unknown[]
  {
    await using engine = await open(path)
    before = await derivedOf(engine)
    await rebuild(engine, 0, COUNT / 3)
  }
  await using engine = await open(path)
  const { log, index } = engine
  const { rows } = await index.search({ tenantId: NORTH, filter: {}, limit: COUNT })
  assert.equal(idsOf(rows).length, COUNT)
  for (const { message } of stories) {
    assert.deepEqual(await log.append(createdEntry(someMessage(message))), { kind: 'duplicate' })
  }
  await rebuildAll(engine)
  assert.deepEqual(await derivedOf(engine), before)
})

test('the log is the same during and after a rebuild', async (t) => {
  const path = await filled(t)
  await using engine = await open(path)
  const [{ message } = {}] = stories
  const { id } = someMessage(message)
  const before = await engine.log.read(id)
  assert.equal(before.length, 2)
  await rebuild(engine, 0, 1)
  assert.deepEqual(await engine.log.read(id), before)
  await rebuildAll(engine)
  assert.deepEqual(await engine.log.read(id), before)
})
