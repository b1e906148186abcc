/** `npm run bench`: measures in one run, on one machine, and writes the table and the chart to bench/results. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureAccept, measureAcceptAlone, measureBare, measureBatch, measureLatency } from './accept.ts'
import { measureBacklog } from './backlog.ts'
import { toChart } from './chart.ts'
import { measureEndToEnd } from './end-to-end.ts'
import { readMachine } from './machine.ts'
import type { Measured } from './measure.ts'
import { HELP, type Options, parseOptions } from './options.ts'
import { measureBullmq } from './peers/bullmq.ts'
import { measureKannel } from './peers/kannel.ts'
import type { Peer } from './peers/peer.ts'
import { leaveNothingBehind } from './processes.ts'
import { printProfile } from './profile.ts'
import { toMarkdown } from './report.ts'
import { type Results, rateOf, whole } from './results.ts'

const FOLDER = join(import.meta.dirname, 'results')
/** Nothing takes this long unless it is stuck. */
const LONGEST_MS = 20 * 60 * 1000

const say = (text: string): void => void process.stderr.write(`${text}\n`)

async function step<Value>(name: string, take: () => Promise<Value>, tell: (value: Value) => string): Promise<Value> {
  const value = await take()
  say(`${name.padEnd(34)} ${tell(value)}`)
  return value
}

const tellRate = ({ messagesPerSecond, load }: Measured): string =>
  `${whole(messagesPerSecond)}/s, p99 ${load.latency.p99.toFixed(1)} ms`

/** In turns, so that a machine that changes its mind changes it for both. */
async function takeTurns(options: Options): Promise<Pick<Results, 'bare' | 'accept'>> {
  const [bare, accept]: [Measured[], Measured[]] = [[], []]
  const rounds = Array.from({ length: options.runs }, (_, round) => round + 1)
  for (const round of rounds) {
    if (options.parts.has('a')) {
      bare.push(await step(`(a) bare Fastify, run ${round}`, () => measureBare(options), tellRate))
    }
    if (options.parts.has('b') || (options.parts.has('e') && round === 1)) {
      accept.push(await step(`(b) durable 202, run ${round}`, () => measureAccept(options), tellRate))
    }
  }
  return { ...(bare.length > 0 ? { bare } : {}), ...(accept.length > 0 ? { accept } : {}) }
}

async function measureParts(options: Options): Promise<Partial<Results>> {
  const { parts } = options
  const turns = await takeTurns(options)
  const acceptAlone = parts.has('b2')
    ? await step('(b2) durable 202, nothing sent', () => measureAcceptAlone(options), tellRate)
    : undefined
  const endToEnd = parts.has('c')
    ? await step(
        '(c) end to end',
        () => measureEndToEnd(options),
        ({ held }) => `${whole(held.deliveredPerSecond)}/s`,
      )
    : undefined
  const batch: Measured[] = []
  for (let run = 1; parts.has('d') && run <= options.runs; run += 1) {
    batch.push(
      await step(`(d) batches, run ${run}`, () => measureBatch({ ...options, seconds: options.seconds / 2 }), tellRate),
    )
  }
  const rate = rateOf(turns.accept)
  const latency =
    parts.has('e') && rate !== undefined
      ? await step('(e) at half the rate of (b)', () => measureLatency(rate / 2, options), tellRate)
      : undefined
  const backlog = parts.has('f')
    ? await step(
        '(f) a long queue',
        () => measureBacklog(options),
        ({ rssMb }) => `${whole(rssMb)} MB`,
      )
    : undefined
  return {
    ...turns,
    ...(acceptAlone === undefined ? {} : { acceptAlone }),
    ...(endToEnd === undefined ? {} : { endToEnd }),
    ...(batch.length > 0 ? { batch } : {}),
    ...(latency === undefined ? {} : { latency }),
    ...(backlog === undefined ? {} : { backlog }),
  }
}

const tellPeer = ({ load, endToEndPerSecond }: Peer): string =>
  `${whole(load.perSecond)}/s, end to end ${whole(endToEndPerSecond)}/s`

async function measurePeers(options: Options): Promise<readonly Peer[]> {
  return [
    await step('Kannel with fakesmsc', () => measureKannel(options), tellPeer),
    await step('Fastify, BullMQ and Redis', () => measureBullmq(options), tellPeer),
  ]
}

async function main(argv: readonly string[]): Promise<void> {
  const options = parseOptions(argv)
  if (options === undefined) return void process.stdout.write(HELP)
  if (options.profile) return printProfile(options)

  const begunAt = performance.now()
  const machine = readMachine()
  const measured = await measureParts(options)
  const peers = options.peers ? { peers: await measurePeers(options) } : {}
  const { quick, seconds, runs, waiting } = options
  const results: Results = {
    at: new Date().toISOString(),
    machine,
    options: { quick, seconds, runs, waiting },
    tookSeconds: (performance.now() - begunAt) / 1000,
    ...measured,
    ...peers,
  }
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, 'latest.json'), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(FOLDER, 'latest.svg'), toChart(results))
  writeFileSync(join(FOLDER, 'latest.md'), toMarkdown(results))
  process.stdout.write(`\n${toMarkdown(results)}`)
}

leaveNothingBehind()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))
setTimeout(() => {
  say('the benchmark is stuck')
  process.exit(1)
}, LONGEST_MS).unref()

try {
  await main(process.argv.slice(2))
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
