/** Accepting messages on JetStream: (n0) Fastify with one publish, (n1) Pombo with only api processes. */
import { join } from 'node:path'
import { toClosedLoop } from '../accept.ts'
import { type Measured, measure } from '../measure.ts'
import type { Options } from '../options.ts'
import { BANNER, openServer, type Server } from '../server.ts'
import type { Target } from '../target.ts'
import { type Broker, type BrokerPlan, openBroker, type Sync } from './broker.ts'
import { openCluster } from './cluster.ts'
import type { Postgres } from './postgres.ts'
import { rssOf, watchProcesses } from './watch.ts'

type Times = Pick<Options, 'seconds' | 'warmUpSeconds' | 'settings' | 'tree'>

export async function measurePublish(sync: Sync, times: Pick<Times, 'seconds' | 'warmUpSeconds'>): Promise<Measured> {
  await using broker = await openBroker({ sync })
  await using server = await openServer({
    name: 'Fastify with one publish',
    file: process.execPath,
    args: [join(import.meta.dirname, 'publish-server.ts'), broker.url],
    ready: BANNER,
  })
  return await measure(toTarget(broker, server), toClosedLoop(server, times))
}

function toTarget(broker: Broker, server: Server): Target {
  const processes = [...broker.processes, { name: 'api', pid: server.pid }]
  return { ...server, watch: () => watchProcesses(processes), rssMb: () => rssOf(processes) }
}

/** Nothing is sent or indexed meanwhile; the jobs wait. */
export async function measureAccept(
  postgres: Postgres,
  plan: BrokerPlan & Readonly<{ apis: number }>,
  times: Times,
): Promise<Measured> {
  await using cluster = await openCluster(postgres, { ...times, ...plan, workers: 0, projectors: 0 })
  return await measure(cluster, toClosedLoop(cluster, times))
}
