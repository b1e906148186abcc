/**
 * The composition root: opens engines and providers, hands them to the API and the workers, and
 * closes everything in reverse. Nothing else knows which engine or provider there is.
 */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { openAuthenticator } from './api/auth.ts'
import { openApi } from './api/server.ts'
import { localUrl } from './cli/local-url.ts'
import type { Config } from './config.ts'
import type { ProviderName } from './domain/ids.ts'
import { instant, seconds } from './domain/time.ts'
import { openIds } from './engines/crypto/ids.ts'
import { openSealer } from './engines/crypto/sealer.ts'
import { lockDataFolder } from './engines/sqlite/database.ts'
import type { SearchMethods } from './engines/sqlite/message-index.ts'
import { openSqlite, type SqliteEngine, toEngine } from './engines/sqlite/sqlite.ts'
import type { StoreMethods } from './engines/sqlite/store.ts'
import { openThread } from './engines/sqlite/thread-driver.ts'
import { dispatch } from './flows/dispatch.ts'
import { type PollDeps, poll } from './flows/poll.ts'
import { project } from './flows/project.ts'
import { recover } from './flows/recover.ts'
import { settle } from './flows/settle.ts'
import { openMetrics } from './observe/metrics.ts'
import { eventLogger, observedLog } from './observe/observed-log.ts'
import { openTracing, type Tracing } from './observe/tracing.ts'
import type { Receipt } from './ports/provider.ts'
import type { Queue } from './ports/queue.ts'
import type { Ids } from './ports/world.ts'
import { openSimulator, type Simulator } from './providers/simulator.ts'
import { recentLog } from './recent-log.ts'
import { DATABASE_FILE, loadSecrets, mintToken, type Secrets } from './secrets.ts'
import type { StoreThreadData } from './store-thread.ts'
import { Runner } from './workers/runner.ts'
import { Ticker } from './workers/ticker.ts'

export type App = Readonly<{
  url: string
  /** A token for trying it out, where the secret was made here. */
  token: string | undefined
  close: () => Promise<void>
}>

const clock = () => instant(Date.now())

export async function openApp(config: Config, { logger }: Readonly<{ logger: Logger }>): Promise<App> {
  const secrets = loadSecrets(config)
  await using opened = new AsyncDisposableStack()
  opened.use(lockDataFolder(config.dataDir))
  const engine = await openEngine(config, secrets, opened)
  const metrics = openMetrics(engine)
  const ids = openIds()
  const tracers = await openTracers(config, ids, logger, opened)
  const log = recentLog(observedLog(engine.log, metrics.observe, eventLogger(logger), ...tracers))
  const world = { ...engine, log, ids, clock }

  const report = async (receipts: readonly Receipt[]): Promise<void> => {
    await Promise.all(receipts.map((receipt) => settle(world, receipt)))
  }
  const providers = await openProviders(config, report, opened)
  startWorkers(config, { ...world, providers }, logger, opened)

  const api = await openApi({
    ...world,
    providers,
    blind: openSealer(secrets.masterKey).blind,
    auth: await openAuthenticator({ ...toTrust(config, secrets), clock }),
    maxParts: config.maxParts,
    publicUrl: config.publicUrl ?? localUrl(config),
    inbox: inboxOf(providers),
    health: async () => ({
      log: await check(() => engine.log.tip()),
      index: await check(() => engine.index.position()),
    }),
    metrics: metrics.registry,
    logger,
    observe: metrics,
  })
  opened.defer(() => closeApi(api, config))
  const url = await api.listen({ host: config.host, port: config.port })
  const token = await tryOutToken(config, secrets)
  const closing = opened.move()
  return { url, token, close: () => closing.disposeAsync() }
}

const pathOf = ({ dataDir }: Config): string => join(dataDir, DATABASE_FILE)

/** The database lives in two threads of its own, one that writes and one that searches. */
async function openEngine(config: Config, secrets: Secrets, opened: AsyncDisposableStack): Promise<SqliteEngine> {
  const { masterKey } = secrets
  const data: StoreThreadData = { path: pathOf(config), masterKey, indexBodies: config.indexBodies }
  const writer = opened.use(await openThread<StoreMethods>(new URL('./store-thread.ts', import.meta.url), data))
  const search = new URL('./engines/sqlite/reader-thread.ts', import.meta.url)
  const reader = opened.use(await openThread<SearchMethods>(search, { path: data.path }))
  return toEngine(writer, reader)
}

/** What tells a collector of each event, where there is one. */
async function openTracers(
  { otlpEndpoint: endpoint }: Config,
  ids: Ids,
  logger: Logger,
  opened: AsyncDisposableStack,
): Promise<readonly Tracing['observe'][]> {
  if (endpoint === undefined) return []
  const onFault = (error: Error): void => logger.warn({ err: error }, 'spans were lost')
  return [opened.use(await openTracing({ endpoint, ids, clock, onFault })).observe]
}

type Providers = ReadonlyMap<ProviderName, Simulator>

