/** The HTTP API: every resource on one Fastify instance, ready to listen. */
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { ApiKey } from '../domain/access/api-key.ts'
import type { QuotasOf } from '../domain/access/quotas.ts'
import type { ProviderName } from '../domain/ids.ts'
import type { RetentionPolicy } from '../domain/message/retention.ts'
import type { SendQuotas } from '../flows/access/quotas.ts'
import type { Blind } from '../flows/admin/search.ts'
import type { StartOtpDeps } from '../flows/otp/start-otp.ts'
import type { Clock } from '../lib/clock.ts'
import type { Millis } from '../lib/time.ts'
import type { ApiKeySecrets } from '../ports/api-key-secrets.ts'
import type { CodeHasher } from '../ports/code-hasher.ts'
import type { DnsLookup } from '../ports/dns-lookup.ts'
import type { DomainSecrets } from '../ports/domain-secrets.ts'
import type { Engines } from '../ports/engines.ts'
import type { ErasureSigner } from '../ports/erasure-signer.ts'
import type { EventCursors } from '../ports/event-cursors.ts'
import type { HtmlInspector } from '../ports/html-inspector.ts'
import type { NumberPlans } from '../ports/number-plans.ts'
import type { Provider } from '../ports/provider.ts'
import type { Queue } from '../ports/queue.ts'
import type { Renderer } from '../ports/renderer.ts'
import type { Inbox } from '../ports/simulator-inbox.ts'
import type { WebhookAttemptSealer } from '../ports/webhook-attempts.ts'
import type { WebhookSigner } from '../ports/webhook-signer.ts'
import type { WebhookTransport } from '../ports/webhook-transport.ts'
import type { Ids } from '../ports/world.ts'
import { apiKeyRoutes } from './access/api-keys.ts'
import { type Audit, auditWith, checkAudited } from './access/audit.ts'
import { auditRoutes } from './access/audit-log.ts'
import { domainRoutes } from './access/domains.ts'
import { oidcRoutes } from './access/oidc.ts'
import { sessionRoutes } from './access/sessions.ts'
import type { SignInParts } from './access/sign-in-parts.ts'
import { tenantRoutes } from './access/tenants.ts'
import { consoleUserRoutes } from './access/users.ts'
import { recipientRoutes } from './directory/recipients.ts'
import { suppressionRoutes } from './directory/suppressions.ts'
import { templatePreviewRoutes } from './directory/template-preview.ts'
import { templateReadRoutes } from './directory/template-reads.ts'
import { templateRoutes } from './directory/templates.ts'
import { explainRoutes } from './explain/explain.ts'
import { preflightRoutes } from './explain/preflight.ts'
import { type AnswerOptions, admitReads } from './http/answers.ts'
import { describeApi, serveDocs } from './http/api-description.ts'
import { type Authenticator, type Guard, guardBy } from './http/auth.ts'
import { consoleRoutes } from './http/console.ts'
import type { Api } from './http/context.ts'
import { type HttpBounds, openFastify } from './http/fastify.ts'
import { limitLargeBodies } from './http/large-bodies.ts'
import { limitRenderedTemplates, type RenderingDeps } from './http/large-templates.ts'
import type { RequestMeter } from './http/measured-requests.ts'
import { trackMethods } from './http/methods.ts'
import type { RequestObserver } from './http/request-spans.ts'
import { TenantMemoryBudget } from './http/tenant-memory-budget.ts'
import { contentRoutes } from './messages/content.ts'
import { deadLetterRoutes } from './messages/dead-letters.ts'
import { emailLogRoutes } from './messages/email-logs.ts'
import { erasureRoutes } from './messages/erasures.ts'
import { eventRoutes, type StreamBounds } from './messages/events.ts'
import { exportRoutes } from './messages/export.ts'
import { messageRoutes } from './messages/messages.ts'
import { resendRoutes } from './messages/resend.ts'
import { resolveRoutes } from './messages/resolve.ts'
import { errorStatsRoutes } from './operations/error-stats.ts'
import { type Health, healthRoutes } from './operations/health.ts'
import { type Metrics, metricsRoutes } from './operations/metrics.ts'
import { queueRoutes } from './operations/queue.ts'
import { quotaRoutes } from './operations/quotas.ts'
import { statsRoutes } from './operations/stats.ts'
import { usageRoutes } from './operations/usage.ts'
import { providerBreakerRoutes } from './providers/breaker.ts'
import { type CallbackObserver, callbackRoutes } from './providers/callbacks.ts'
import { providerRoutes } from './providers/providers.ts'
import { limitRoutes } from './routing/limits.ts'
import { routeResolutionRoutes } from './routing/route-resolution.ts'
import { routeRoutes } from './routing/routes.ts'
import { batchRoutes } from './send/batch.ts'
import { emailRoutes } from './send/email.ts'
import { type GuessLimits, limitGuesses } from './send/guess-limits.ts'
import { type OtpObserver, otpRoutes } from './send/otp.ts'
import { otpChallengeRoutes } from './send/otp-challenges.ts'
import type { AcceptObserver, SendDeps } from './send/sending.ts'
import { smsRoutes } from './send/sms.ts'
import { userRoutes } from './send/users.ts'
import { simulatorRoutes } from './simulator/simulator.ts'
import { twilioRoutes } from './twilio/twilio.ts'
import { webhookAttemptRoutes } from './webhooks/attempts.ts'
import { webhookDeliveryRoutes } from './webhooks/deliveries.ts'
import { endpointSecretRoutes } from './webhooks/endpoint-secrets.ts'
import { endpointRoutes } from './webhooks/endpoints.ts'
import { testEventRoutes } from './webhooks/test-events.ts'

