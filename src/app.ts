/**
 * The composition root: opens the engines and providers of the profile, passes them to the API and to the roles of this
 * process, and closes everything in reverse order. Nothing below knows which engines and providers are in use.
 */
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { openAccess } from './access.ts'
import { mailAlerts, openAlerts } from './alerts.ts'
import type { Health } from './api/operations/health.ts'
import { openApi } from './api/server.ts'
import type { Config } from './config/config.ts'
import { dnsServersOf } from './config/dns-servers.ts'
import { retentionPolicyOf } from './config/retention.ts'
import { loadSecrets, mintToken, type Secrets } from './config/secrets.ts'
import { localUrl, networksOf, type Role, rolesOf, trustedProxiesOf } from './config/settings.ts'
import type { TenantId } from './domain/ids.ts'
import { type OpenCodeHasher, openCodeHasher } from './engines/crypto/code-hasher.ts'
import { openDomainSecrets } from './engines/crypto/domain-secrets.ts'
import { drawCode } from './engines/crypto/draw-code.ts'
import { openErasureSigner } from './engines/crypto/erasure-signer.ts'
import { openEventCursors } from './engines/crypto/event-cursors.ts'
import { openIds } from './engines/crypto/ids.ts'
import { openWebhookAttemptSealer } from './engines/crypto/webhook-attempt-sealer.ts'
import { openWebhookSigner } from './engines/crypto/webhook-signer.ts'
import { cachedTemplates } from './engines/decorators/cached-templates.ts'
import { openDnsLookup } from './engines/dns/dns-lookup.ts'
import { openHtmlInspector } from './engines/html/inspector.ts'
import { openNumberPlans } from './engines/libphonenumber/number-plans.ts'
import { openRenderer } from './engines/liquid/renderer.ts'
import { applyReceipt } from './flows/receive/apply-receipt.ts'
import { type Clock, type ClockSources, openClock, type ProcessClock, turnedClock } from './lib/clock.ts'
import { omitUndefined } from './lib/omit-undefined.ts'
import { later, type Millis, millis, seconds } from './lib/time.ts'
import { openListeners } from './listeners.ts'
import { breakerLogger } from './observe/breaker-logger.ts'
import { eventLogger } from './observe/event-logger.ts'
import { type Metrics, type MetricsDeps, openMetrics } from './observe/metrics/metrics.ts'
import { observedLimiter } from './observe/metrics/observed-limiter.ts'
import { observedProviders } from './observe/metrics/observed-provider.ts'
import { webhookObserver } from './observe/webhook-observer.ts'
import { reasonOf } from './ports/unavailable.ts'
import type { WebhookSigner } from './ports/webhook-signer.ts'
import { slotsOf } from './profiles/concurrency.ts'
import { erasureFactsOf } from './profiles/erasure-facts.ts'
import { probe } from './profiles/health.ts'
import { openLogs } from './profiles/logs.ts'
import type { LogLine, Opening, Profile, Report } from './profiles/profile.ts'
import { openWebhookTransport } from './providers/webhook-transport.ts'
import { type OpenQuotas, openQuotas } from './quotas.ts'
import { startRoles } from './roles.ts'
import { openSinks, type Sinks } from './sinks.ts'
import { smppPasswordsOf } from './smpp.ts'
import { openTraces } from './traces.ts'
import { openLimitedTally } from './workers/limited-tally.ts'
import { openProviderTally } from './workers/provider-tally.ts'

export type App = Readonly<{
  url: string
  /** An operator's token for trying the gateway out; undefined unless the gateway generated the secret itself. */
  token: string | undefined
  close: () => Promise<void>
}>

/** `clock` replaces the clock of the process, for tests; `sources` are what the process clock is made from. */
export type AppOptions = Readonly<{ logger: Logger; clock?: Clock; sources?: ClockSources }>

