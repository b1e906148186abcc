/** A cluster of real processes on this machine: NATS, PostgreSQL, Redis, the simulator, and Pombo processes by role. */
import { randomBytes } from 'node:crypto'
import { mintToken } from '../../src/config/secrets.ts'
import { readMetrics } from '../metrics.ts'
import type { Options } from '../options.ts'
import { freePort, openFolder } from '../processes.ts'
import type { System } from '../target.ts'
import { type Broker, type BrokerPlan, openBroker } from './broker.ts'
import { type Launch, Members } from './members.ts'
import type { Postgres } from './postgres.ts'
import { openRedis, type RedisServer } from './redis.ts'
import { rssOf, type Watched, watchProcesses } from './watch.ts'

export type ClusterPlan = Pick<Launch, 'nodeArgs' | 'tree'> &
  Pick<Options, 'settings'> &
  BrokerPlan &
  Readonly<{ apis: number; workers: number; projectors: number }>

export type Cluster = System &
  AsyncDisposable &
  Readonly<{
    processes: () => readonly Watched[]
    natsUrl: string
    postgresUrl: string
    tokenOf: (tenantId: string) => Promise<string>
    addWorkers: (count: number) => Promise<void>
  }>

export async function openCluster(postgres: Postgres, plan: ClusterPlan): Promise<Cluster> {
  await using opened = new AsyncDisposableStack()
  const { path: cwd } = opened.use(openFolder())
  const broker = opened.use(await openBroker(plan))
  const redis = opened.use(await openRedis())
  const database = opened.use(await postgres.database())
  const ports = { simulator: await freePort(), callbacks: await freePort() }
  const jwtSecret = randomBytes(32).toString('base64url')
  const env = {
    ...settingsFor(ports),
    POMBO_NATS_URL: broker.url,
    POMBO_POSTGRES_URL: database.appUrl,
    POMBO_REDIS_URL: redis.url,
    POMBO_JWT_SECRET: jwtSecret,
    POMBO_NATS_REPLICAS: String(plan.replicas ?? 1),
    ...plan.settings,
  }
  const members = opened.use(new Members({ cwd, env, nodeArgs: plan.nodeArgs, tree: plan.tree }))
  await Promise.all([
    members.simulate(ports.simulator),
    members.serve('api', plan.apis, ports.callbacks),
    members.serve('worker', plan.workers),
    members.serve('projector', plan.projectors),
  ])

  const claims = { accountId: 'default', scopes: ['admin'], expiresInSeconds: 24 * 60 * 60 }
  const tokenOf = (tenantId: string) => mintToken(Buffer.from(jwtSecret), { ...claims, tenantId })
  const token = await tokenOf('demo')
  const watched = () => toWatched(broker, postgres, redis, members)
  const closing = opened.move()
  return {
    ports: members.withRole('api').map(({ port }) => port),
    token,
    processes: watched,
    natsUrl: broker.url,
    postgresUrl: database.appUrl,
    tokenOf,
    addWorkers: (count) => members.serve('worker', count),
    watch: () => watchProcesses(watched()),
    rssMb: () => rssOf(watched()),
    metrics: () => readMetrics(...members.all.filter(({ name }) => name !== 'simulator').map(({ port }) => port)),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** Receipts go to the first api process; in production a load balancer would spread them. */
const settingsFor = (ports: Readonly<{ simulator: number; callbacks: number }>) => ({
  POMBO_PROFILE: 'cluster',
  POMBO_METRICS_CACHE_SECONDS: '0',
  POMBO_MASTER_KEY: randomBytes(32).toString('hex'),
  POMBO_SIMULATOR_SECRET: randomBytes(16).toString('hex'),
  POMBO_SIMULATOR_URL: `http://127.0.0.1:${ports.simulator}`,
  POMBO_PUBLIC_URL: `http://127.0.0.1:${ports.callbacks}`,
  POMBO_SHUTDOWN_SECONDS: '2',
})

const toWatched = (
  { processes }: Broker,
  { pid }: Postgres,
  redis: RedisServer,
  members: Members,
): readonly Watched[] => [
  ...processes,
  ...(pid === undefined ? [] : [{ name: 'postgres', pid }]),
  { name: 'redis-server', pid: redis.pid },
  ...members.all,
]
