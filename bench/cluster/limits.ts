/** (n7): the cost of limits in the cluster: (n1) with one api process, with and without limits, and decisions alone. */

import { setTimeout as wait } from 'node:timers/promises'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { instant } from '../../src/lib/time.ts'
import { openClusterLimits } from '../../src/profiles/limits.ts'
import { toClosedLoop } from '../accept.ts'
import { countDecisions, type Decisions } from '../decisions.ts'
import { formatDecisions, mustHaveCounted, setLimits } from '../limits.ts'
import { type Measured, measure } from '../measure.ts'
import type { Options } from '../options.ts'
import { formatRate, step } from '../step.ts'
import { measureAccept } from './accept.ts'
import { openCluster } from './cluster.ts'
import type { Postgres } from './postgres.ts'
import { openRedis } from './redis.ts'

export type ClusterLimits = Readonly<{
  unlimited: readonly Measured[]
  limited: readonly Measured[]
  decisions?: Decisions
}>

const SYNC = 'default'
const APIS = 1
/** A new Redis loads counters of limits that are older than itself from PostgreSQL, so the limits are set later. */
const FRESH_MS = 3_000

export async function measureLimits(postgres: Postgres, options: Options): Promise<ClusterLimits> {
  const [unlimited, limited]: [Measured[], Measured[]] = [[], []]
  for (let run = 1; run <= options.runs; run += 1) {
    const free = () => measureAccept(postgres, { sync: SYNC, apis: APIS }, options)
    unlimited.push(...(await step(`(n7) without limits, run ${run}`, free, formatRate)))
    limited.push(...(await step(`(n7) under limits, run ${run}`, () => measureLimited(postgres, options), formatRate)))
  }
  const decide = () => measureDecisions(postgres, options)
  const [decisions] = await step('(n7) decisions alone', decide, formatDecisions)
  return omitUndefined({ unlimited, limited, decisions })
}

export async function measureLimited(postgres: Postgres, options: Options): Promise<Measured> {
  const { settings, tree } = options
  const plan = { settings, tree, sync: SYNC, apis: APIS, workers: 0, projectors: 0 } as const
  await using cluster = await openCluster(postgres, plan)
  const sender = { port: cluster.ports[0] ?? 0, token: cluster.token }
  await wait(FRESH_MS)
  await setLimits(sender)
  const measured = await measure(cluster, toClosedLoop(cluster, options))
  await mustHaveCounted(sender)
  return measured
}

/** Redis decides, and every count is written to PostgreSQL. */
async function measureDecisions(postgres: Postgres, options: Options): Promise<Decisions> {
  await using redis = await openRedis()
  await using database = await postgres.database()
  const faults: unknown[] = []
  await using limits = await openClusterLimits({
    redisUrl: redis.url,
    postgresUrl: database.appUrl,
    prefix: 'BENCH',
    clock: () => instant(Date.now()),
    onFault: (error) => faults.push(error),
  })
  const decisions = await countDecisions(limits.limiter, options)
  if (faults.length > 0) throw new Error('Redis did not decide all the time', { cause: faults[0] })
  return decisions
}
