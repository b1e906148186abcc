/** (n2), (n3), (n6) and (n8): accepted → handed off → receipt → delivered by several processes, and the lag of the index. */
import { toClosedLoop, toOpenLoop } from '../accept.ts'
import { allDelivered, type EndToEnd, sustain } from '../end-to-end.ts'
import { measure } from '../measure.ts'
import type { Options } from '../options.ts'
import { runStretch, type Stretch } from '../stretch.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { type IndexLag, watchIndexLag } from './index-lag.ts'
import type { Postgres } from './postgres.ts'

export type Scale = Readonly<{ apis: number; workers: number; replicas?: 1 | 3 }>

export type ClusterEndToEnd = Readonly<{
  scale: Scale
  endToEnd: EndToEnd
  lagging?: Lagging
}>

/** Measured separately, because sampling costs CPU too. */
export type Lagging = Readonly<{ stretch: Stretch; lag: IndexLag }>

/** A fixed pace, held by so many processes. */
export type Paced = Readonly<{ scale: Scale; stretch: Stretch }>

type Times = Pick<Options, 'seconds' | 'warmUpSeconds' | 'settings' | 'tree'>

export async function measureEndToEnd(postgres: Postgres, scale: Scale, times: Times): Promise<ClusterEndToEnd> {
  await using cluster = await openWarm(postgres, scale, times)
  return { scale, endToEnd: await sustain(cluster, times) }
}

export async function measureWithLag(postgres: Postgres, scale: Scale, times: Times) {
  await using cluster = await openWarm(postgres, scale, times)
  const endToEnd = await sustain(cluster, times)
  return { scale, endToEnd, lagging: await measureLag(cluster, endToEnd.held.endToEndPerSecond, times) }
}

/** A pace that does not saturate the machine, so that only the cost of a message differs. */
export async function measureAtPace(postgres: Postgres, scale: Scale, rate: number, times: Times): Promise<Paced> {
  await using cluster = await openWarm(postgres, scale, times)
  // The warm-up accepts more than one worker sends meanwhile.
  await allDelivered(cluster)
  return { scale, stretch: await runStretch(cluster, toOpenLoop(cluster, rate, times), { rate }) }
}

/** Several processes on shared cores take longer to warm up than one. */
async function openWarm(postgres: Postgres, scale: Scale, times: Times): Promise<Cluster> {
  await using opened = new AsyncDisposableStack()
  const cluster = opened.use(await openCluster(postgres, { ...times, ...scale, sync: 'default', projectors: 1 }))
  await measure(cluster, toClosedLoop(cluster, times))
  opened.move()
  return cluster
}

async function measureLag(cluster: Cluster, rate: number, times: Times): Promise<Lagging> {
  await using watch = await watchIndexLag(cluster)
  const stretch = await runStretch(cluster, toOpenLoop(cluster, rate, { ...times, seconds: 2 * times.seconds }), {
    rate,
  })
  return { stretch, lag: await watch.lag() }
}