async function openProviders(
  config: Config,
  report: (receipts: readonly Receipt[]) => Promise<void>,
  opened: AsyncDisposableStack,
): Promise<Providers> {
  const providers = new Map<ProviderName, Simulator>()
  for (const { name, settings } of config.providers) {
    const path = join(config.dataDir, name === 'simulator' ? 'simulator.db' : `simulator-${name}.db`)
    providers.set(name, opened.use(await openSimulator({ ...settings, name, path, clock, report })))
  }
  return providers
}

const inboxOf =
  (providers: Providers): Simulator['inbox'] =>
  async (query) => {
    const inboxes = await Promise.all(providers.values().map((simulator) => simulator.inbox(query)))
    return inboxes
      .flat()
      .toSorted((one, other) => other.receivedAt - one.receivedAt)
      .slice(0, query.limit)
  }

type WorkDeps = PollDeps & Readonly<{ queue: Queue }>

const REPAIR_EVERY_MS = 10_000
const POLL_EVERY_MS = 5_000
/** How long a message may stand still before it counts as forgotten. */
const PATIENCE = seconds(10)

function startWorkers(config: Config, world: WorkDeps, logger: Logger, opened: AsyncDisposableStack): void {
  const timeout = seconds(config.providerTimeoutSeconds)
  const worker = { owner: world.ids.spanId(), lease: seconds(2 * config.providerTimeoutSeconds), alone: true }
  const deps = { ...world, dice: Math.random, routes: config.routes, worker, timeout }
  const onFault = (error: unknown, fields: object = {}): void =>
    logger.error({ ...fields, err: error }, 'a worker met a fault')

  let lastLook = clock()
  const look = async (): Promise<void> => {
    const since = lastLook
    lastLook = clock()
    await poll(deps, since)
  }
  opened.use(new Ticker({ chore: look, onFault }, POLL_EVERY_MS))
  opened.use(new Ticker({ chore: () => recover(deps, PATIENCE), onFault }, REPAIR_EVERY_MS))
  const runner = new Runner(
    {
      queue: world.queue,
      clock,
      handle: (taken) => dispatch(deps, taken),
      onFault: (error, { messageId, tenantId }) => onFault(error, { message_id: messageId, tenant_id: tenantId }),
    },
    config.concurrency,
  )
  // What is not finished by then comes to light on the next start, as an attempt nobody knows the outcome of.
  opened.defer(() =>
    Promise.race([runner[Symbol.asyncDispose](), wait(config.shutdownSeconds * 1000, undefined, { ref: false })]),
  )
}

function toTrust({ jwksUrl, jwksFile, jwtIssuer, jwtAudience }: Config, { jwtSecret }: Secrets) {
  const jwks = {
    ...(jwksUrl === undefined ? {} : { url: jwksUrl }),
    ...(jwksFile === undefined ? {} : { file: jwksFile }),
  }
  return {
    ...(jwtSecret === undefined ? {} : { secret: jwtSecret }),
    ...(Object.keys(jwks).length === 0 ? {} : { jwks }),
    ...(jwtIssuer === undefined ? {} : { issuer: jwtIssuer }),
    ...(jwtAudience === undefined ? {} : { audience: jwtAudience }),
  }
}

async function check(ask: () => Promise<unknown>): Promise<Readonly<{ ok: boolean; detail?: string }>> {
  try {
    await ask()
    return { ok: true }
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : 'it does not answer' }
  }
}

/** Whoever has not said what it wants by then, or does not listen, is not waited for. */
async function closeApi(api: FastifyInstance, { shutdownSeconds }: Config): Promise<void> {
  const impatience = setTimeout(() => api.server.closeAllConnections(), Math.min(shutdownSeconds, 5) * 1000)
  await api.close()
  clearTimeout(impatience)
}

const TRY_OUT_SECONDS = 30 * 24 * 60 * 60

/** Only a secret that was made here signs a token for whoever reads the terminal. */
async function tryOutToken(config: Config, { jwtSecret }: Secrets): Promise<string | undefined> {
  if (jwtSecret === undefined || config.jwtSecret !== undefined) return undefined
  const { jwtIssuer: issuer, jwtAudience: audience } = config
  const claims = { tenantId: 'demo', accountId: 'default', scopes: ['admin'], expiresInSeconds: TRY_OUT_SECONDS }
  return mintToken(jwtSecret, { ...claims, issuer, audience })
}

/** Makes the index again from the start of the log, while nothing else uses the data folder. */
export async function rebuildIndex(
  config: Config,
  onProgress: (done: number, total: number) => void,
): Promise<Readonly<{ events: number }>> {
  const { masterKey } = loadSecrets(config)
  using _lock = lockDataFolder(config.dataDir)
  await using engine = openSqlite({
    path: pathOf(config),
    clock,
    sealer: openSealer(masterKey),
    indexBodies: config.indexBodies,
  })
  const total = await engine.log.tip()
  await engine.index.clear()
  const stop = new AbortController()
  const rest = (): Promise<void> => Promise.resolve()
  const follow = (position: number): void => {
    onProgress(position, total)
    if (position >= total) stop.abort()
  }
  if (total > 0) await project({ ...engine, rest, onProgress: follow }, stop.signal)
  return { events: total }
}
