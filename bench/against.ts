/**
 * `--against`: this version and that of another checkout in turns, with the same load generator. A ratio is the median
 * of the ratios within the rounds.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { omitUndefined } from '../src/lib/omit-undefined.ts'
import { type AgainstResults, type Figures, type Pair, type Taken, toAgainstMarkdown } from './against-report.ts'
import type { LoadReport } from './load.ts'
import { readMachine } from './machine.ts'
import { writeResults } from './markdown.ts'
import type { Watched } from './measure.ts'
import type { Options } from './options.ts'
import { step } from './step.ts'
import { whole } from './verdict.ts'

export type Compared = Readonly<{
  name: string
  /** The ratio of the first figure that this version should reach. */
  target?: number
  take: (options: Options) => Promise<Taken>
}>

type Loaded = Watched & Readonly<{ load: LoadReport }>

/** Adds the CPU of the gateway alone; `other` is a process that its load includes. */
export function toTaken({ cpu, load, othersCores }: Loaded, figures: Figures, other?: string): Taken {
  const own = Object.entries(cpu).filter(([name]) => name !== 'load' && name !== other)
  const micros = own.reduce((sum, [, some]) => sum + some, 0)
  return { figures: { ...figures, 'µs of CPU': micros }, loaded: { load, othersCores } }
}

export async function measureAgainst(
  compared: readonly Compared[],
  options: Options,
  tree: string,
): Promise<AgainstResults> {
  if (!existsSync(join(tree, 'src/main.ts'))) throw new Error(`${tree} is not a checkout: it has no src/main.ts`)
  const begunAt = performance.now()
  const machine = readMachine()
  const rounds = compared.map(() => [] as Pair[])
  for (let round = 1; round <= options.runs; round += 1) {
    for (const [index, one] of compared.entries()) {
      rounds[index]?.push(...(await takePair(one, options, tree, round)))
    }
  }
  const { quick, seconds, runs, waiting, settings } = options
  return {
    at: new Date().toISOString(),
    machine,
    options: { quick, seconds, runs, waiting, settings },
    tookSeconds: (performance.now() - begunAt) / 1000,
    versions: { ours: versionOf(import.meta.dirname), theirs: versionOf(tree) },
    parts: compared.map(({ name, target }, index) => omitUndefined({ name, target, rounds: rounds[index] ?? [] })),
  }
}

/** Who goes first changes from round to round, so that a machine that gets slower favours neither. */
async function takePair(
  { name, take }: Compared,
  options: Options,
  tree: string,
  round: number,
): Promise<readonly Pair[]> {
  const takeOurs = () => step(`${name}, this, round ${round}`, () => take(options), formatTaken)
  const takeTheirs = () => step(`${name}, other, round ${round}`, () => take({ ...options, tree }), formatTaken)
  const early = round % 2 === 1 ? await takeOurs() : []
  const [theirs] = await takeTheirs()
  const [ours] = round % 2 === 1 ? early : await takeOurs()
  return ours === undefined || theirs === undefined ? [] : [{ ours, theirs }]
}

const formatTaken = ({ figures }: Taken): string =>
  Object.entries(figures)
    .map(([unit, value]) => `${whole(value)} ${unit}`)
    .join(', ')

function versionOf(folder: string): string {
  try {
    const args = ['-C', folder, 'describe', '--always', '--dirty']
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return 'unknown'
  }
}

export const writeAgainst = (results: AgainstResults, folder: string, name: string): void =>
  writeResults(folder, name, results, toAgainstMarkdown(results))
