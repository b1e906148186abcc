/**
 * The composition root: opens the engines and providers of the profile, hands them to the API and to
 * the roles of this process, and closes everything in reverse. Nothing below knows which engine or
 * provider there is.
 */
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { openAuthenticator } from './api/http/auth.ts'
import type { Health } from './api/http/health.ts'
import { openApi } from './api/server.ts'
import { slotsOf } from './concurrency.ts'
import type { Config } from './config/config.ts'
import { localUrl } from './config/local-url.ts'
import { loadSecrets, mintToken, type Secrets } from './config/secrets.ts'
import { type Role, rolesOf } from './config/settings.ts'
import { type OpenCodeHasher, openCodeHasher } from './engines/crypto/code-hasher.ts'
import { drawCode } from './engines/crypto/draw-code.ts'
import { openErasureSigner } from './engines/crypto/erasure-signer.ts'
import { openIds } from './engines/crypto/ids.ts'
import { openWebhookSigner } from './engines/crypto/webhook-signer.ts'
import { budgetedLog } from './engines/decorators/budgeted-log.ts'
import { recentLog } from './engines/decorators/recent-log.ts'
import { openHtmlInspector } from './engines/html/inspector.ts'
import { openLateRenderer } from './engines/liquid/late-renderer.ts'
import { applyReceipt } from './flows/receive/apply-receipt.ts'
import { cachedTemplates } from './flows/send/cached-templates.ts'
import type { Clock } from './lib/clock.ts'
import { type ClockSources, openClock, type ProcessClock, turnedClock } from './lib/clock.ts'
import { later, type Millis, millis, seconds } from './lib/time.ts'
import { breakerLogger } from './observe/breaker-logger.ts'
import { type Metrics, openMetrics } from './observe/metrics.ts'
import { observedLimiter } from './observe/observed-limiter.ts'
import { eventLogger, observedLog } from './observe/observed-log.ts'
import { openTracing, type Tracing } from './observe/tracing.ts'
import { webhookObserver } from './observe/webhook-observer.ts'
import { reasonOf } from './ports/unavailable.ts'
import type { WebhookSigner } from './ports/webhook-signer.ts'
import type { Ids } from './ports/world.ts'
import { erasureFactsOf } from './profiles/erasure-facts.ts'
import type { Opening, Profile, Report } from './profiles/profile.ts'
import { startRoles } from './roles.ts'

export type App = Readonly<{
  url: string
  /** A token for trying it out, where the secret was made here. */
  token: string | undefined
  close: () => Promise<void>
}>

/** `clock` is one that the caller turns; else the process has one of its own, from these sources. */
export type AppOptions = Readonly<{ logger: Logger; clock?: Clock; sources?: ClockSources }>

export async function openApp(config: Config, options: AppOptions): Promise<App> {
  const { logger } = options
  const roles = rolesOf(config)
  await using opened = new AsyncDisposableStack()
  const opening = toOpening(config, options, opened)
  const { secrets, clock, time } = opening
  const profile = await openProfile(opening)
  const { engines } = profile
  const slots = slotsOf(config)
  const metrics = openMetrics({ ...engines, ...profile, calls: () => slots.calls() })
  engines.breakers.watch(breakerLogger(logger))
  const ids = openIds()
  const tracers = await openTracers(opening, ids, logger)
  const observed = observedLog(budgetedLog(engines.log), metrics.observe, eventLogger(logger), ...tracers)
  // Where others write too, what was remembered would be out of date more often than not.
  const log = profile.alone ? recentLog(observed) : observed
  const limiter = observedLimiter(engines.limiter, metrics.onDecided)
  const world = { ...engines, log, limiter, ids, clock, ahead: time.ahead }

  const report: Report = async (receipts) => {
    await Promise.all(receipts.map((receipt) => applyReceipt(world, receipt)))
  }
  const { byName: providers, inbox } = await profile.openProviders(report)
  const [renderer, templates] = [openLateRenderer(), cachedTemplates(engines.templates, clock)]
  const signer = openWebhookSigner(secrets.masterKey)
  const erasing = openErasing(opening, profile)
  const [inspector, otp] = [opened.use(openHtmlInspector()), openOtp(opening)]
  const api = await openApi({
    ...world,
    ...otp,
    templates,
    renderer,
    inspector,
    defaultLocale: config.defaultLocale,
    providers,
    webhookSecrets: signer,
    ...erasing,
    auth: await openAuthenticator({ ...toTrust(config, secrets), clock: time.wall }),
    maxParts: config.maxParts,
    publicUrl: config.publicUrl ?? localUrl(config),
    ...(inbox === undefined ? {} : { inbox }),
    serves: { api: roles.has('api'), callbacks: roles.has('callbacks') },
    health: healthOf(profile, roles, otp.hasher),
    metrics: metrics.registry,
    logger,
    observe: metrics,
  })
  const working = { slots, signer: byWallClock(signer, time), inspector, ...observersOf(metrics, logger), ...erasing }
  await startRoles({ ...world, ...working, providers, alone: profile.alone }, { config, roles, logger }, opened)
  opened.defer(() => closeApi(api, config))
  const url = await api.listen({ host: config.host, port: config.port })
  const token = await tryOutToken(config, secrets)
  const closing = opened.move()
  return { url, token, close: () => closing.disposeAsync() }
}

