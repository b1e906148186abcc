/**
 * The cluster profile: the log, the queue and the keys on NATS JetStream, the index and what is set up on
 * PostgreSQL, the counts of limits on Redis, any number of processes.
 */
import { DEFAULT_PREFIX } from '../config/cluster-settings.ts'
import type { Config } from '../config/config.ts'
import { isSimulator } from '../config/file.ts'
import { loadSecrets } from '../config/secrets.ts'
import type { ProviderName } from '../domain/ids.ts'
import { openSealer } from '../engines/crypto/sealer.ts'
import { type NatsEngine, openNatsEngine } from '../engines/nats/nats.ts'
import { openPostgresLimits } from '../engines/postgres/limits.ts'
import { openPostgresIndex } from '../engines/postgres/postgres.ts'
import { openRoutes } from '../engines/postgres/routes.ts'
import type { Setup } from '../flows/admin/import-setup.ts'
import type { Portions, ProjectDeps } from '../flows/admin/project.ts'
import type { Clock } from '../lib/clock.ts'
import { instant, seconds } from '../lib/time.ts'
import type { Challenges } from '../ports/challenges.ts'
import type { Sealer } from '../ports/sealer.ts'
import type { Ahead } from '../ports/world.ts'
import { joinInboxes } from '../providers/simulator/inboxes.ts'
import { openRemoteSimulator } from '../providers/simulator/remote.ts'
import type { Simulator } from '../providers/simulator/simulator.ts'
import { Projector } from '../workers/projector.ts'
import { openClusterLimits } from './limits.ts'
import { breakerPolicyOf, type Opening, type Profile, type Providers } from './profile.ts'
import { joinProviders } from './providers.ts'
import { type OnProgress, type Rebuilt, rebuild } from './rebuild.ts'

const systemClock = () => instant(Date.now())

export async function openCluster(opening: Opening): Promise<Profile> {
  const { config, secrets, clock, opened, onFault, tell } = opening
  const sealer = openSealer(secrets.masterKey)
  const nats = opened.use(await openNats(config, sealer, clock, opening.time.ahead))
  const postgresUrl = required(config, 'postgresUrl')
  const { health: _, ...postgres } = opened.use(
    await openPostgresIndex({
      url: postgresUrl,
      onNewerSchema: (versions) => tell('info', 'the database schema is newer than this release', versions),
    }),
  )
  const { index, timeline } = postgres
  const limits = opened.use(
    await openClusterLimits({
      redisUrl: required(config, 'redisUrl'),
      postgresUrl,
      prefix: config.natsPrefix,
      clock,
      onFault,
    }),
  )
  const routes = opened.use(await openRoutes({ url: postgresUrl, file: config.routes, onFault }))
  const { log, queue, receipts, rounds, sweep } = nats
  return {
    engines: {
      ...postgres,
      log,
      queue,
      receipts,
      rounds,
      sweep,
      limiter: limits.limiter,
      rules: limits.rules,
      routes,
      breakers: opened.use(await nats.openBreakers(breakerPolicyOf(config))),
      startProjecting: (onFault) =>
        startProjecting(config, { log, index, timeline, webhookDeliveries: postgres.webhookDeliveries }, nats, onFault),
    },
    blind: sealer.blind,
    alone: false,
    health: async () => ({ ...(await limits.health()), routes: routes.isLoaded() ? { ok: true } : UNROUTED }),
    areLimitsDegraded: () => limits.path() === 'postgres',
    needed: ['log'],
    openProviders: async (report) => joinProviders(opening, openSimulators(opening), { report, receipts }),
  }
}

const UNROUTED = { ok: false, detail: 'the routes could not be read yet, so nothing is sent' }

/** The log and the queue alone. */
export const openClusterStores = (config: Config): Promise<NatsEngine> =>
  openNats(config, openSealer(loadSecrets(config).masterKey), systemClock)

export type ClusterSetup = Setup & AsyncDisposable & Readonly<{ challenges: Challenges; mark: Sealer['mark'] }>

