/** Opens files as they are after a power cut: the engine must start, and keep what was promised. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { MessageId } from '../../src/domain/ids.ts'
import { instant, later } from '../../src/lib/time.ts'
import type { Row } from '../../src/ports/message-index.ts'
import { earlier, hours, NOON, someMessage } from '../../src/ports/samples.contract.ts'
import { assertLikeRebuilt } from '../support/derived-index.ts'
import type { Files } from './disk.ts'
import { checkEarlier } from './earlier-check.ts'
import { isOurs, openInOneThread, type PoweredEngine, readLog, type Stored } from './engine.ts'
import { writeFiles } from './folder-files.ts'
import { assertKept, digestOf, type Promised } from './promises.ts'

const SOME = someMessage()
const NORTH = SOME.tenantId
const DAY = hours(24)
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
  const listed = await checkIndex(engine, stored)
  await checkEarlier(engine, promised, listed)
  await checkWebhooks(engine, stored, promised)
  await checkQueue(engine, stored)
  await assertLikeRebuilt(engine, { tenantId: NORTH, from: earlier(NOON, DAY), to: later(instant(Date.now()), DAY) })
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
    if (erasure === 'answered') assert.equal(loaded?.content, undefined, 'erased content is gone')
    else if (loaded?.content !== undefined || (erasure === 'none' && loaded !== undefined))
      assert.equal(digestOf(loaded.content), content, 'the content is the one that was sent')
  }
}

async function checkChallenges(engine: PoweredEngine, { challenges }: Promised): Promise<void> {
  for (const [id, { asked, answered }] of challenges) {
    const attempts = (await engine.challenges.find({ tenantId: NORTH, id: id as MessageId }))?.attempts ?? -1
    assert(attempts >= answered && attempts <= asked, `${attempts} attempts, ${answered} answered, ${asked} asked for`)
  }
}

async function checkIndex({ index }: PoweredEngine, stored: Log): Promise<ReadonlyMap<string, Row>> {
  const listed = new Map<string, Row>()
  for (let cursor: string | undefined; ; ) {
    const from = cursor === undefined ? {} : { cursor }
    const { rows, nextCursor } = await index.search({ tenantId: NORTH, filter: {}, limit: PAGE, ...from })
    for (const row of rows) listed.set(row.state.id, row)
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  const states = [...stored].flatMap(([id, message]) => (isOurs(message) ? [[id, message.state] as const] : []))
  const found = [...listed].map(([id, { state }]) => [id, state] as const)
  assert.deepEqual(new Map(found), new Map(states), 'the index has the messages and states of the log')
  return listed
}

/** Through the newest event of every message with a callback, unless an earlier release had queued it. */
async function checkWebhooks(engine: PoweredEngine, stored: Log, { messages }: Promised): Promise<void> {
  const queued = new Map<string, number>()
  for (let cursor: string | undefined; ; ) {
    const from = cursor === undefined ? {} : { cursor }
    const { tenantId, accountId } = SOME
    const page = await engine.webhookDeliveries.list({ tenantId, accountId, limit: PAGE, ...from })
    for (const { subjectId, wantedThrough } of page.webhookDeliveries) queued.set(subjectId, wantedThrough)
    if (page.nextCursor === undefined) break
    cursor = page.nextCursor
  }
  const owed = [...stored].flatMap(([id, { state, last }]) =>
    state.callback === true && last > (messages.get(id)?.earlier?.queuedThrough ?? 0) ? [[id, last] as const] : [],
  )
  assert.deepEqual(queued, new Map(owed), 'every event has its webhook delivery')
}

async function checkQueue({ queue }: PoweredEngine, stored: Log): Promise<void> {
  const open = [...stored.values()].filter(({ state }) => OPEN.has(state.handoffState)).length
  const jobs = (await queue.depth()).reduce((sum, { ready, delayed }) => sum + ready + delayed, 0)
  assert.equal(jobs, open, 'every unfinished message has a job')
}
