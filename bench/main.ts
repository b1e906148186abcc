/** `npm run bench`: runs the benchmarks and writes a table and a chart to bench/results. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { omitUndefined } from '../src/lib/omit-undefined.ts'
import { measureAcceptAlone } from './accept.ts'
import { measureAgainst, writeAgainst } from './against.ts'
import { measureBacklog } from './backlog.ts'
import type { Queues } from './backlog-verdicts.ts'
import { toChart } from './chart.ts'
import { measureCodes } from './codes.ts'
import { comparedOf } from './compared.ts'
import { measureEmail } from './email.ts'
import { measureLatencies } from './latency.ts'
import { formatDecisions, measureDecisions } from './limits.ts'
import { readMachine } from './machine.ts'
import { type RunInfo, writeResults } from './markdown.ts'
import { HELP, type Options, type Part, parseOptions } from './options.ts'
import { installPeers, type Peers } from './peers/peers.ts'
import { leaveNothingBehind } from './processes.ts'
import { printProfile } from './profile.ts'
import { measureProviders } from './provider-slots.ts'
import { toMarkdown } from './report.ts'
import type { Results } from './results.ts'
import { rateIn, takeRounds } from './rounds.ts'
import { measureSmpp } from './smpp.ts'
import { measureRestart, measureStanding } from './standing-queue.ts'
import { formatEndToEnd, formatRate, say, step } from './step.ts'
import { whole } from './verdict.ts'

/** The benchmark is stuck if it takes longer. */
const MAX_MS = 90 * 60 * 1000

async function measureParts(options: Options, peers: Peers): Promise<Omit<Results, keyof RunInfo>> {
  const has = (part: Part): boolean => options.parts.has(part)
  const rounds = await takeRounds(options, peers)
  const rate = rateIn(rounds, 'accept')
  const [acceptAlone] = has('b2')
    ? await step('(b2) durable 202, nothing sent', () => measureAcceptAlone(options), formatRate)
    : []
  const [smpp] = has('j') ? await step('(j) end to end by SMPP', () => measureSmpp(options), formatEndToEnd) : []
  const latencies = has('e') && rate !== undefined ? await measureLatencies(options, rate) : undefined
  const decide = () => measureDecisions(options)
  const [decisions] = has('g') ? await step('(g) decisions alone', decide, formatDecisions) : []
  return {
    rounds,
    ...omitUndefined({ acceptAlone, smpp, latencies, decisions }),
    ...(has('f') ? await measureQueues(options) : {}),
    ...(has('h') ? { codes: await measureCodes(options, rate) } : {}),
    ...(has('i') ? { providers: await measureProviders(options, rateIn(rounds, 'endToEnd')) } : {}),
    ...(has('k') ? { email: await measureEmail(options, rate) } : {}),
  }
}

async function measureQueues(options: Options): Promise<Queues> {
  const { waitingMost, waitingAtKill } = options
  const [backlog] = await step(
    '(f) a long queue',
    () => measureBacklog(options),
    ({ rssMb, long }) => `${whole(rssMb)} MB, drained in ${long.seconds.toFixed(1)} s`,
  )
  const [standing] =
    waitingMost === undefined
      ? []
      : await step(
          `(f) ${whole(waitingMost)} waiting`,
          () => measureStanding(waitingMost),
          ({ rssMb }) => `${whole(rssMb)} MB`,
        )
  const [restart] = await step(
    `(f) killed with ${whole(waitingAtKill)} waiting`,
    () => measureRestart(waitingAtKill),
    ({ readySeconds }) => `ready after ${readySeconds.toFixed(1)} s`,
  )
  return omitUndefined({ backlog, standing, restart })
}

async function measureAll(options: Options): Promise<Results> {
  using opened = new DisposableStack()
  const peers = options.peers && (options.parts.has('c') || options.parts.has('l')) ? await installPeers(opened) : {}
  const begunAt = performance.now()
  const machine = readMachine()
  const parts = await measureParts(options, peers)
  const { quick, seconds, runs, waiting } = options
  return {
    at: new Date().toISOString(),
    machine,
    options: { quick, seconds, runs, waiting },
    tookSeconds: (performance.now() - begunAt) / 1000,
    ...parts,
  }
}

function write(results: Results, folder: string): void {
  writeResults(folder, 'latest', results, toMarkdown(results))
  writeFileSync(join(folder, 'latest.svg'), toChart(results))
}

/** Loaded on demand, so that its drivers do not affect the other results. */
async function runCluster(options: Options): Promise<void> {
  const { measureCluster, measureClusterAgainst, printClusterProfile, writeCluster } = await import('./cluster/run.ts')
  const { against, out } = options
  if (options.profile) await printClusterProfile(options)
  else if (against !== undefined) writeAgainst(await measureClusterAgainst(options, against), out, 'cluster-against')
  else writeCluster(await measureCluster(options), out)
}

async function runIsolation(options: Options): Promise<void> {
  const { measureIsolation, writeIsolation } = await import('./isolation/run.ts')
  writeIsolation(await measureIsolation(options), options.out)
}

async function runAgainst(options: Options, tree: string): Promise<void> {
  writeAgainst(await measureAgainst(comparedOf(options), options, tree), options.out, 'against')
}

async function main(argv: readonly string[]): Promise<void> {
  const options = parseOptions(argv)
  if (options === undefined) process.stdout.write(HELP)
  else if (options.cluster) await runCluster(options)
  else if (options.isolation) await runIsolation(options)
  else if (options.profile) await printProfile(options)
  else if (options.against !== undefined) await runAgainst(options, options.against)
  else write(await measureAll(options), options.out)
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
