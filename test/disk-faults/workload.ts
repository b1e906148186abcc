/**
 * The process whose disk fails: messages go through their lives, some are erased, old ones are pruned, one-time codes
 * are claimed, and write-ahead logs are moved into their files at random moments. Marks tell what a caller knows.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { journalPathOf } from '../../src/engines/sqlite/journal/journal-file.ts'
import { reasonOf } from '../../src/ports/unavailable.ts'
import { pick } from '../power/choose.ts'
import { openInOneThread, openWithThreads, type PoweredEngine } from '../power/engine.ts'
import { type Life, liveChallenge, liveMessage, prune } from '../power/lives.ts'
import { seededRandom } from '../support/random.ts'
import { DiskControl } from './disk-control.ts'
import { insistingEngine } from './insisting-engine.ts'
import { addMark, type Mark } from './marks.ts'

export type Workload = Readonly<{
  folder: string
  log: string
  control: string
  seed: number
  messages: number
  /** How long the lives last, at most, and how long the disk stays full. */
  ms: number
  fullMs: number
  isThreaded: boolean
  /** Killed while the disk is full. */
  isKilled: boolean
}>

/** The exit codes of a process that could not open its store, or not close it. */
export const COULD_NOT_START = 3
export const COULD_NOT_STOP = 4

const LOOK_MS = 5

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
      // Another connection is using the file, or the disk has failed.
    }
  }
}

function lived(number: number): (life: Life) => Promise<void> {
  if (number % 8 === 6) return prune
  return number % 8 === 7 ? liveChallenge : liveMessage
}

/** Once the disk is full: gives it room a moment later, or kills the process. */
async function watch(
  control: DiskControl,
  { fullMs, isKilled }: Workload,
  mark: (mark: Mark) => void,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver() && control.refused === 0) await wait(LOOK_MS)
  if (control.refused === 0) return
  await wait(fullMs)
  if (isKilled) process.kill(process.pid, 'SIGKILL')
  control.giveRoom()
  mark({ kind: 'room' })
}

async function run(workload: Workload): Promise<void> {
  const { folder, log, seed, messages, ms } = workload
  using control = new DiskControl(workload.control)
  const mark = (made: Mark): void => addMark(log, made)
  const phase = (kind: 'opened' | 'closing' | 'closed'): void =>
    mark({ kind, writes: control.writes, syncs: control.syncs })
  const path = join(folder, 'pombo.db')
  const opened = await open(path, workload)
  phase('opened')
  const engine = insistingEngine(opened, mark)
  const lifeOf = (number: number): Life => ({ engine, mark, ms, random: seededRandom(seed * 1_000 + number) })
  let [isOver, isClosing] = [false, false]
  const watching = watch(control, workload, mark, () => isClosing)
  const checkpoints = checkpoint(path, lifeOf(messages), () => isOver)
  await Promise.all(Array.from({ length: messages }, (_, number) => lived(number)(lifeOf(number))))
  isOver = true
  await checkpoints
  // Whatever has failed, everything works as before.
  for (const number of [0, 7]) await lived(number)({ ...lifeOf(messages + number), ms: 0 })
  isClosing = true
  await watching
  phase('closing')
  await close(opened)
  phase('closed')
}

async function open(path: string, { isThreaded }: Workload): Promise<PoweredEngine> {
  try {
    return await (isThreaded ? openWithThreads : openInOneThread)(path)
  } catch (error) {
    return endWith(COULD_NOT_START, error)
  }
}

async function close(engine: PoweredEngine): Promise<void> {
  try {
    await engine[Symbol.asyncDispose]()
  } catch (error) {
    endWith(COULD_NOT_STOP, error)
  }
}

/** Reports an error as main.ts does. */
function endWith(code: number, error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(code)
}

const [workload] = process.argv.slice(2)
if (import.meta.main && workload !== undefined) {
  const parsed = JSON.parse(workload) as Workload
  try {
    await run(parsed)
  } catch (error) {
    addMark(parsed.log, { kind: 'wrong', what: reasonOf(error) })
    throw error
  }
}
