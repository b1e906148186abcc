/** `npm run bench`: runs the benchmarks and writes a table and a chart to bench/results. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { omitUndefined } from '../src/lib/omit-undefined.ts'
import { measureAccept, measureAcceptAlone, measureBare, measureBatch, measureLatency } from './accept.ts'
import { measureBacklog } from './backlog.ts'
import { toChart } from './chart.ts'
import { measureCodes } from './codes.ts'
import { measureEmail } from './email.ts'
import { type EndToEnd, measureEndToEnd } from './end-to-end.ts'
import { formatDecisions, type Limits, measureDecisions, measureLimited } from './limits.ts'
import { readMachine } from './machine.ts'
import type { Measured } from './measure.ts'
import { HELP, type Options, type Part, parseOptions } from './options.ts'
import { measureBullmq } from './peers/bullmq.ts'
import { measureKannel } from './peers/kannel.ts'
import type { Peer } from './peers/peer.ts'
import { leaveNothingBehind } from './processes.ts'
import { printProfile } from './profile.ts'
import { measureProviders } from './provider-slots.ts'
import { toMarkdown } from './report.ts'
import { type Results, rateOf } from './results.ts'
import { measureSmpp } from './smpp.ts'
import { formatRate, say, step } from './step.ts'
import { whole } from './verdict.ts'

const FOLDER = join(import.meta.dirname, 'results')
/** The benchmark is stuck if it takes longer. */
const MAX_MS = 30 * 60 * 1000

type Turns = Readonly<{ bare: Measured[]; accept: Measured[]; limited: Measured[] }>

/** (a), (b) and (g) alternate, so that changes of the machine affect all of them. */
async function takeTurns(options: Options): Promise<Turns> {
  const { parts, runs } = options
  const turns: Turns = { bare: [], accept: [], limited: [] }
  // (g) is compared with (b); the rates of (e), (h) and (k) are derived from (b).
  const isPaced = parts.has('e') || parts.has('h') || parts.has('k')
  const acceptRuns = parts.has('b') || parts.has('g') ? runs : isPaced ? 1 : 0
  for (let run = 1; run <= runs; run += 1) {
    const take = async (into: Measured[], name: string, measure: (options: Options) => Promise<Measured>) =>
      into.push(...(await step(`${name}, run ${run}`, () => measure(options), formatRate)))
    if (parts.has('a')) await take(turns.bare, '(a) bare Fastify', measureBare)
    if (run <= acceptRuns) await take(turns.accept, '(b) durable 202', measureAccept)
    if (parts.has('g')) await take(turns.limited, '(g) durable 202, limited', measureLimited)
  }
  return turns
}

async function measureParts(options: Options): Promise<Partial<Results>> {
  const has = (part: Part): boolean => options.parts.has(part)
  const { bare, accept, limited } = await takeTurns(options)
  const [acceptAlone] = has('b2')
    ? await step('(b2) durable 202, nothing sent', () => measureAcceptAlone(options), formatRate)
    : []
  // (j) is compared with (c), and measured right after it.
  const [endToEnd] =
    has('c') || has('j') ? await step('(c) end to end', () => measureEndToEnd(options), formatEndToEnd) : []
  const [smpp] = has('j') ? await step('(j) end to end by SMPP', () => measureSmpp(options), formatEndToEnd) : []
  const batch: Measured[] = []
  const short = { ...options, seconds: options.seconds / 2 }
  for (let run = 1; has('d') && run <= options.runs; run += 1) {
    batch.push(...(await step(`(d) batches, run ${run}`, () => measureBatch(short), formatRate)))
  }
  const rate = rateOf(accept)
  const [latency] =
    has('e') && rate !== undefined
      ? await step('(e) at half the rate of (b)', () => measureLatency(rate / 2, options), formatRate)
      : []
  const [backlog] = has('f')
    ? await step(
        '(f) a long queue',
        () => measureBacklog(options),
        ({ rssMb, long }) => `${whole(rssMb)} MB, drained in ${long.seconds.toFixed(1)} s`,
      )
    : []
  return {
    bare,
    accept,
    batch,
    ...omitUndefined({ acceptAlone, endToEnd, smpp, latency, backlog }),
    ...(has('g') ? { limits: await measureLimits(limited, options) } : {}),
    ...(has('h') ? { codes: await measureCodes(options, rate) } : {}),
    ...(has('i') ? { providers: await measureProviders(options, endToEnd?.held.endToEndPerSecond) } : {}),
    ...(has('k') ? { email: await measureEmail(options, rate) } : {}),
  }
}

const formatEndToEnd = ({ held }: EndToEnd): string =>
  `${whole(held.endToEndPerSecond)}/s${held.sustained ? '' : ', with a growing backlog'}`

async function measureLimits(limited: readonly Measured[], options: Options): Promise<Limits> {
  const decide = () => measureDecisions(options)
  const [decisions] = await step('(g) decisions alone', decide, formatDecisions)
  return omitUndefined({ limited, decisions })
}

const formatPeer = ({ load, endToEndPerSecond }: Peer): string =>
  `${whole(load.perSecond)}/s, end to end ${whole(endToEndPerSecond)}/s`

async function measurePeers(options: Options): Promise<readonly Peer[]> {
  if (!options.peers) return []
  return [
    ...(await step('Kannel with fakesmsc', () => measureKannel(options), formatPeer)),
    ...(await step('Fastify, BullMQ and Redis', () => measureBullmq(options), formatPeer)),
  ]
}

async function measureAll(options: Options): Promise<Results> {
  const begunAt = performance.now()
  const machine = readMachine()
  const parts = await measureParts(options)
  const peers = await measurePeers(options)
  const { quick, seconds, runs, waiting } = options
  return {
    at: new Date().toISOString(),
    machine,
    options: { quick, seconds, runs, waiting },
    tookSeconds: (performance.now() - begunAt) / 1000,
    ...parts,
    peers,
  }
}

function write(results: Results): void {
  const markdown = toMarkdown(results)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, 'latest.json'), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(FOLDER, 'latest.svg'), toChart(results))
  writeFileSync(join(FOLDER, 'latest.md'), markdown)
  process.stdout.write(`\n${markdown}`)
}

/** Loaded on demand, so that its drivers do not affect the other results. */
async function runCluster(options: Options): Promise<void> {
  const { measureCluster, printClusterProfile, writeCluster } = await import('./cluster/run.ts')
  if (options.profile) await printClusterProfile(options)
  else writeCluster(await measureCluster(options), FOLDER)
}

async function main(argv: readonly string[]): Promise<void> {
  const options = parseOptions(argv)
  if (options === undefined) process.stdout.write(HELP)
  else if (options.cluster) await runCluster(options)
  else if (options.profile) await printProfile(options)
  else write(await measureAll(options))
}

leaveNothingBehind()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))
setTimeout(() => {
  say('the benchmark is stuck')
  process.exit(1)
}, MAX_MS).unref()

try {
  await main(process.argv.slice(2))
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