export async function openApp(config: Config, options: AppOptions): Promise<App> {
  const { logger } = options
  const roles = rolesOf(config)
  await using opened = new AsyncDisposableStack()
  const opening = toOpening(config, options, opened)
  const { secrets, clock } = opening
  const profile = await openProfile(opening)
  const slots = slotsOf(config)
  const alerts = openAlerts(opening, profile.engines, logger)
  const quotas = openQuotas(opening, profile.engines, alerts, logger)
  const metrics = openMetrics(toMeasured(opening, profile, { slots, quotas }))
  const world = await openWorld(opening, profile, metrics, logger)

  const { byName, inbox } = await profile.openProviders(reportTo(world))
  const otp = openOtp(opening)
  const { auths, keys, people, credentials } = await openAccess(opening, world)
  const shared = {
    ...world,
    ...keys,
    ...quotas,
    providers: observedProviders(world.traceCalls(byName), metrics.onCalled),
    inspector: opened.use(openHtmlInspector()),
    receiptSigner: openErasureSigner(secrets.masterKey),
    ...openWebhooks(opening),
    blind: profile.blind,
  }
  mailAlerts(alerts, config.alerts, shared, logger)
  const api = await openApi({
    ...shared,
    ...otp,
    ...people,
    ...toApiTools(opening),
    ...apiSettingsOf(config),
    ...auths,
    ...omitUndefined({ inbox }),
    templates: cachedTemplates(world.templates, clock),
    renderer: opened.use(openRenderer({ onDeath: renderDeathLogger(logger) })),
    reads: { listsPerTenant: profile.listsPerTenant },
    serves: { api: roles.has('api'), callbacks: roles.has('callbacks') },
    health: healthOf(profile, roles, otp.hasher, world.sinks),
    metrics: metrics.registry,
    logger,
    observe: metrics,
  })
  const facts = erasureFactsOf(config)
  const observer = webhookObserver(metrics, logger)
  const working = { ...shared, observer, alerts, slots, metrics, facts, alone: profile.alone }
  await startRoles(working, { config, roles, logger }, opened)
  opened.defer(() => closeApi(api, config))
  const url = await api.listen({ host: config.host, port: config.port })
  if (roles.has('api')) await openListeners({ ...shared, metrics, logger }, opening, credentials)
  const token = await tryOutToken(config, secrets)
  const closing = opened.move()
  return { url, token, close: () => closing.disposeAsync() }
}

/** Applies the receipts of providers that report in process or on a connection. */
const reportTo =
  (world: Parameters<typeof applyReceipt>[0]): Report =>
  async (receipts) => {
    await Promise.all(receipts.map((receipt) => applyReceipt(world, receipt)))
  }

/** What the metrics are read from when they are scraped. */
const toMeasured = (
  { config, clock }: Opening,
  profile: Profile,
  { slots, quotas }: Readonly<{ slots: ReturnType<typeof slotsOf>; quotas: OpenQuotas }>,
): MetricsDeps => ({
  ...profile.engines,
  ...profile,
  clock,
  keep: seconds(config.metricsCacheSeconds),
  calls: () => slots.calls(),
  quotaRatios: () => quotas.sendQuotas.ratios(),
})

const apiSettingsOf = (config: Config) => ({
  defaultLocale: config.defaultLocale,
  retentionPolicy: retentionPolicyOf(config),
  maxParts: config.maxParts,
  attemptLease: seconds(2 * config.providerTimeoutSeconds),
  publicUrl: config.publicUrl ?? localUrl(config),
  trustedProxies: trustedProxiesOf(config),
  bounds: {
    connections: config.maxConnections,
    connectionsPerAddress: config.maxConnectionsPerAddress,
    headersTimeout: seconds(config.headersTimeoutSeconds),
    requestTimeout: seconds(config.requestTimeoutSeconds),
  },
  streams: { perTenant: config.maxStreamsPerTenant, total: config.maxStreams },
})

/** The engines with everything they do observed, and what every flow needs besides them. */
async function openWorld(opening: Opening, profile: Profile, metrics: Metrics, logger: Logger) {
  const { clock, time } = opening
  const { engines } = profile
  const ids = openIds()
  const { onEvent, ...traces } = await openTraces(opening, ids, logger)
  const logEvent = eventLogger({ logger, ids, sampleOneIn: opening.config.logSampleOneIn })
  const providerTally = openProviderTally(engines.providerResults)
  const limitedTally = openLimitedTally(engines.limitedSends, clock)
  const { onLimited } = limitedTally
  const logs = openLogs(profile, [metrics.observe, logEvent, providerTally.observe, ...onEvent])
  engines.breakers.watch(breakerLogger(logger))
  const limiter = observedLimiter(engines.limiter, metrics.onDecided)
  return {
    ...engines,
    ...logs,
    ...traces,
    limiter,
    onLimited,
    limitedTally,
    providerTally,
    sinks: openSinks(opening.config.sinks, { log: logs.log, registry: metrics.registry, logger }),
    ids,
    clock,
    ahead: time.ahead,
  }
}

function toOpening(config: Config, { logger, clock, sources }: AppOptions, opened: AsyncDisposableStack): Opening {
  const onSetBack = (behind: Millis): void =>
    logger.warn(
      { behind_seconds: Math.round(behind / 1000) },
      'clock: the wall clock was set back, continuing on monotonic time',
    )
  const time = clock === undefined ? openClock(onSetBack, sources) : turnedClock(clock)
  const onFault = (error: unknown): void => logger.warn({ reason: reasonOf(error) }, 'profile: store unavailable')
  const logLine: LogLine = (level, message, fields = {}) => logger[level](fields, message)
  return { config, secrets: loadSecrets(config), clock: time.now, time, opened, onFault, logLine }
}