/** The engines without those that only workers use. */
type ApiEngines = Omit<Engines, 'queue' | OfWorkers> & Readonly<{ queue: Pick<Queue, 'depth'> }>
type OfWorkers =
  | 'carrierReferences'
  | 'receiptDeliveries'
  | 'partialMessages'
  | 'rounds'
  | 'sinkPositions'
  | 'startProjecting'
  | 'keepCounts'
  | 'sweep'
  | 'publishEvent'
  | 'raisedAlerts'
  | 'providerResults'

export type ApiDeps = ApiEngines & ApiParts

type ApiParts = Readonly<{
  hasher: CodeHasher
  drawCode: StartOtpDeps['drawCode']
  otp: StartOtpDeps['otp']
  receiptSigner: ErasureSigner
  apiKeySecrets: ApiKeySecrets
  /** Only where SMPP clients may bind with short passwords. */
  smppPassword?: (key: ApiKey) => string
  domainSecrets: DomainSecrets
  dns: DnsLookup
  inspector: HtmlInspector
  numberPlans: NumberPlans
  /** After this time an attempt counts as abandoned. */
  attemptLease: Millis
  webhookSigner: WebhookSigner
  webhookTransport: WebhookTransport
  attemptSealer: WebhookAttemptSealer
  renderer: Renderer
  defaultLocale: string
  /** What applies to each tenant. */
  quotasOf: QuotasOf
  /** Called for what rate limits refuse. */
  onLimited?: NonNullable<SendDeps['onLimited']>
  /** Which tenants have used up a quota of messages; without it, every message is accepted. */
  sendQuotas?: SendQuotas
  clock: Clock
  ids: Ids
  blind: Blind
  auth: Authenticator
  /** Who calls the users API; `auth` unless given. */
  usersAuth?: Authenticator
  signIn: SignInParts
  /** The maximum number of segments of an SMS. */
  maxParts: number
  /** How long messages are kept, whatever the tenant. */
  retentionPolicy: RetentionPolicy
  providers: ReadonlyMap<ProviderName, Provider>
  /** Our public URL, without a trailing slash: some providers sign it with their callbacks. */
  publicUrl: string
  /** Only where the simulator is configured. */
  inbox?: Inbox
  /** The networks of reverse proxies, whose X-Forwarded-For is believed. */
  trustedProxies?: readonly string[]
  /** How many connections and requests are admitted. */
  bounds?: HttpBounds
  /** How many reads of one tenant run at once. */
  reads?: AnswerOptions
  /** What this process serves by its roles. It always serves health and metrics. */
  serves?: Readonly<{ api: boolean; callbacks: boolean }>
  health: Health
  metrics: Metrics
  logger: Logger
  observe?: AcceptObserver & OtpObserver & CallbackObserver & RequestMeter
  /** Where traces are exported. */
  onAnswered?: RequestObserver
  /** The folder of the built console, if it is not the default. */
  consoleFolder?: string
  /** How often the event stream sends a heartbeat while nothing happens. */
  heartbeat?: Millis
  streams?: StreamBounds
  eventCursors: EventCursors
}>

