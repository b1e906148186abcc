/**
 * A whole cluster of real processes on loopback: NATS, PostgreSQL, Redis, the simulator, and members of Pombo
 * with their roles. Every member keeps its port, so that one that is killed comes back as itself.
 */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { mintToken } from '../../src/config/secrets.ts'
import { type Command, type Ended, type Env, startPombo } from './command.ts'
import { openFolder } from './folder.ts'
import { callerOf, type Gateway } from './gateway.ts'
import type { NatsOptions } from './nats-process.ts'
import { type NatsServer, newPrefix, openNats } from './nats-server.ts'
import { openPostgres, type PostgresServer, type TestDatabase } from './postgres-server.ts'
import { openRedisServer, type RedisServer } from './redis-server.ts'
import { openSlowProxy, type SlowProxy } from './slow-proxy.ts'
import { START_WITHIN_MS, until } from './until.ts'

/** A process of ours that can be killed and started again. */
export type Member = Readonly<{
  name: string
  url: string
  pid: () => number
  err: () => string
  hasEnded: () => boolean
  exited: () => Promise<Ended>
  kill: (signal: 'SIGKILL' | 'SIGTERM') => Promise<Ended>
  /** As this release, or as the one that `main` is of. */
  start: (main?: string) => Promise<void>
}>

export type ClusterOptions = Readonly<{
  /** Servers that nobody else uses, so that they can be stopped and killed. */
  own?: boolean
  nats?: NatsOptions
  replicas?: 1 | 3
  /** How many processes of which roles, such as `{ api: 2, worker: 2 }`; `api,worker` are two roles of one process. */
  plan: Readonly<Record<string, number>>
  /** What POMBO_CONFIG is to say. */
  config?: object
  env?: Env
  /** Further arguments of `pombo simulator`. */
  simulator?: readonly string[]
  /** Whether members reach NATS and PostgreSQL by ways that can be made slow. */
  proxied?: boolean
}>

/** What members go through to reach each NATS node, and PostgreSQL; none when they go there directly. */
export type Ways = Readonly<{ nats: readonly SlowProxy[]; postgres: readonly SlowProxy[] }>

export type Cluster = AsyncDisposable &
  Readonly<{
    settings: Env
    token: string
    nats: NatsServer
    postgres: PostgresServer
    redis: RedisServer
    database: TestDatabase
    ways: Ways
    simulator: Member
    /** What the simulator received; to be read while it is stopped. */
    simulatorFile: string
    members: readonly Member[]
    /** The members that have this role. */
    having: (role: string) => readonly Member[]
  }>

const secret = (): string => randomBytes(24).toString('base64url')

export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await openFolder())
  const { nats, postgres, redis, database } = await openStores(options, opened)
  const natsWay = await pave(nats.url, options, opened)
  const postgresWay = await pave(database.appUrl, options, opened)

  const roles = Object.entries(options.plan).flatMap(([role, count]) => Array<string>(count).fill(role))
  const ports = await Promise.all([...roles, 'simulator'].map(freePort))
  const simulatorPort = ports.pop() ?? 0
  const jwtSecret = `${secret()}${secret()}`
  const callbackPort = ports[roles.findIndex((role) => rolesNamed(role).includes('callbacks'))] ?? 0
  const settings = await settingsOf(options, folder.path, {
    POMBO_NATS_URL: natsWay.url,
    POMBO_POSTGRES_URL: postgresWay.url,
    POMBO_POSTGRES_OWNER_URL: database.ownerUrl,
    POMBO_REDIS_URL: redis.url,
    POMBO_JWT_SECRET: jwtSecret,
    POMBO_SIMULATOR_URL: `http://127.0.0.1:${simulatorPort}`,
    POMBO_PUBLIC_URL: `http://127.0.0.1:${callbackPort}`,
  })
  const simulatorFile = join(folder.path, 'simulator.db')
  const simulate = ['simulator', '--path', simulatorFile, '--port', `${simulatorPort}`, ...(options.simulator ?? [])]
  const simulator = toMember('simulator', simulatorPort, simulate, settings)
  const members = roles.map((role, place) =>
    toMember(`${role} ${place + 1}`, ports[place] ?? 0, ['serve', '--roles', rolesNamed(role)], settings),
  )
  for (const member of [simulator, ...members]) opened.defer(async () => void (await member.kill('SIGKILL')))
  await Promise.all([simulator, ...members].map((member) => member.start()))

  const claims = { tenantId: 'demo', accountId: 'default', scopes: ['admin'], expiresInSeconds: 86_400 }
  const token = await mintToken(Buffer.from(jwtSecret), claims)
  const closing = opened.move()
  return {
    settings,
    token,
    nats,
    postgres,
    redis,
    database,
    ways: { nats: natsWay.proxies, postgres: postgresWay.proxies },
    simulator,
    simulatorFile,
    members,
    having: (role) =>
      members.filter((_, place) =>
        rolesNamed(roles[place] ?? '')
          .split(',')
          .includes(role),
      ),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** All at the same time: the slowest takes a second. */
async function openStores({ own = false, nats: wanted }: ClusterOptions, opened: AsyncDisposableStack) {
  const [nats, postgres, redis] = await Promise.all([
    openNats(wanted ?? (own ? {} : undefined)),
    openPostgres({ own }),
    openRedisServer({ own }),
  ])
  for (const server of [nats, postgres, redis]) opened.use(server)
  return { nats, postgres, redis, database: opened.use(await postgres.migrated()) }
}

/** A member as those see it who only call it. It outlives the process that is behind it now. */
export function toGateway({ token }: Cluster, { url, kill, err, hasEnded, exited }: Member): Gateway {
  const call = callerOf(url, token)
  return { url, token, call, kill, err, hasEnded, exited: exited(), async [Symbol.asyncDispose]() {} }
}

type Way = Readonly<{ url: string; proxies: readonly SlowProxy[] }>

/** The same addresses, each with a proxy in front of it where they are wanted. */
async function pave(urls: string, { proxied = false }: ClusterOptions, opened: AsyncDisposableStack): Promise<Way> {
  if (!proxied) return { url: urls, proxies: [] }
  const targets = urls.split(',').map((url) => new URL(url))
  const proxies = await Promise.all(
    targets.map(async ({ hostname, port }) =>
      opened.use(await openSlowProxy({ host: hostname, port: Number(port) }, Number(port))),
    ),
  )
  for (const [place, target] of targets.entries()) target.port = String(proxies[place]?.port)
  return { url: targets.join(), proxies }
}

/** `all` is short for every role; an `api` takes the callbacks too. */
const rolesNamed = (role: string): string =>
  ({ all: 'api,worker,callbacks,poller,projector', api: 'api,callbacks', worker: 'worker,poller' })[role] ?? role

async function settingsOf(options: ClusterOptions, folder: string, found: Env): Promise<Env> {
  const path = join(folder, 'config.json')
  if (options.config !== undefined) await writeFile(path, JSON.stringify(options.config))
  return {
    POMBO_PROFILE: 'cluster',
    POMBO_NATS_PREFIX: newPrefix().toUpperCase(),
    POMBO_NATS_REPLICAS: String(options.replicas ?? 1),
    POMBO_MASTER_KEY: randomBytes(32).toString('hex'),
    POMBO_SIMULATOR_SECRET: secret(),
    POMBO_LOG_LEVEL: 'warn',
    ...(options.config === undefined ? {} : { POMBO_CONFIG: path }),
    ...found,
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

/** One that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}
