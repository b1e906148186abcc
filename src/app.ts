/**
 * The composition root: opens the engines and providers of the profile, hands them to the API and to
 * the roles of this process, and closes everything in reverse. Nothing below knows which engine or
 * provider there is.
 */
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { openAuthenticator } from './api/auth.ts'
import type { Health } from './api/health.ts'
import { openApi } from './api/server.ts'
import { localUrl } from './cli/local-url.ts'
import { type Role, rolesOf } from './config/settings.ts'
import type { Config } from './config.ts'
import { instant } from './domain/time.ts'
import { openIds } from './engines/crypto/ids.ts'
import { settle } from './flows/settle.ts'
import { openMetrics } from './observe/metrics.ts'
import { eventLogger, observedLog } from './observe/observed-log.ts'
import { openTracing, type Tracing } from './observe/tracing.ts'
import type { Ids } from './ports/world.ts'
import type { Profile, Report } from './profiles/profile.ts'
import { recentLog } from './recent-log.ts'
import { startRoles } from './roles.ts'
import { loadSecrets, mintToken, type Secrets } from './secrets.ts'

export type App = Readonly<{
  url: string
  /** A token for trying it out, where the secret was made here. */
  token: string | undefined
  close: () => Promise<void>
}>

const clock = () => instant(Date.now())

export async function openApp(config: Config, { logger }: Readonly<{ logger: Logger }>): Promise<App> {
  const secrets = loadSecrets(config)
  const roles = rolesOf(config)
  await using opened = new AsyncDisposableStack()
  const profile = await openProfile(config, secrets, opened)
  const { engines } = profile
  const metrics = openMetrics(engines)
  const ids = openIds()
  const tracers = await openTracers(config, ids, logger, opened)
  const observed = observedLog(engines.log, metrics.observe, eventLogger(logger), ...tracers)
  // Where others write too, what was remembered would be out of date more often than not.
  const log = profile.alone ? recentLog(observed) : observed
  const world = { ...engines, log, ids, clock }

  const report: Report = async (receipts) => {
    await Promise.all(receipts.map((receipt) => settle(world, receipt)))
  }
  const { byName: providers, inbox } = await profile.openProviders(report)
  const api = await openApi({
    ...world,
    providers,
    blind: profile.blind,
    auth: await openAuthenticator({ ...toTrust(config, secrets), clock }),
    maxParts: config.maxParts,
    publicUrl: config.publicUrl ?? localUrl(config),
    ...(inbox === undefined ? {} : { inbox }),
    serves: { api: roles.has('api'), webhooks: roles.has('webhook') },
    health: healthOf(profile, roles),
    metrics: metrics.registry,
    logger,
    observe: metrics,
  })
  await startRoles({ ...world, providers, alone: profile.alone }, { config, roles, logger }, opened)
  opened.defer(() => closeApi(api, config))
  const url = await api.listen({ host: config.host, port: config.port })
  const token = await tryOutToken(config, secrets)
  const closing = opened.move()
  return { url, token, close: () => closing.disposeAsync() }
}

/** Only the one that is wanted is loaded: the drivers of the other would cost time and memory. */
async function openProfile(config: Config, secrets: Secrets, opened: AsyncDisposableStack): Promise<Profile> {
  if (config.profile === 'embedded') {
    return (await import('./profiles/embedded.ts')).openEmbedded(config, secrets, opened)
  }
  return (await import('./profiles/cluster.ts')).openCluster(config, secrets, opened)
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

/** A projector cannot work without the index; the others can where the profile says so. */
function healthOf({ engines: { log, index }, needed }: Profile, roles: ReadonlySet<Role>): Health {
  const isNeeded = (name: 'log' | 'index'): boolean => needed.includes(name) || (name === 'index' && isProjecting)
  const isProjecting = roles.size === 1 && roles.has('projector')
  return async () => ({
    log: { ...(await check(() => log.tip())), needed: isNeeded('log') },
    index: { ...(await check(() => index.position())), needed: isNeeded('index') },
  })
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
