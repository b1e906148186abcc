/**
 * A cluster of real processes on loopback: NATS, PostgreSQL, Redis, the simulator, and Pombo members with their roles.
 * A member keeps its port when it is killed and started again.
 */

import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mintToken } from '../../src/config/secrets.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { type Command, type Ended, type Env, startPombo } from './command.ts'
import { openFolder } from './folder.ts'
import { freePorts } from './free-port.ts'
import { callerOf, type Gateway } from './gateway.ts'
import type { NatsOptions } from './nats-process.ts'
import { type NatsServer, newPrefix, openNats } from './nats-server.ts'
import { openPostgres, type PostgresServer, type TestDatabase } from './postgres-server.ts'
import { openRedisServer, type RedisServer } from './redis-server.ts'
import { openSlowProxy, type SlowProxy } from './slow-proxy.ts'
import { START_WITHIN_MS, until } from './until.ts'

/** A Pombo process that can be killed and started again. */
export type Member = Readonly<{
  name: string
  url: string
  pid: () => number
  err: () => string
  hasEnded: () => boolean
  exited: () => Promise<Ended>
  kill: (signal: 'SIGKILL' | 'SIGTERM') => Promise<Ended>
  /** Starts this release, or the one whose main file is `main`. */
  start: (main?: string) => Promise<void>
}>

export type ClusterOptions = Readonly<{
  /** Starts servers for this cluster only, so that a test can stop and kill them. */
  own?: boolean
  nats?: NatsOptions
  replicas?: 1 | 3
  /** The number of processes per role, such as `{ api: 2, worker: 2 }`; `api,worker` are two roles of one process. */
  plan: Readonly<Record<string, number>>
  /** The content of the POMBO_CONFIG file. */
  config?: object
  env?: Env
  /** More arguments of `pombo simulator`. */
  simulator?: readonly string[]
  /** Connects the members to NATS and PostgreSQL through proxies that can be slowed down. */
  proxied?: boolean
}>

/** The proxies in front of each NATS node and of PostgreSQL; empty without `proxied`. */
export type ClusterProxies = Readonly<{ nats: readonly SlowProxy[]; postgres: readonly SlowProxy[] }>

export type Cluster = AsyncDisposable &
  Readonly<{
    settings: Env
    token: string
    nats: NatsServer
    postgres: PostgresServer
    redis: RedisServer
    database: TestDatabase
    proxies: ClusterProxies
    simulator: Member
    /** The simulator's database; read it only while the simulator is stopped. */
    simulatorFile: string
    members: readonly Member[]
    withRole: (role: string) => readonly Member[]
  }>

const secret = (): string => randomBytes(24).toString('base64url')

