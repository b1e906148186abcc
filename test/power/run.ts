/** One seed of the power-loss simulation: recordings, and power cuts in them. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, randomInteger, seededRandom } from '../support/random.ts'
import { checkFiles } from './check.ts'
import { type Check, checkCuts, type Failure } from './check-cuts.ts'
import { pick } from './choose.ts'
import { type Cut, type CutPlan, planCuts } from './cuts.ts'
import { Disk } from './disk.ts'
import { FATES, toFate } from './fates.ts'
import { gatewayProcess } from './gateway.ts'
import { checkGateway, checkStart } from './gateway-check.ts'
import { NOTHING, type Promised, promisedAfter } from './promises.ts'
import { type Recording, record } from './record.ts'
import { workloadProcess } from './workload-process.ts'

export type SeedOptions = Readonly<{
  recorder: string
  /** For recordings. */
  folder: string
  /** For the files that are checked. */
  scratch: string
  seed: number
  plan: CutPlan
}>

export type SeedResult = Readonly<{ steps: number; checks: number; failures: readonly Failure[] }>

const MESSAGES = 40
const LIVES_MS = 800

/**
 * Records the engine at work, killed and opened again or with its threads, and cuts its power; then records it on what
 * one of the cuts has left, and cuts again.
 */
export async function runEngine(options: SeedOptions): Promise<SeedResult> {
  const { recorder, seed } = options
  const random = seededRandom(seed)
  const first = await record({ recorder, folder: newFolder(options), run: firstRuns(seed) })
  const checked = await checkAll(first, engineCheck(NOTHING), options)

  const cut = anyCut(first, random)
  const initial = new Disk(first.initial, first.steps).cut(cut.at, toFate(cut.fate, cut.at, cut.seed))
  const run = [workloadProcess({ ...workloadOf(10 * seed + 2), isThreaded: random() < 0.5 })]
  const second = await record({ recorder, folder: newFolder(options), initial, run })
  const before = promisedAfter(NOTHING, first.steps.slice(0, cut.at))
  return add(checked, await checkAll(second, engineCheck(before), options))
}

/** Records a whole gateway, started twice, and cuts its power; starts a gateway on what a few of the cuts have left. */
export async function runGateway(options: SeedOptions): Promise<SeedResult> {
  const { recorder, seed, scratch, plan } = options
  const run = [gatewayProcess(10 * seed), gatewayProcess(10 * seed + 1)]
  const recording = await record({ recorder, folder: newFolder(options), run })
  const checked = await checkAll(recording, checkGateway, options)
  const random = seededRandom(seed)
  const cuts = Array.from({ length: plan.starts }, () => anyCut(recording, random))
  const failures = await checkCuts(recording, { cuts, check: checkStart, scratch })
  return add(checked, { steps: 0, checks: cuts.length, failures })
}

export const newFolder = ({ folder, seed }: SeedOptions): string => mkdtempSync(join(folder, `seed-${seed}-`))

export async function checkAll(
  recording: Recording,
  check: Check,
  { plan, seed, scratch }: SeedOptions,
  planMore: typeof planCuts = () => [],
): Promise<SeedResult> {
  const { steps } = recording
  const random = seededRandom(seed)
  const cuts = [...planCuts(steps, plan, random), ...planMore(steps, plan, random)]
  return { steps: steps.length, checks: cuts.length, failures: await checkCuts(recording, { cuts, check, scratch }) }
}

/** `before` was promised before the recording. */
export const engineCheck =
  (before: Promised): Check =>
  (folder, files, steps) =>
    checkFiles(folder, files, promisedAfter(before, steps))

export const add = (one: SeedResult, other: SeedResult): SeedResult => ({
  steps: one.steps + other.steps,
  checks: one.checks + other.checks,
  failures: [...one.failures, ...other.failures],
})

export const workloadOf = (seed: number) => ({
  seed,
  messages: MESSAGES,
  ms: LIVES_MS,
  isThreaded: false,
  isKilled: false,
})

/** Only a process that writes in one thread is killed: in another, a write could be made and not yet recorded. */
export function firstRuns(seed: number) {
  const [one, other] = [workloadOf(10 * seed), workloadOf(10 * seed + 1)]
  const isThreaded = seed % 2 === 0
  return [workloadProcess({ ...one, isThreaded, isKilled: !isThreaded }), workloadProcess({ ...other, isThreaded })]
}

const anyCut = ({ steps }: Recording, random: Random): Cut => ({
  at: randomInteger(random, Math.floor(steps.length / 4), steps.length),
  fate: pick(random, FATES),
  seed: randomInteger(random, 0, 2 ** 31),
})
