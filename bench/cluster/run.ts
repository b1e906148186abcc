/** `--cluster`: runs all parts in sequence, on one PostgreSQL server and with a new broker each. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { measureAgainst } from '../against.ts'
import type { AgainstResults } from '../against-report.ts'
import { readMachine } from '../machine.ts'
import { writeResults } from '../markdown.ts'
import type { Measured } from '../measure.ts'
import type { ClusterPart, Options } from '../options.ts'
import { formatRate, step } from '../step.ts'
import { ms, whole } from '../verdict.ts'
import { measureAccept, measurePublish } from './accept.ts'
import { SYNCS, type Sync } from './broker.ts'
import { comparedOf } from './compared.ts'
import { type ClusterEndToEnd, measureAtPace, measureEndToEnd, measureWithLag, type Paced } from './end-to-end.ts'
import { measureFairness } from './fairness.ts'
import { measureFoundation } from './foundation.ts'
import { measureLimits } from './limits.ts'
import { openPostgres, type Postgres } from './postgres.ts'
import { printProfiles } from './profile.ts'
import { toChart, toMarkdown } from './report.ts'
import { type Accepting, type ClusterResults, cpuOf, nameOf, type Publishing, type Replicated } from './results.ts'

const APIS = [1, 2] as const
const SCALE = { apis: 1, workers: 2 }
/** Four api processes and as many workers can carry it on two cores. */
const PACE = 500
const REPLICAS = 3

export async function measureCluster(options: Options): Promise<ClusterResults> {
  const begunAt = performance.now()
  const machine = readMachine()
  await using postgres = await openPostgres()
  const { quick, seconds, runs, waiting, settings } = options
  return {
    at: new Date().toISOString(),
    machine,
    options: { quick, seconds, runs, waiting, settings },
    ...(await takeTurns(postgres, options)),
    ...(await measureParts(postgres, options)),
    tookSeconds: (performance.now() - begunAt) / 1000,
  }
}

type Turns = Pick<ClusterResults, 'publishing' | 'accepting'>

/** (n0) and (n1) alternate, so that changes of the machine affect both. */
async function takeTurns(postgres: Postgres, options: Options): Promise<Turns> {
  const [publishing, accepting]: [Publishing[], Accepting[]] = [[], []]
  for (const sync of SYNCS) {
    const published: Measured[] = []
    const accepted = APIS.map((apis) => ({ sync, apis, runs: [] as Measured[] }))
    for (let run = 1; run <= options.runs; run += 1) {
      published.push(...(await publishOnce(sync, run, options)))
      for (const { apis, runs } of accepted) runs.push(...(await acceptOnce(postgres, sync, apis, run, options)))
    }
    publishing.push({ sync, runs: published })
    accepting.push(...accepted)
  }
  return { publishing, accepting }
}

async function publishOnce(sync: Sync, run: number, options: Options): Promise<readonly Measured[]> {
  if (!options.clusterParts.has('n0')) return []
  return step(`(n0) publish, sync ${sync}, run ${run}`, () => measurePublish(sync, options), formatRate)
}

async function acceptOnce(postgres: Postgres, sync: Sync, apis: number, run: number, options: Options) {
  if (!options.clusterParts.has('n1')) return []
  const name = `(n1) apis ${apis}, sync ${sync}, run ${run}`
  return step(name, () => measureAccept(postgres, { sync, apis }, options), formatRate)
}

type Parts = Pick<ClusterResults, 'endToEnd' | 'fairness' | 'foundation' | 'scaling' | 'limits' | 'replicated'>

async function measureParts(postgres: Postgres, options: Options): Promise<Parts> {
  const has = (part: ClusterPart): boolean => options.clusterParts.has(part)
  // (n3) uses the pace of (n2).
  const take = has('n3') ? measureWithLag : measureEndToEnd
  const [endToEnd] =
    has('n2') || has('n3') ? await step('(n2) end to end', () => take(postgres, SCALE, options), formatEndToEnd) : []
  const [fairness] = has('n4')
    ? await step(
        '(n4) beside a long queue',
        () => measureFairness(postgres, options),
        ({ latency }) => `p50 ${ms(latency.p50)}, p99 ${ms(latency.p99)}`,
      )
    : []
  const [foundation] = has('n5')
    ? await step(
        '(n5) the stores alone',
        () => measureFoundation(postgres, options),
        ({ rows, jobs }) => `${whole(rows.at(-1)?.inserted ?? 0)} rows/s, ${whole(jobs.takenAndDone)} jobs/s`,
      )
    : []
  return omitUndefined({
    endToEnd,
    fairness,
    foundation,
    scaling: has('n6') ? await measureScaling(postgres, options) : [],
    limits: has('n7') ? await measureLimits(postgres, options) : undefined,
    replicated: has('n8') ? await measureReplicated(postgres, options) : undefined,
  })
}

const formatEndToEnd = ({ endToEnd: { held }, lagging }: ClusterEndToEnd): string =>
  [
    `${whole(held.endToEndPerSecond)}/s${held.sustained ? '' : ', with a growing backlog'}`,
    ...(lagging === undefined ? [] : [`index lag p99 ${whole(lagging.lag.latency.p99)} ms`]),
  ].join(', ')

async function measureScaling(postgres: Postgres, options: Options): Promise<readonly Paced[]> {
  const scaling: Paced[] = []
  for (const processes of options.scale) {
    const scale = { apis: processes, workers: processes }
    const name = `(n6) ${nameOf(scale)}, ${whole(PACE)}/s`
    scaling.push(...(await step(name, () => measureAtPace(postgres, scale, PACE, options), formatCost)))
  }
  return scaling
}

const formatCost = ({ stretch }: Paced): string => `${whole(cpuOf(stretch))} µs a message`

async function measureReplicated(postgres: Postgres, options: Options): Promise<Replicated> {
  const accepting: Measured[] = []
  const accept = () => measureAccept(postgres, { sync: 'default', apis: 1, replicas: REPLICAS }, options)
  for (let run = 1; run <= options.runs; run += 1) {
    accepting.push(...(await step(`(n8) durable 202 with three brokers, run ${run}`, accept, formatRate)))
  }
  const scale = { ...SCALE, replicas: REPLICAS } as const
  const [endToEnd] = await step(
    '(n8) end to end with three brokers',
    () => measureEndToEnd(postgres, scale, options),
    formatEndToEnd,
  )
  return omitUndefined({ accepting, endToEnd })
}

/** In turns with another checkout, each with processes and a broker of its own. */
export async function measureClusterAgainst(options: Options, tree: string): Promise<AgainstResults> {
  await using postgres = await openPostgres()
  return await measureAgainst(comparedOf(postgres, SCALE, options), options, tree)
}

/** With the processes of (n2). */
export async function printClusterProfile(options: Options): Promise<void> {
  await using postgres = await openPostgres()
  await printProfiles(postgres, SCALE, options)
}

export function writeCluster(results: ClusterResults, folder: string): void {
  writeResults(folder, 'cluster', results, toMarkdown(results))
  writeFileSync(join(folder, 'cluster.svg'), toChart(results))
}