/** What posts webhooks, and seals what is kept of them. */
const openWebhooks = ({ config, secrets, time, opened }: Opening) => ({
  webhookSigner: byWallClock(openWebhookSigner(secrets.masterKey), time),
  webhookTransport: opened.use(openWebhookTransport({ allowed: networksOf(config) })),
  attemptSealer: openWebhookAttemptSealer(secrets.masterKey),
})

/** Receivers compare the timestamp of a webhook with their own clocks, so we sign it with the wall clock. */
const byWallClock = (signer: WebhookSigner, { ahead }: ProcessClock): WebhookSigner => ({
  ...signer,
  sign: (endpoint, id, at, body) => signer.sign(endpoint, id, later(at, millis(-ahead())), body),
})

/** Loads only the selected profile: the drivers of the other would cost time and memory. */
async function openProfile(opening: Opening): Promise<Profile> {
  if (opening.config.profile === 'embedded') return (await import('./profiles/embedded.ts')).openEmbedded(opening)
  return (await import('./profiles/cluster.ts')).openCluster(opening)
}

function openOtp({ config, secrets, opened }: Opening) {
  const { otpCost: cost, otpLimit: limit, otpWindowSeconds, otpDomain: domain } = config
  const wrongCodes = { limit: config.otpWrongLimit, window: seconds(config.otpWrongWindowSeconds) }
  return {
    hasher: opened.use(openCodeHasher({ masterKey: secrets.masterKey, cost })),
    drawCode,
    otp: omitUndefined({ limit, window: seconds(otpWindowSeconds), domain, wrongCodes }),
  }
}

/** What adds and verifies the domains of tenants, and makes the ids of streamed events. */
const toApiTools = ({ config, secrets }: Opening) => ({
  domainSecrets: openDomainSecrets(secrets.masterKey),
  numberPlans: openNumberPlans(),
  ...smppPasswordsOf(config, secrets),
  dns: openDnsLookup({ servers: dnsServersOf(config) }),
  eventCursors: openEventCursors(secrets.masterKey),
})

/** A template that kills a thread is a bug of ours: the bounds on templates should not let it. */
const renderDeathLogger =
  (logger: Logger) =>
  (tenantId: TenantId, cause: Error): void =>
    logger.warn({ tenant_id: tenantId, reason: reasonOf(cause) }, 'templates: rendering thread ended, starting another')

/** A process that only projects needs the index in every profile. Only the API hashes codes. */
function healthOf(
  profile: Profile,
  roles: ReadonlySet<Role>,
  hasher: Pick<OpenCodeHasher, 'check'>,
  sinks: Sinks,
): Health {
  const { log, index } = profile.engines
  const onlyProjects = roles.size === 1 && roles.has('projector')
  const needed = new Set([...profile.needed, 'codes', ...(onlyProjects ? ['index'] : [])])
  return async () => {
    const [ofLog, ofIndex, ofCodes, others] = await Promise.all([
      probe(() => log.tip(), messageOf),
      probe(() => index.position(), messageOf),
      roles.has('api') ? probe(() => hasher.check(), messageOf) : undefined,
      profile.health?.(),
    ])
    const found = { log: ofLog, index: ofIndex, ...(ofCodes && { codes: ofCodes }), ...others, ...sinks.health() }
    return Object.fromEntries(
      Object.entries(found).map(([name, state]) => [name, { ...state, needed: needed.has(name) }]),
    )
  }
}

/** Without the causes, which may name hosts and paths: health answers need no token. */
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'no answer')

/** Closes connections that are still open when the time is up, so that a slow client cannot block the shutdown. */
async function closeApi(api: FastifyInstance, { shutdownSeconds }: Config): Promise<void> {
  const timer = setTimeout(() => api.server.closeAllConnections(), Math.min(shutdownSeconds, 5) * 1000)
  await api.close()
  clearTimeout(timer)
}

const TRY_OUT_SECONDS = 30 * 24 * 60 * 60

/** We print a token only for a secret that we generated, never for one the operator has set. */
async function tryOutToken(config: Config, { jwtSecret }: Secrets): Promise<string | undefined> {
  if (jwtSecret === undefined || config.jwtSecret !== undefined) return undefined
  const { jwtIssuer: issuer, jwtAudience: audience } = config
  const expiresInSeconds = Math.min(TRY_OUT_SECONDS, config.jwtMaxLifetimeSeconds)
  const who = { subject: 'console-link', tenantId: 'demo', accountId: 'default' }
  const claims = { ...who, scopes: ['operator'], expiresInSeconds }
  return mintToken(jwtSecret, { ...claims, issuer, audience })
}
