/**
 * The cluster profile: any number of processes on NATS JetStream (log, queue, keys), PostgreSQL (index and what tenants
 * configure) and Redis (rate limit counters, and copies of what many calls need).
 */
import { DEFAULT_PREFIX } from '../config/cluster-settings.ts'
import type { Config } from '../config/config.ts'
import { isSimulator } from '../config/file.ts'
import { logAgeOf } from '../config/retention.ts'
import { loadSecrets } from '../config/secrets.ts'
import type { ProviderName } from '../domain/ids.ts'
import { openSealer } from '../engines/crypto/sealer.ts'
import { openTextSealer } from '../engines/crypto/text-sealer.ts'
import { cachedRecipients } from '../engines/decorators/cached-recipients.ts'
import { type NatsEngine, openNatsEngine } from '../engines/nats/nats.ts'
import { openApiKeys } from '../engines/postgres/access/api-keys.ts'
import { openDomains } from '../engines/postgres/access/domains.ts'
import { openTenants } from '../engines/postgres/access/tenants.ts'
import { openPostgresLimits } from '../engines/postgres/limits.ts'
import { openPostgresIndex, type PostgresIndex } from '../engines/postgres/postgres.ts'
import { openRoutes } from '../engines/postgres/routes.ts'
import type { Setup } from '../flows/admin/import-setup.ts'
import type { Portions, ProjectDeps } from '../flows/admin/project.ts'
import type { Clock } from '../lib/clock.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Instant, instant, seconds } from '../lib/time.ts'
import type { Engines } from '../ports/engines.ts'
import type { Sealer } from '../ports/sealer.ts'
import type { Ahead } from '../ports/world.ts'
import { joinInboxes } from '../providers/simulator/inboxes.ts'
import { openRemoteSimulator } from '../providers/simulator/remote.ts'
import type { Simulator } from '../providers/simulator/simulator.ts'
import { Projector } from '../workers/projector.ts'
import { clusterRetention } from './cluster-retention.ts'
import { clusterUsage } from './cluster-usage.ts'
import { dkimSigningOf } from './dkim-signing.ts'
import { type ClusterLimits, openClusterLimits } from './limits.ts'
import { breakerPolicyOf, type Opening, type Profile, type Providers } from './profile.ts'
import { joinProviders } from './providers.ts'
import { type OnProgress, type Rebuilt, rebuild } from './rebuild.ts'
import { clusterStorage } from './storage.ts'

const systemClock = () => instant(Date.now())

export async function openCluster(opening: Opening): Promise<Profile> {
  const { config, secrets, clock, opened } = opening
  const sealer = openSealer(secrets.masterKey)
  const nats = opened.use(await openNats(config, sealer, clock, opening.time.ahead))
  const postgresUrl = required(config, 'postgresUrl')
  const {
    health: _,
    indexRetention,
    databaseBytes,
    usage: postgresUsage,
    ...postgres
  } = await openIndex(opening, postgresUrl)
  const { index } = postgres
  const limits = await openLimits(opening, postgresUrl)
  const copySealer = openTextSealer(secrets.masterKey, 'pombo copies v1')
  const cached = await openCached(opening, postgresUrl)
  const { log, feed, queue, carrierReferences, receiptForwarding, rounds, sinkPositions, sweep } = nats
  return {
    engines: {
      ...postgres,
      indexWriter: index,
      log,
      feed,
      queue,
      carrierReferences,
      receiptForwarding,
      rounds,
      sinkPositions,
      sweep,
      retention: clusterRetention({ index: indexRetention, broker: nats.brokerRetention }),
      usage: clusterUsage({ waiting: nats.waiting, postgres: postgresUsage }),
      limiter: limits.limiter,
      rules: limits.rules,
      recipients: cachedRecipients({ recipients: postgres.recipients, cache: limits.cache, sealer: copySealer }),
      ...cached,
      breakers: opened.use(await nats.openBreakers(breakerPolicyOf(config))),
      publishEvent: (event) => nats.publishEvent(event, { subjectPrefix: eventPrefixOf(config) }),
      startProjecting: (onFault) => startProjecting(config, { ...postgres, log }, nats, onFault),
    },
    blind: sealer.blind,
    alone: false,
    // PostgreSQL has ten connections for this.
    listsPerTenant: 3,
    health: async () => ({ ...(await limits.health()), ...healthOf(cached) }),
    areLimitsDegraded: () => limits.path() === 'postgres',
    storage: () => clusterStorage(nats, { databaseBytes }),
    needed: ['log'],
    openProviders: async (report) =>
      joinProviders(opening, openSimulators(opening), {
        report,
        carrierReferences,
        dkimSigningFor: dkimSigningOf(cached.domains, secrets.masterKey),
      }),
  }
}