/** What is told of the work besides events. */
const observersOf = (metrics: Metrics, logger: Logger) => ({
  observer: webhookObserver(metrics, logger),
  onSwept: metrics.onSwept,
  onRecovered: metrics.onRecovered,
})

function toOpening(config: Config, { logger, clock, sources }: AppOptions, opened: AsyncDisposableStack): Opening {
  const onSetBack = (behind: Millis): void =>
    logger.warn(
      { behind_seconds: Math.round(behind / 1000) },
      'clock: the wall clock was set back, going on without it',
    )
  const time = clock === undefined ? openClock(onSetBack, sources) : turnedClock(clock)
  const onFault = (error: unknown): void => logger.warn({ reason: reasonOf(error) }, 'something is away')
  const tell: Opening['tell'] = (level, sentence, fields = {}) => logger[level](fields, sentence)
  return { config, secrets: loadSecrets(config), clock: time.now, time, opened, onFault, tell }
}

/** Whoever gets a webhook checks its time by a clock of his own. */
const byWallClock = (signer: WebhookSigner, { ahead }: ProcessClock): WebhookSigner => ({
  ...signer,
  sign: (endpoint, id, at, body) => signer.sign(endpoint, id, later(at, millis(-ahead())), body),
})

/** Only the one that is wanted is loaded: the drivers of the other would cost time and memory. */
async function openProfile(opening: Opening): Promise<Profile> {
  if (opening.config.profile === 'embedded') return (await import('./profiles/embedded.ts')).openEmbedded(opening)
  return (await import('./profiles/cluster.ts')).openCluster(opening)
}

/** What one-time codes need besides the engines. */
function openOtp({ config, secrets, opened }: Opening) {
  const { otpCost: cost, otpLimit: limit, otpWindowSeconds, otpDomain: domain } = config
  return {
    hasher: opened.use(openCodeHasher({ masterKey: secrets.masterKey, cost })),
    drawCode,
    otp: { limit, window: seconds(otpWindowSeconds), ...(domain === undefined ? {} : { domain }) },
  }
}

/** What erasures by recipient need besides the engines. */
const openErasing = ({ config, secrets }: Opening, { blind }: Profile) => ({
  receiptSigner: openErasureSigner(secrets.masterKey),
  facts: erasureFactsOf(config),
  blind,
})

/** What tells a collector of each event, where there is one. */
async function openTracers(opening: Opening, ids: Ids, logger: Logger): Promise<readonly Tracing['observe'][]> {
  const { config, clock, opened } = opening
  const endpoint = config.otlpEndpoint
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

/** A projector cannot work without the index; the others can where the profile says so. Codes are hashed by the API. */
function healthOf(profile: Profile, roles: ReadonlySet<Role>, hasher: Pick<OpenCodeHasher, 'check'>): Health {
  const { log, index } = profile.engines
  const isNeeded = (name: string): boolean => [...profile.needed, 'codes'].includes(name) || isProjectors(name)
  const isProjectors = (name: string): boolean => name === 'index' && roles.size === 1 && roles.has('projector')
  return async () => {
    const [ofLog, ofIndex, ofCodes, others] = await Promise.all([
      check(() => log.tip()),
      check(() => index.position()),
      roles.has('api') ? check(() => hasher.check()) : undefined,
      profile.health?.(),
    ])
    const found = { log: ofLog, index: ofIndex, ...(ofCodes && { codes: ofCodes }), ...others }
    return Object.fromEntries(
      Object.entries(found).map(([name, state]) => [name, { ...state, needed: isNeeded(name) }]),
    )
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
