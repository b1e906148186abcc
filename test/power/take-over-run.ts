/** One seed of power cuts while the messages of an earlier release are taken over, and in the life after it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MASTER_KEY_FILE } from '../../src/config/secrets.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { type Check, checkCuts } from './check-cuts.ts'
import { sample } from './choose.ts'
import { type Cut, planOpeningCuts } from './cuts.ts'
import { Disk, type Files } from './disk.ts'
import { writeEarlierFolder } from './earlier-folder.ts'
import { MASTER_KEY } from './engine.ts'
import { toFate } from './fates.ts'
import { writeFiles } from './folder-files.ts'
import { checkStart } from './gateway-check.ts'
import { promisedAfter } from './promises.ts'
import { type Recording, record } from './record.ts'
import { add, checkAll, engineCheck, newFolder, type SeedOptions, type SeedResult, workloadOf } from './run.ts'
import { workloadProcess } from './workload-process.ts'

/** Cuts to choose from. */
const MOST_CUTS = 200

/**
 * Records the engine as it takes over a data folder and goes on with it, and cuts its power; then records it on what a
 * cut has left of a take-over, and cuts again. Starts a gateway on what a few of the cuts have left.
 */
export async function runTakeOver(options: SeedOptions): Promise<SeedResult> {
  const { recorder, seed, scratch } = options
  const random = seededRandom(seed)
  const { files, promised } = inFolder(scratch, (folder) => writeEarlierFolder(folder, seed))
  const recordOn = (initial: Files, life: number, isThreaded: boolean): Promise<Recording> => {
    const run = [workloadProcess({ ...workloadOf(10 * seed + life), isThreaded })]
    return record({ recorder, folder: newFolder(options), initial, run })
  }

  const first = await recordOn(files, 3, seed % 2 === 0)
  const checked = await checkAll(first, engineCheck(promised), options, planOpeningCuts)
  const started = await startOnSome(first, options, random)

  const cut = cutInTakeOver(first, scratch, random)
  const before = promisedAfter(promised, first.steps.slice(0, cut.at))
  const second = await recordOn(filesAt(first, cut), 4, random() < 0.5)
  const again = await checkAll(second, engineCheck(before), options, planOpeningCuts)
  return [started, again].reduce(add, checked)
}

const filesAt = ({ initial, steps }: Recording, { at, fate, seed }: Cut): Files =>
  new Disk(initial, steps).cut(at, toFate(fate, at, seed))

/** A cut after which some messages are moved, and some are not. */
function cutInTakeOver(recording: Recording, scratch: string, random: Random): Cut {
  const cuts = planOpeningCuts(recording.steps, { syncs: 0, opening: 0, between: MOST_CUTS, starts: 0 }, random)
  const found = sample(random, cuts, cuts.length).find((cut) => isHalfMoved(filesAt(recording, cut), scratch))
  if (found === undefined) throw new Error('no cut is within the take-over')
  return found
}

const isHalfMoved = (files: Files, scratch: string): boolean =>
  inFolder(scratch, (folder) => {
    writeFiles(folder, files)
    using db = new DatabaseSync(join(folder, 'pombo.db'))
    const tables = db.prepare(`select 1 from sqlite_schema where name in ('earlier_events', 'filings')`).all()
    const hasRows = (table: string): boolean => db.prepare(`select 1 from ${table} limit 1`).get() !== undefined
    return tables.length === 2 && hasRows('earlier_events') && hasRows('filings')
  })

/** A folder that is removed afterwards. */
function inFolder<Result>(scratch: string, act: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(scratch, 'files-'))
  try {
    return act(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startOnSome(recording: Recording, { plan, scratch }: SeedOptions, random: Random): Promise<SeedResult> {
  const opening = planOpeningCuts(recording.steps, { ...plan, between: plan.starts }, random)
  const cuts = sample(random, opening, plan.starts)
  const key = Buffer.from(MASTER_KEY.toString('base64'))
  const check: Check = (folder, files, steps) => checkStart(folder, new Map([...files, [MASTER_KEY_FILE, key]]), steps)
  return { steps: 0, checks: cuts.length, failures: await checkCuts(recording, { cuts, check, scratch }) }
}