async function openIndex({ opened, logLine }: Opening, url: string): Promise<PostgresIndex> {
  const onNewerSchema = (versions: Readonly<Record<string, unknown>>): void =>
    logLine('info', 'postgres: schema is newer than this release', versions)
  return opened.use(await openPostgresIndex({ url, onNewerSchema }))
}

async function openLimits({ config, clock, opened, onFault }: Opening, postgresUrl: string): Promise<ClusterLimits> {
  const redisUrl = required(config, 'redisUrl')
  return opened.use(await openClusterLimits({ redisUrl, postgresUrl, prefix: config.natsPrefix, clock, onFault }))
}

type Cached = Awaited<ReturnType<typeof openCached>>

/** What every process keeps in memory. */
async function openCached({ config, opened, onFault }: Opening, url: string) {
  return {
    routes: opened.use(await openRoutes({ url, file: config.routes, onFault })),
    tenants: opened.use(await openTenants({ url, file: config.tenants, onFault })),
    apiKeys: opened.use(await openApiKeys({ url, onFault })),
    domains: opened.use(await openDomains({ url, onFault })),
  }
}

const healthOf = ({ routes, tenants, apiKeys, domains }: Cached) => ({
  routes: routes.isLoaded() ? LOADED : NO_ROUTES,
  tenants: tenants.isLoaded() ? LOADED : NO_TENANTS,
  api_keys: apiKeys.isLoaded() ? LOADED : NO_API_KEYS,
  domains: domains.isLoaded() ? LOADED : NO_DOMAINS,
})

const LOADED = { ok: true }
const NO_ROUTES = { ok: false, detail: 'routes not loaded yet; nothing is sent until they are' }
const NO_API_KEYS = { ok: false, detail: 'API keys not loaded yet; calls with them are refused until they are' }
const NO_DOMAINS = {
  ok: false,
  detail: 'domains not loaded yet; calls that name a sender are refused until they are',
}
const NO_TENANTS = { ok: false, detail: 'tenants not loaded yet; nothing is sent until they are' }

/** The log and the queue, without PostgreSQL and Redis. */
export const openClusterStores = (config: Config): Promise<NatsEngine> =>
  openNats(config, openSealer(loadSecrets(config).masterKey), systemClock)

export type ClusterSetup = Setup &
  AsyncDisposable &
  Pick<Engines, 'apiKeys' | 'users' | 'tenants' | 'domains' | 'challenges' | 'auditLog'> &
  Readonly<{ mark: Sealer['mark'] }>

