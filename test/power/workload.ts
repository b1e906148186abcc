/**
 * The process that is recorded: messages go through their lives with pauses, some are erased, old ones are pruned,
 * one-time codes are claimed, and write-ahead logs are moved into their files at random moments. Marks tell what a
 * caller knows.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import type { RetentionPolicy } from '../../src/domain/message/retention.ts'
import { journalPathOf } from '../../src/engines/sqlite/journal/journal-file.ts'
import { instant, later } from '../../src/lib/time.ts'
import type { Entry } from '../../src/ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  DEAD,
  delivered,
  hours,
  jobOf,
  NOON,
  nextEntry,
  someContent,
  someMessage,
} from '../../src/ports/samples.contract.ts'
import { type Random, randomInteger, seededRandom } from '../support/random.ts'
import { isOurs, openInOneThread, openWithThreads, type PoweredEngine, readLog } from './engine.ts'
import type { Mark } from './promises.ts'
import { Marker } from './recording.ts'

export type Workload = Readonly<{
  folder: string
  log: string
  seed: number
  messages: number
  /** How long the lives last, at most. */
  ms: number
  isThreaded: boolean
  /** Killed in the middle, or closed at the end. */
  isKilled: boolean
}>

/** Longer than the content that stays in memory, and than a page of the database. */
const LONG = 20_000
const WITHIN_MS = 60_000
const JOURNEYS = [[], [ATTEMPTED], [ATTEMPTED, ACCEPTED], [ATTEMPTED, DEAD]]
const LONGEST = [ATTEMPTED, ACCEPTED, delivered('report')]
const RETENTION: RetentionPolicy = { days: 3, rules: [] }
const PRUNED_AT_ONCE = 3

type Life = Readonly<{ engine: PoweredEngine; random: Random; ms: number; mark: (mark: Mark) => void }>

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[randomInteger(random, 0, items.length - 1)] ?? assert.fail('there is nothing to pick')

/** A message from its first to its last event. */
async function liveMessage({ engine, random, ms, mark }: Life): Promise<void> {
  const isOld = random() < 0.3
  const message = someMessage({ createdAt: isOld ? NOON : instant(Date.now()) })
  const { id } = message
  const append = async (entry: Entry, first: Readonly<{ content?: string; isOld?: boolean }> = {}) => {
    mark({ kind: 'asked', id, event: entry.event.id, ...first })
    const result = await engine.log.append(entry)
    assert(result.kind === 'appended')
    mark({ kind: 'answered', id, event: entry.event.id })
    return { revision: result.revision, event: entry.event }
  }
  await wait(random() * ms * 0.6)
  const body = `body of ${id}`.padEnd(random() < 0.1 ? LONG : 1, '.')
  let newest = await append(createdEntry(message, someContent({ body }), jobOf(message)), {
    content: digestOf(body),
    isOld,
  })
  // An old message may be gone once it was handed off.
  for (const fact of pick(random, isOld ? JOURNEYS : [...JOURNEYS, LONGEST, LONGEST])) {
    if (random() < 0.7) await wait(random() * ms * 0.2)
    newest = await append(nextEntry(newest, fact))
  }
  if (random() > 0.15) return
  mark({ kind: 'erasing', id })
  await engine.log.shred(id)
  mark({ kind: 'erased', id })
}

/** Tells contents apart. */
export const digestOf = (body: string): string => createHash('sha256').update(body).digest('hex').slice(0, 16)

async function liveChallenge({ engine, random, ms, mark }: Life): Promise<void> {
  const { id, tenantId, accountId } = someMessage()
  const [ref, now] = [{ tenantId, id }, instant(Date.now())]
  const terms = { maxAttempts: 5, expiresAt: later(now, hours(1)) }
  await wait(random() * ms * 0.6)
  mark({ kind: 'claiming', id, attempts: 0 })
  await engine.challenges.begin({ ...ref, ...terms, accountId, createdAt: now })
  await engine.challenges.arm(ref, { ...terms, hash: 'hash' as never })
  mark({ kind: 'claimed', id, attempts: 0 })
  for (let attempts = 1; attempts <= randomInteger(random, 0, 4); attempts += 1) {
    await wait(random() * ms * 0.1)
    mark({ kind: 'claiming', id, attempts })
    await engine.challenges.claim(ref, now)
    mark({ kind: 'claimed', id, attempts })
  }
}

async function prune({ engine, random, ms, mark }: Life): Promise<void> {
  await wait(random() * ms)
  mark({ kind: 'pruning' })
  await engine.retention.prune(RETENTION, instant(Date.now()), PRUNED_AT_ONCE)
}

/** What the reader thread, a long journal and erasures do at times of their own, more often. */
async function checkpoint(path: string, { random, ms }: Life, isOver: () => boolean): Promise<void> {
  using tables = new DatabaseSync(path)
  using journal = new DatabaseSync(journalPathOf(path))
  while (!isOver()) {
    await wait(random() * ms * 0.2)
    try {
      const how = pick(random, ['passive', 'passive', 'restart', 'truncate'])
      pick(random, [tables, journal]).exec(`pragma wal_checkpoint(${how})`)
    } catch {
      // Another connection is using the file.
    }
  }
}

function lived(number: number): (life: Life) => Promise<void> {
  if (number % 8 === 6) return prune
  return number % 8 === 7 ? liveChallenge : liveMessage
}

async function run({ folder, log, seed, messages, ms, isThreaded, isKilled }: Workload): Promise<void> {
  const random = seededRandom(seed)
  using marker = new Marker(log)
  const mark = (made: Mark): void => marker.mark(made)
  const path = join(folder, 'pombo.db')
  await using engine = await (isThreaded ? openWithThreads : openInOneThread)(path)
  const found = [...(await readLog(engine))].filter(([, stored]) => isOurs(stored))
  mark({ kind: 'found', events: Object.fromEntries(found.map(([id, { events }]) => [id, events])) })
  if (isKilled) setTimeout(() => process.kill(process.pid, 'SIGKILL'), ms * (0.2 + 0.6 * random()))
  const lifeOf = (number: number): Life => ({ engine, mark, ms, random: seededRandom(seed * 1_000 + number) })
  const lives = Array.from({ length: messages }, (_, number) => lived(number)(lifeOf(number)))
  let isOver = false
  const checkpoints = checkpoint(path, lifeOf(messages), () => isOver)
  await Promise.all(lives)
  isOver = true
  await checkpoints
}

const [workload] = process.argv.slice(2)
if (import.meta.main && workload !== undefined) {
  setTimeout(() => process.exit(70), WITHIN_MS).unref()
  await run(JSON.parse(workload) as Workload)
}
