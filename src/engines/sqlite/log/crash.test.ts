/**
 * Crashes at random moments, by copying the files as they are and opening the copy: everything answered is there, once
 * and in order, nothing else is, and the index equals a rebuilt one.
 */
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { assertLikeRebuilt } from '../../../../test/support/derived-index.ts'
import { seededRandom } from '../../../../test/support/random.ts'
import type { MessageId } from '../../../domain/ids.ts'
import { later } from '../../../lib/time.ts'
import type { Entry } from '../../../ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  delivered,
  hours,
  jobOf,
  NOON,
  nextEntry,
  someContent,
  someMessage,
  tenant,
} from '../../../ports/samples.contract.ts'
import { openSqlite } from '../sqlite.ts'
import { newFolder, UNSEALED } from '../store.fixture.ts'

const SEEDS = Number(process.env['POMBO_CRASH_SEEDS'] ?? 8)
const MESSAGES = 60
const NORTH = tenant('north')
const FACTS = [ATTEMPTED, ACCEPTED, delivered('report')]
const UNFINISHED: ReadonlySet<string> = new Set(['queued', 'sending'])

const open = (path: string) => openSqlite({ path, clock: () => later(NOON, hours(1)), ...UNSEALED, indexBodies: false })
type Engine = Awaited<ReturnType<typeof open>>

/** What was asked for, what was answered, and what was erased, by message. */
type Known = Readonly<{ content: string; asked: string[]; answered: string[]; erasure: 'none' | 'asked' | 'answered' }>

function copyOf(t: TestContext, path: string): string {
  const folder = newFolder(t)
  cpSync(join(path, '..'), folder, { recursive: true })
  return join(folder, 'pombo.db')
}

/** A message from its first to its last event, with pauses. */
async function live(engine: Engine, random: () => number, known: Map<MessageId, Known>): Promise<void> {
  const message = someMessage()
  const content = someContent({ body: `body of ${message.id}` })
  let mine: Known = { content: content.body, asked: [], answered: [], erasure: 'none' }
  const note = (change: Partial<Known>): void => {
    mine = { ...mine, ...change }
    known.set(message.id, mine)
  }
  const append = async (entry: Entry) => {
    note({ asked: [...mine.asked, entry.event.id] })
    const result = await engine.log.append(entry)
    assert.equal(result.kind, 'appended')
    note({ answered: [...mine.answered, entry.event.id] })
    return result.kind === 'appended' ? { revision: result.revision, event: entry.event } : assert.fail()
  }
  await wait(random() * 200)
  let newest = await append(createdEntry(message, content, jobOf(message)))
  for (const fact of FACTS.slice(0, Math.floor(random() * 4))) {
    if (random() < 0.7) await wait(random() * 300)
    newest = await append(nextEntry(newest, fact))
  }
  if (random() > 0.1) return
  note({ erasure: 'asked' })
  await engine.log.shred(message.id)
  note({ erasure: 'answered' })
}

/** A message may have been erased: the filters that it matched find the others. */
const FILTERS = [
  { tag: 'welcome' },
  { text: 'welcome' },
  { toKey: UNSEALED.sealer.blind(NORTH, someContent().to) },
  { providerMessageId: 'SM1' },
]

async function check(engine: Engine, known: ReadonlyMap<MessageId, Known>): Promise<void> {
  let events = 0
  for (const [id, { content, asked, answered, erasure }] of known) {
    const read = (await engine.log.read(id)).map(({ event }) => event.id)
    events += read.length
    assert.deepEqual(read.slice(0, answered.length), answered, 'everything answered is there, in order')
    assert.deepEqual(read, asked.slice(0, read.length), 'and nothing that was not asked for')
    const loaded = await engine.log.load(id)
    const body = loaded?.content?.channel === 'sms' ? loaded.content.body : undefined
    if (erasure === 'none' && read.length > 0) assert.equal(body, content)
    if (erasure === 'answered') assert.equal(body, undefined)
  }
  assert.equal(await engine.log.tip(), events)
  assert.equal(await engine.index.position(), events)
  const readers = { tenantId: NORTH, from: NOON, to: later(NOON, hours(1)), filters: FILTERS }
  await assertLikeRebuilt(engine, readers)
  const { rows } = await engine.index.search({ tenantId: NORTH, filter: {}, limit: MESSAGES })
  const open = rows.filter(({ state }) => UNFINISHED.has(state.handoffState)).length
  const jobs = (await engine.queue.depth()).reduce((sum, { ready, delayed }) => sum + ready + delayed, 0)
  assert.equal(jobs, open, 'every unfinished message has a job')
}

for (let seed = 1; seed <= SEEDS; seed += 1) {
  test(`survives crashes at random moments, seed ${seed}`, async (t) => {
    const random = seededRandom(seed)
    const path = join(newFolder(t), 'pombo.db')
    const known = new Map<MessageId, Known>()
    const crashes: (readonly [path: string, known: ReadonlyMap<MessageId, Known>])[] = []
    {
      await using engine = await open(path)
      const living = Promise.all(Array.from({ length: MESSAGES }, () => live(engine, random, known)))
      for (let crash = 0; crash < 4; crash += 1) {
        await wait(random() * 250)
        crashes.push([copyOf(t, path), new Map(known)])
      }
      await living
    }
    crashes.push([path, new Map(known)])
    for (const [copy, knownThen] of crashes) {
      await using engine = await open(copy)
      await check(engine, knownThen)
    }
  })
}