/** What tenants have configured, and the challenges. `mark` identifies the master key. */
export async function openClusterSetup(config: Config): Promise<ClusterSetup> {
  const url = required(config, 'postgresUrl')
  const { mark } = openSealer(loadSecrets(config).masterKey)
  await using opened = new AsyncDisposableStack()
  const postgres = opened.use(await openPostgresIndex({ url }))
  const { recipients, suppressions, templates, challenges, endpoints, auditLog, users } = postgres
  // Running gateways notice changed rules by themselves. An import does not wait for that after each rule.
  const noWaiting = { onFault: () => undefined, onUncounted: () => undefined, whenPropagated: async () => undefined }
  const { rules } = opened.use(await openPostgresLimits({ url, clock: systemClock, ...noWaiting }))
  const routes = opened.use(await openRoutes({ url, file: [], ...noWaiting }))
  const tenants = opened.use(await openTenants({ url, file: [], ...noWaiting }))
  const apiKeys = opened.use(await openApiKeys({ url, ...noWaiting }))
  const domains = opened.use(await openDomains({ url, ...noWaiting }))
  const all = opened.move()
  const moved = { rules, recipients, suppressions, templates, routes, tenants, apiKeys, domains, endpoints, challenges }
  return { ...moved, auditLog, users, mark, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** The users of the console, and the audit log. */
export const openClusterUsers = (
  config: Config,
): Promise<Pick<PostgresIndex, 'users' | 'auditLog'> & AsyncDisposable> =>
  openPostgresIndex({ url: required(config, 'postgresUrl') })

/** Rebuilds the index from the log. The gateway may keep running; search finds what has been rebuilt so far. */
export async function rebuildCluster(config: Config, onProgress: OnProgress): Promise<Rebuilt> {
  await using nats = await openClusterStores(config)
  await using postgres = await openPostgresIndex({ url: required(config, 'postgresUrl') })
  const { index, timeline, webhookDeliveries, receiptDeliveries, usage } = postgres
  const log = { ...nats.log, tip: nats.newestEvent }
  await usage.countTimelines()
  return await rebuild({ log, index, timeline, webhookDeliveries, receiptDeliveries, portions: LARGE }, onProgress)
}

const MAX_ACK_WAIT_SECONDS = 30

const openNats = (config: Config, sealer: Sealer, clock: Clock, ahead?: Ahead): Promise<NatsEngine> =>
  openNatsEngine({
    ...omitUndefined({ ahead, maxAge: logAgeOf(config) }),
    url: required(config, 'natsUrl'),
    prefix: config.natsPrefix,
    replicas: Number(config.natsReplicas),
    partitions: config.natsPartitions,
    // Jobs of a dead process are redelivered when the lease of its attempts ends, not later.
    ackWait: seconds(Math.min(MAX_ACK_WAIT_SECONDS, 2 * config.providerTimeoutSeconds)),
    sealer,
    clock,
    indexBodies: config.indexBodies,
  })

/** Large batches, because a round trip to PostgreSQL costs more than the rows it carries. */
const LARGE: Portions = { page: 512, step: 512 }
/** Most messages are delivered within it, and are then written once. The index is behind by this much at most. */
const HOLD_MS = 500
const PROJECTOR_PAUSE_MS = 50

/** Projects the log into the index and the timeline, and publishes integration events where they are wanted. */
async function startProjecting(
  config: Config,
  engines: Pick<ProjectDeps, 'log' | 'index' | 'timeline' | 'webhookDeliveries' | 'receiptDeliveries'>,
  nats: NatsEngine,
  onFault: (error: unknown) => void,
): Promise<AsyncDisposable> {
  const started = new AsyncDisposableStack()
  const subjectPrefix = eventPrefixOf(config)
  started.use(await nats.announce({ subjectPrefix, publishing: config.integrationEvents, onFault }))
  const { log, index, timeline, webhookDeliveries, receiptDeliveries } = engines
  const projected = omitUndefined({ log, index, timeline, webhookDeliveries, receiptDeliveries })
  started.use(new Projector({ ...projected, portions: { ...LARGE, holdMs: HOLD_MS } }, onFault, PROJECTOR_PAUSE_MS))
  return started
}

const eventPrefixOf = ({ natsPrefix }: Config): string => (natsPrefix === DEFAULT_PREFIX ? '' : `${natsPrefix}.`)

/** Publishes the integration events of the past. */
export async function replayClusterEvents(config: Config, since: Instant, onProgress: OnProgress): Promise<number> {
  await using nats = await openClusterStores(config)
  return await nats.replayEvents({ subjectPrefix: eventPrefixOf(config), since, onProgress })
}

function openSimulators({ config, time: { wall: clock }, opened }: Opening): Providers {
  const byName = new Map<ProviderName, Simulator>()
  for (const { name } of config.providers.filter(isSimulator)) {
    const callbackUrl = `${required(config, 'publicUrl')}/v1/callbacks/${name}`
    const [url, secret] = [required(config, 'simulatorUrl'), required(config, 'simulatorSecret')]
    byName.set(name, opened.use(openRemoteSimulator({ name, url, secret, callbackUrl, clock })))
  }
  // All of them are served by one simulator process, so one inbox shows every message.
  const inboxes = [...byName.values()].slice(0, 1)
  return omitUndefined({ byName, inbox: inboxes.length === 0 ? undefined : joinInboxes(inboxes) })
}

/** A setting that loadConfig requires in this profile. */
function required<Name extends keyof Config>(config: Config, name: Name): NonNullable<Config[Name]> {
  const value = config[name]
  if (value === undefined) throw new Error(`the cluster profile was opened without ${name}`)
  return value
}