/** What is set up, and the challenges. `mark` is that of the master key. */
export async function openClusterSetup(config: Config): Promise<ClusterSetup> {
  const url = required(config, 'postgresUrl')
  const { mark } = openSealer(loadSecrets(config).masterKey)
  await using opened = new AsyncDisposableStack()
  const { recipients, suppressions, templates, challenges, endpoints } = opened.use(await openPostgresIndex({ url }))
  // Nobody here counts or sends, and who does hears of what has changed by himself: many are not to wait for that one by one.
  const quiet = { onFault: () => undefined, onUncounted: () => undefined, whenPropagated: async () => undefined }
  const { rules } = opened.use(await openPostgresLimits({ url, clock: systemClock, ...quiet }))
  const routes = opened.use(await openRoutes({ url, file: [], ...quiet }))
  const all = opened.move()
  const moved = { rules, recipients, suppressions, templates, routes, endpoints, challenges }
  return { ...moved, mark, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** Makes the index again from the log; the gateway may go on meanwhile, and search finds what is there already. */
export async function rebuildCluster(config: Config, onProgress: OnProgress): Promise<Rebuilt> {
  await using nats = await openClusterStores(config)
  await using postgres = await openPostgresIndex({ url: required(config, 'postgresUrl') })
  const { index, timeline, webhookDeliveries } = postgres
  return await rebuild({ log: nats.log, index, timeline, webhookDeliveries, portions: LARGE }, onProgress)
}

const DAY = 24 * 60 * 60
const MOST_ACK_WAIT_SECONDS = 30

const openNats = (config: Config, sealer: Sealer, clock: Clock, ahead?: Ahead): Promise<NatsEngine> =>
  openNatsEngine({
    ...(ahead === undefined ? {} : { ahead }),
    url: required(config, 'natsUrl'),
    prefix: config.natsPrefix,
    replicas: Number(config.natsReplicas),
    partitions: config.natsPartitions,
    ...(config.logDays === 0 ? {} : { maxAge: seconds(config.logDays * DAY) }),
    // What a dead process had in hand cannot be judged before its lease ends, and need not wait for longer.
    ackWait: seconds(Math.min(MOST_ACK_WAIT_SECONDS, 2 * config.providerTimeoutSeconds)),
    sealer,
    clock,
    indexBodies: config.indexBodies,
  })

/** A round trip to the database costs more than what it carries. */
const LARGE: Portions = { page: 512, step: 512 }
const REST_MS = 50

/** The index and the timeline follow the log, and the outside is told of it on subjects of its own. */
async function startProjecting(
  { natsPrefix }: Config,
  engines: Pick<ProjectDeps, 'log' | 'index' | 'timeline' | 'webhookDeliveries'>,
  nats: NatsEngine,
  onFault: (error: unknown) => void,
): Promise<AsyncDisposable> {
  const subjectPrefix = natsPrefix === DEFAULT_PREFIX ? '' : `${natsPrefix}.`
  const started = new AsyncDisposableStack()
  started.use(await nats.announce({ subjectPrefix, onFault }))
  started.use(new Projector({ ...engines, portions: LARGE }, onFault, REST_MS))
  return started
}

function openSimulators({ config, time: { wall: clock }, opened }: Opening): Providers {
  const byName = new Map<ProviderName, Simulator>()
  for (const { name } of config.providers.filter(isSimulator)) {
    const callbackUrl = `${required(config, 'publicUrl')}/v1/callbacks/${name}`
    const [url, secret] = [required(config, 'simulatorUrl'), required(config, 'simulatorSecret')]
    byName.set(name, opened.use(openRemoteSimulator({ name, url, secret, callbackUrl, clock })))
  }
  // They share one world, so one of them tells of all that arrived there.
  return { byName, ...(byName.size === 0 ? {} : { inbox: joinInboxes([...byName.values()].slice(0, 1)) }) }
}

/** A setting that loadConfig has seen to in this profile. */
function required<Name extends keyof Config>(config: Config, name: Name): NonNullable<Config[Name]> {
  const value = config[name]
  if (value === undefined) throw new Error(`the cluster profile was opened without ${name}`)
  return value
}
