/**
 * `--against`: this gateway and that of another checkout in turns, with the same load generator. A ratio is the median
 * of the ratios within the rounds.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { omitUndefined } from '../src/lib/omit-undefined.ts'
import { measureAccept, measureBatch } from './accept.ts'
import { type AgainstResults, type Figures, type Pair, type Taken, toAgainstMarkdown } from './against-report.ts'
import { measureBacklog } from './backlog.ts'
import { measureSent } from './email-relay.ts'
import { measureEndToEnd } from './end-to-end.ts'
import type { LoadReport } from './load.ts'
import { readMachine } from './machine.ts'
import { writeResults } from './markdown.ts'
import type { Watched } from './measure.ts'
import type { Options, Part } from './options.ts'
import { measureDistant } from './provider-slots.ts'
import { measureSmpp } from './smpp.ts'
import { step } from './step.ts'
import { whole } from './verdict.ts'

type Compared = Readonly<{
  part: Part
  name: string
  /** The ratio of the first figure that this version should reach. */
  target?: number
  take: (options: Options) => Promise<Taken>
}>

const TARGET = { endToEnd: 2.3, providers: 2 }

/** The search for the pace starts near these; it reaches from a fifth to twice as much. */
const SOME_MAILS = 1_000
const SOME_SMS = 3_000
const IN_FLIGHT = 512

const COMPARED: readonly Compared[] = [
  {
    part: 'b',
    name: '(b) durable 202',
    async take(options) {
      const measured = await measureAccept(options)
      return toTaken(measured, { 'messages/s': measured.messagesPerSecond })
    },
  },
  {
    part: 'c',
    name: '(c) end to end, receipts after 150 ms',
    target: TARGET.endToEnd,
    take: (options) => takeEndToEnd(options, 'soon'),
  },
  {
    part: 'c',
    name: '(c) end to end, receipts after 3 s',
    target: TARGET.endToEnd,
    take: (options) => takeEndToEnd(options, 'late'),
  },
  {
    part: 'd',
    name: '(d) batches of 1,000',
    async take(options) {
      const measured = await measureBatch({ ...options, seconds: options.seconds / 2 })
      return toTaken(measured, { 'messages/s': measured.messagesPerSecond })
    },
  },
  {
    part: 'f',
    name: '(f) a long queue',
    async take(options) {
      const { rssMb, peakRssMb, long } = await measureBacklog(options)
      const drained = long.waiting / long.seconds
      return { figures: { 'drained/s': drained, 'MB with all waiting': rssMb, 'MB at most': peakRssMb } }
    },
  },
  {
    part: 'i',
    name: `(i1) 50 ms per call, ${IN_FLIGHT} in flight`,
    target: TARGET.providers,
    async take(options) {
      const { sent } = await measureDistant(IN_FLIGHT, options, SOME_SMS)
      return toTaken(sent, { 'messages/s': sent.handedOffPerSecond })
    },
  },
  {
    part: 'j',
    name: '(j) end to end by SMPP',
    target: TARGET.providers,
    async take(options) {
      const { held } = await measureSmpp(options)
      return toTaken(held, { 'messages/s': held.endToEndPerSecond }, 'SMSC')
    },
  },
  {
    part: 'k',
    name: '(k1) mails end to end',
    async take(options) {
      const held = await measureSent(SOME_MAILS, options)
      return toTaken(held, { 'messages/s': held.endToEndPerSecond }, 'sink')
    },
  },
]

async function takeEndToEnd(options: Options, receipts: 'soon' | 'late'): Promise<Taken> {
  const { held } = await measureEndToEnd(options, receipts)
  return toTaken(held, { 'messages/s': held.endToEndPerSecond, 'MB at the end': held.rssMb })
}

type Loaded = Watched & Readonly<{ load: LoadReport }>

/** Adds the CPU of the gateway alone; `other` is a process that its load includes. */
function toTaken({ cpu, load, othersCores }: Loaded, figures: Figures, other?: string): Taken {
  const own = Object.entries(cpu).filter(([name]) => name !== 'load' && name !== other)
  const micros = own.reduce((sum, [, some]) => sum + some, 0)
  return { figures: { ...figures, 'µs of CPU': micros }, loaded: { load, othersCores } }
}

export async function measureAgainst(options: Options, tree: string): Promise<AgainstResults> {
  if (!existsSync(join(tree, 'src/main.ts'))) throw new Error(`${tree} is not a checkout: it has no src/main.ts`)
  const begunAt = performance.now()
  const machine = readMachine()
  const compared = COMPARED.filter(({ part }) => options.parts.has(part))
  const rounds = compared.map(() => [] as Pair[])
  for (let round = 1; round <= options.runs; round += 1) {
    for (const [index, one] of compared.entries()) {
      rounds[index]?.push(...(await takePair(one, options, tree, round)))
    }
  }
  const { quick, seconds, runs, waiting } = options
  return {
    at: new Date().toISOString(),
    machine,
    options: { quick, seconds, runs, waiting },
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

export const writeAgainst = (results: AgainstResults, folder: string): void =>
  writeResults(folder, 'against', results, toAgainstMarkdown(results))