export async function openApi(deps: ApiDeps): Promise<FastifyInstance> {
  const { serves = { api: true, callbacks: true } } = deps
  const app = openFastify(deps)
  const refuseOtherMethods = trackMethods(app)
  const sendDescription = await describeApi(app)
  checkAudited(app, deps.logger)

  if (serves.api) await addResources(app, deps)
  if (serves.api) consoleRoutes(app, deps.consoleFolder)
  if (serves.callbacks) callbackRoutes(app, deps)
  healthRoutes(app, deps)
  metricsRoutes(app, deps)

  refuseOtherMethods()
  serveDocs(app, sendDescription, deps.consoleFolder)
  await app.ready()
  return app
}

type ResourceDeps = ApiDeps &
  RenderingDeps &
  Readonly<{ guard: Guard; usersGuard: Guard; guesses: GuessLimits; memory: TenantMemoryBudget; audit: Audit }>

/** Everything that needs a token. What returns a promise has its routes once it resolves. */
const RESOURCES: readonly ((app: Api, deps: ResourceDeps) => unknown)[] = [
  // send/
  smsRoutes,
  emailRoutes,
  batchRoutes,
  otpRoutes,
  otpChallengeRoutes,
  userRoutes,
  preflightRoutes,
  // messages/
  emailLogRoutes,
  messageRoutes,
  explainRoutes,
  exportRoutes,
  resendRoutes,
  resolveRoutes,
  contentRoutes,
  deadLetterRoutes,
  eventRoutes,
  erasureRoutes,
  // webhooks/
  endpointRoutes,
  endpointSecretRoutes,
  webhookDeliveryRoutes,
  webhookAttemptRoutes,
  testEventRoutes,
  // routing/ and providers/
  routeRoutes,
  routeResolutionRoutes,
  limitRoutes,
  providerRoutes,
  providerBreakerRoutes,
  // directory/
  recipientRoutes,
  suppressionRoutes,
  templateReadRoutes,
  templateRoutes,
  templatePreviewRoutes,
  // operations/
  queueRoutes,
  quotaRoutes,
  usageRoutes,
  statsRoutes,
  errorStatsRoutes,
  // access/
  domainRoutes,
  tenantRoutes,
  apiKeyRoutes,
  auditRoutes,
  sessionRoutes,
  oidcRoutes,
  consoleUserRoutes,
  // twilio/
  twilioRoutes,
]

async function addResources(app: Api, deps: ApiDeps): Promise<void> {
  const [guard, usersGuard] = [guardBy(deps.auth), guardBy(deps.usersAuth ?? deps.auth)]
  const memory = new TenantMemoryBudget()
  const [audit, guesses] = [auditWith(deps), limitGuesses(deps.clock)]
  const withRenderer = limitRenderedTemplates({ renderer: deps.renderer, memory })
  const hasAllRoutes = boundRoutes(app, deps, memory)
  const shared = { ...deps, guard, usersGuard, guesses, memory, audit, withRenderer }
  for (const addRoutes of RESOURCES) await addRoutes(app, shared)
  if (deps.inbox !== undefined) simulatorRoutes(app, { inbox: deps.inbox, auth: deps.auth })
  hasAllRoutes()
}

/** Bounds the bodies and the answers of all routes that are added until the result is called. */
function boundRoutes(app: Api, { reads }: Pick<ApiDeps, 'reads'>, memory: TenantMemoryBudget): () => void {
  const [limitBody, admit] = [limitLargeBodies(memory), admitReads(app, reads)]
  let areResources = true
  app.addHook('onRoute', (route) => {
    if (!areResources) return
    limitBody(route)
    admit(route)
  })
  return () => {
    areResources = false
  }
}
