/** A short power-loss simulation; `npm run power` runs a long one. */
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { type Folder, openFolder } from '../support/folder.ts'
import { seededRandom } from '../support/random.ts'
import { skipUnavailable } from '../support/skip.ts'
import { checkCuts, type Failure, toReport } from './check-cuts.ts'
import { buildRecorder, findCompiler } from './compiler.ts'
import { planCuts } from './cuts.ts'
import { NOTHING } from './promises.ts'
import { record } from './record.ts'
import type { Step } from './recording.ts'
import { engineCheck, firstRuns, runEngine, runGateway, type SeedOptions } from './run.ts'
import { openScratch, type Scratch } from './scratch.ts'
import { runTakeOver } from './take-over-run.ts'

const PLAN = { syncs: 15, opening: 'all', between: 5, starts: 1 } as const
/** Each has some hundred messages to check. */
const FEW = { syncs: 2, opening: 3, between: 2, starts: 1 }

const assertNone = (failures: readonly Failure[]): void => assert.equal(failures.map(toReport).join('\n'), '')

/** The steps as they would be if the journal were never synced. */
function withoutJournalSyncs(steps: readonly Step[]): readonly Step[] {
  const paths = new Map<number, string>()
  const dropped = new Set<number>()
  return steps.filter((step) => {
    if (step.kind === 'opened') paths.set(step.file, step.path)
    if (step.kind === 'sync-begun' && paths.get(step.file) === 'pombo-journal.db-wal') dropped.add(step.sync)
    return !('sync' in step && dropped.has(step.sync))
  })
}

describe('after a power cut', { concurrency: true, timeout: 120_000 }, () => {
  let [folder, scratch]: [Folder?, Scratch?] = []
  let recorder: string | undefined
  before(async () => {
    const compiler = findCompiler()
    if (compiler === undefined) return
    scratch = openScratch()
    folder = await openFolder()
    recorder = buildRecorder(compiler, folder.path)
  })
  after(async () => {
    await folder?.[Symbol.asyncDispose]()
    scratch?.[Symbol.dispose]()
  })

  const withRecorder = (act: (options: Omit<SeedOptions, 'seed'>) => Promise<void>) => async (t: TestContext) => {
    if (recorder === undefined || folder === undefined || scratch === undefined)
      return skipUnavailable(t, 'there is no C compiler')
    await act({ recorder, folder: mkdtempSync(join(folder.path, 'run-')), scratch: scratch.path, plan: PLAN })
  }

  test(
    'the engine keeps what it has promised, also if it was killed before',
    withRecorder(async (options) => assertNone((await runEngine({ ...options, seed: 1 })).failures)),
  )

  test(
    'the engine keeps what it has promised with its threads',
    withRecorder(async (options) => assertNone((await runEngine({ ...options, seed: 2 })).failures)),
  )

  test(
    'a take-over of the messages of an earlier release goes on, and nothing is lost or doubled',
    withRecorder(async (options) => assertNone((await runTakeOver({ ...options, seed: 1, plan: FEW })).failures)),
  )

  test(
    'a gateway has what it has accepted, and knows of every call to a provider',
    withRecorder(async (options) => assertNone((await runGateway({ ...options, seed: 1 })).failures)),
  )

  test(
    'an engine that does not sync its journal is found out',
    withRecorder(async ({ recorder: library, folder: path, scratch: at }) => {
      const { initial, steps } = await record({ recorder: library, folder: path, run: firstRuns(4).slice(0, 1) })
      const unsynced = { initial, steps: withoutJournalSyncs(steps) }
      const cuts = planCuts(unsynced.steps, PLAN, seededRandom(4)).filter(({ fate }) => fate === 'least')
      const failures = await checkCuts(unsynced, { cuts, check: engineCheck(NOTHING), scratch: at })
      assert.match(failures.map(toReport).join('\n'), /everything answered is there/)
    }),
  )
})