export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await openFolder())
  const { nats, postgres, redis, database } = await openStores(options, opened)
  const proxiedNats = await addProxies(nats.url, options, opened)
  const proxiedPostgres = await addProxies(database.appUrl, options, opened)

  const roles = Object.entries(options.plan).flatMap(([role, count]) => Array<string>(count).fill(role))
  const [simulatorPort = 0, ...ports] = await freePorts(roles.length + 1)
  const jwtSecret = `${secret()}${secret()}`
  const callbackPort = ports[roles.findIndex((role) => expandRoles(role).includes('callbacks'))] ?? 0
  const settings = await settingsOf(options, folder.path, {
    POMBO_NATS_URL: proxiedNats.url,
    POMBO_POSTGRES_URL: proxiedPostgres.url,
    POMBO_POSTGRES_OWNER_URL: database.ownerUrl,
    POMBO_REDIS_URL: redis.url,
    POMBO_JWT_SECRET: jwtSecret,
    POMBO_SIMULATOR_URL: `http://127.0.0.1:${simulatorPort}`,
    POMBO_PUBLIC_URL: `http://127.0.0.1:${callbackPort}`,
  })
  const simulatorFile = join(folder.path, 'simulator.db')
  const simulate = ['simulator', '--path', simulatorFile, '--port', `${simulatorPort}`, ...(options.simulator ?? [])]
  const simulator = toMember('simulator', simulatorPort, simulate, settings)
  const members = roles.map((role, index) =>
    toMember(`${role} ${index + 1}`, ports[index] ?? 0, ['serve', '--roles', expandRoles(role)], settings),
  )
  for (const member of [simulator, ...members]) opened.defer(async () => void (await member.kill('SIGKILL')))
  await Promise.all([simulator, ...members].map((member) => member.start()))

  const claims = { tenantId: 'demo', accountId: 'default', scopes: ['operator'], expiresInSeconds: 86_400 }
  const token = await mintToken(Buffer.from(jwtSecret), claims)
  const closing = opened.move()
  return {
    settings,
    token,
    nats,
    postgres,
    redis,
    database,
    proxies: { nats: proxiedNats.proxies, postgres: proxiedPostgres.proxies },
    simulator,
    simulatorFile,
    members,
    withRole: (role) =>
      members.filter((_, index) =>
        expandRoles(roles[index] ?? '')
          .split(',')
          .includes(role),
      ),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** Starts them concurrently: the slowest takes a second. */
async function openStores({ own = false, nats: natsOptions }: ClusterOptions, opened: AsyncDisposableStack) {
  const [nats, postgres, redis] = await Promise.all([
    openNats(natsOptions ?? (own ? {} : undefined)),
    openPostgres({ own }),
    openRedisServer({ own }),
  ])
  for (const server of [nats, postgres, redis]) opened.use(server)
  return { nats, postgres, redis, database: opened.use(await postgres.migrated()) }
}

/** A client of the member that stays valid when the process restarts. */
export function toGateway({ token }: Cluster, { url, kill, err, hasEnded, exited }: Member): Gateway {
  const call = callerOf(url, token)
  return { url, token, call, kill, err, hasEnded, exited: exited(), async [Symbol.asyncDispose]() {} }
}

type ProxiedUrl = Readonly<{ url: string; proxies: readonly SlowProxy[] }>

/** Puts a proxy in front of each address if `proxied` is set. */
async function addProxies(
  urls: string,
  { proxied = false }: ClusterOptions,
  opened: AsyncDisposableStack,
): Promise<ProxiedUrl> {
  if (!proxied) return { url: urls, proxies: [] }
  const targets = urls.split(',').map((url) => new URL(url))
  const proxies = await Promise.all(
    targets.map(async ({ hostname, port }) =>
      opened.use(await openSlowProxy({ host: hostname, port: Number(port) }, Number(port))),
    ),
  )
  for (const [index, target] of targets.entries()) target.port = String(proxies[index]?.port)
  return { url: targets.join(), proxies }
}

/** `all` is short for every role; an `api` also receives callbacks, and a `worker` also polls. */
const expandRoles = (role: string): string =>
  ({ all: 'api,worker,callbacks,poller,projector', api: 'api,callbacks', worker: 'worker,poller' })[role] ?? role

async function settingsOf(options: ClusterOptions, folder: string, addresses: Env): Promise<Env> {
  const path = join(folder, 'config.json')
  if (options.config !== undefined) await writeFile(path, JSON.stringify(options.config))
  return {
    POMBO_PROFILE: 'cluster',
    POMBO_NATS_PREFIX: newPrefix().toUpperCase(),
    POMBO_NATS_REPLICAS: String(options.replicas ?? 1),
    POMBO_MASTER_KEY: randomBytes(32).toString('hex'),
    POMBO_SIMULATOR_SECRET: secret(),
    POMBO_LOG_LEVEL: 'warn',
    // Tests wait for what a scrape reads from the stores.
    POMBO_METRICS_CACHE_SECONDS: '0',
    ...omitUndefined({ POMBO_CONFIG: options.config && path }),
    ...addresses,
    ...options.env,
  }
}

function toMember(name: string, port: number, args: readonly string[], settings: Env): Member {
  let command: Command | undefined
  const running = (): Command => {
    if (command === undefined) throw new Error(`${name} was never started`)
    return command
  }
  const url = `http://127.0.0.1:${port}`
  return {
    name,
    url,
    pid: () => running().pid,
    err: () => running().err(),
    hasEnded: () => running().hasEnded(),
    exited: () => running().ended,
    kill: (signal) => running().kill(signal),
    async start(main) {
      const started = startPombo(args, { ...settings, POMBO_PORT: String(port) }, main)
      command = started
      await until(`${name} to listen`, () => isListening(name, started, url), { withinMs: START_WITHIN_MS })
    },
  }
}

async function isListening(name: string, command: Command, url: string): Promise<boolean> {
  if (command.hasEnded()) throw new Error(`${name} ended before it listened: ${command.err()}`)
  const path = name === 'simulator' ? '/health' : '/health/live'
  return fetch(`${url}${path}`).then(
    ({ ok }) => ok,
    () => false,
  )
}
