/** Opens files as they are after a power cut: the engine must start, and keep what was promised. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { MessageId } from '../../src/domain/ids.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { tenant } from '../../src/ports/samples.contract.ts'
import type { Files } from './disk.ts'
import { isOurs, openInOneThread, type PoweredEngine, readLog, type Stored } from './engine.ts'
import { writeFiles } from './folder-files.ts'
import { assertKept, type Promised } from './promises.ts'
import { digestOf } from './workload.ts'

const NORTH = tenant('north')
const PAGE = 500
const OPEN: ReadonlySet<string> = new Set(['queued', 'sending'])

/** `folder` must be empty. */
export async function checkFiles(folder: string, files: Files, promised: Promised): Promise<void> {
  writeFiles(folder, files)
  await using engine = await openInOneThread(join(folder, 'pombo.db'))
  const stored = await readLog(engine)
  await checkEvents(engine, stored, promised)
  await checkContents(engine, promised)
  await checkChallenges(engine, promised)
  await checkIndex(engine, stored)
  await checkQueue(engine, stored)
}

type Log = ReadonlyMap<string, Stored>

async function checkEvents(engine: PoweredEngine, stored: Log, promised: Promised): Promise<void> {
  const { messages } = promised
  for (const [id, message] of stored)
    assert(messages.has(id) || !isOurs(message), 'there is no message that was not asked for')
  for (const [id, message] of messages) {
    const events = stored.get(id)?.events ?? []
    assertKept(message, events, promised)
    const read = (await engine.log.read(id as MessageId)).map(({ event }) => event.id)
    assert.deepEqual(read, events, 'a message has the events that the log has')
  }
}

async function checkContents(engine: PoweredEngine, { messages }: Promised): Promise<void> {
  for (const [id, { content, erasure }] of messages) {
    const loaded = await engine.log.load(id as MessageId)
    const body = loaded?.content?.channel === 'sms' ? loaded.content.body : undefined
    if (erasure === 'answered') assert.equal(body, undefined, 'erased content is gone')
    else if (body !== undefined || (erasure === 'none' && loaded !== undefined))
      assert.equal(digestOf(body ?? ''), content, 'the content is the one that was sent')
  }
}

async function checkChallenges(engine: PoweredEngine, { challenges }: Promised): Promise<void> {
  for (const [id, { asked, answered }] of challenges) {
    const attempts = (await engine.challenges.find({ tenantId: NORTH, id: id as MessageId }))?.attempts ?? -1
    assert(attempts >= answered && attempts <= asked, `${attempts} attempts, ${answered} answered, ${asked} asked for`)
  }
}

async function checkIndex({ index }: PoweredEngine, stored: Log): Promise<void> {
  const listed = new Map<string, MessageState>()
  for (let cursor: string | undefined; ; ) {
    const from = cursor === undefined ? {} : { cursor }
    const { rows, nextCursor } = await index.search({ tenantId: NORTH, filter: {}, limit: PAGE, ...from })
    for (const { state } of rows) listed.set(state.id, state)
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  const states = [...stored].flatMap(([id, message]) => (isOurs(message) ? [[id, message.state] as const] : []))
  assert.deepEqual(listed, new Map(states), 'the index has the messages and states of the log')
}

async function checkQueue({ queue }: PoweredEngine, stored: Log): Promise<void> {
  const open = [...stored.values()].filter(({ state }) => OPEN.has(state.handoffState)).length
  const jobs = (await queue.depth()).reduce((sum, { ready, delayed }) => sum + ready + delayed, 0)
  assert.equal(jobs, open, 'every unfinished message has a job')
}
