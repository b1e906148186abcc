/**
 * The process that is recorded: messages go through their lives with pauses, also some that were there before, some are
 * erased, old ones are pruned, one-time codes are claimed, and write-ahead logs are moved into their files at random
 * moments. Marks tell what a caller knows.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { journalPathOf } from '../../src/engines/sqlite/journal/journal-file.ts'
import type { OnTakeOver } from '../../src/engines/sqlite/messages/take-over.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { pick, sample } from './choose.ts'
import { isOurs, openInOneThread, openWithThreads, readLog } from './engine.ts'
import { type Life, liveChallenge, liveMessage, liveOn, mayGoOn, prune } from './lives.ts'
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

const WITHIN_MS = 60_000
/** So many of the messages that were there before go on, at most. */
const GOING_ON = 12

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

/** Between two transactions of a take-over: a longer one reaches the size at which SQLite does it by itself. */
function checkpointing(path: string, random: Random): OnTakeOver {
  return () => {
    if (random() < 0.3) return
    using tables = new DatabaseSync(path)
    tables.exec(`pragma wal_checkpoint(${pick(random, ['passive', 'restart', 'truncate'])})`)
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
  const onTakeOver = checkpointing(path, seededRandom(seed))
  await using engine = await (isThreaded ? openWithThreads(path) : openInOneThread(path, { onTakeOver }))
  const found = [...(await readLog(engine))].filter(([, stored]) => isOurs(stored))
  mark({ kind: 'found', events: Object.fromEntries(found.map(([id, { events }]) => [id, events])) })
  if (isKilled) setTimeout(() => process.kill(process.pid, 'SIGKILL'), ms * (0.2 + 0.6 * random()))
  const lifeOf = (number: number): Life => ({ engine, mark, ms, random: seededRandom(seed * 1_000 + number) })
  const lives = Array.from({ length: messages }, (_, number) => lived(number)(lifeOf(number)))
  const others = found.map(([, { state }]) => state).filter(mayGoOn)
  const going = sample(random, others, GOING_ON).map((state, nth) => liveOn(lifeOf(messages + 1 + nth), state))
  let isOver = false
  const checkpoints = checkpoint(path, lifeOf(messages), () => isOver)
  await Promise.all([...lives, ...going])
  isOver = true
  await checkpoints
}

const [workload] = process.argv.slice(2)
if (import.meta.main && workload !== undefined) {
  setTimeout(() => process.exit(70), WITHIN_MS).unref()
  await run(JSON.parse(workload) as Workload)
}
