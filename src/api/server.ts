/** The HTTP API: one Fastify with every resource on it, ready and not yet listening. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { ProviderName } from '../domain/ids.ts'
import { refuse } from '../flows/errors.ts'
import type { StartOtpDeps } from '../flows/otp/start-otp.ts'
import type { Clock } from '../lib/clock.ts'
import type { Millis } from '../lib/time.ts'
import type { CodeHasher } from '../ports/code-hasher.ts'
import type { Engines } from '../ports/engines.ts'
import type { ErasureSigner } from '../ports/erasure-signer.ts'
import type { HtmlInspector } from '../ports/html-inspector.ts'
import type { Provider } from '../ports/provider.ts'
import type { Queue } from '../ports/queue.ts'
import type { Renderer } from '../ports/renderer.ts'
import type { Inbox } from '../ports/simulator-inbox.ts'
import type { WebhookSigner } from '../ports/webhook-signer.ts'
import type { Ids } from '../ports/world.ts'
import { recipientRoutes } from './directory/recipients.ts'
import { suppressionRoutes } from './directory/suppressions.ts'
import { templatePreviewRoutes } from './directory/template-preview.ts'
import { templateRoutes } from './directory/templates.ts'
import { describeApi, serveDocs } from './http/api-description.ts'
import { type Authenticator, guardBy } from './http/auth.ts'
import { BodyBudget } from './http/body-budget.ts'
import { consoleRoutes } from './http/console.ts'
import { type Api, beginWith, requestIds, toLogFields } from './http/context.ts'
import { closeGracefully } from './http/graceful-close.ts'
import { type Health, healthRoutes } from './http/health.ts'
import { parseJsonBody } from './http/json-body.ts'
import { boundBodies } from './http/large-bodies.ts'
import { countTexts } from './http/large-texts.ts'
import { watchMethods } from './http/methods.ts'
import { type Metrics, metricsRoutes } from './http/metrics.ts'
import { clientErrorWriter, problemWriter } from './http/problem.ts'
import { compileValidator } from './http/validation.ts'
import { contentRoutes } from './messages/content.ts'
import { deadLetterRoutes } from './messages/dead-letters.ts'
import { emailLogRoutes } from './messages/email-logs.ts'
import { erasureRoutes } from './messages/erasures.ts'
import { errorMixRoutes } from './messages/error-mix.ts'
import { eventRoutes } from './messages/events.ts'
import type { Blind } from './messages/message-search.ts'
import { messageRoutes } from './messages/messages.ts'
import { queueRoutes } from './messages/queue.ts'
import { resolveRoutes } from './messages/resolve.ts'
import { statsRoutes } from './messages/stats.ts'
import { limitRoutes } from './routing/limits.ts'
import { providerBreakerRoutes } from './routing/provider-breaker.ts'
import { callbackRoutes } from './routing/provider-callbacks.ts'
import { providerRoutes } from './routing/providers.ts'
import { routeResolutionRoutes } from './routing/route-resolution.ts'
import { routeRoutes } from './routing/routes.ts'
import { batchRoutes } from './send/batch.ts'
import { emailRoutes } from './send/email.ts'
import { type OtpObserver, otpRoutes } from './send/otp.ts'
import type { AcceptObserver } from './send/sending.ts'
import { smsRoutes } from './send/sms.ts'
import { userRoutes } from './send/users.ts'
import { simulatorRoutes } from './simulator/simulator.ts'
import { webhookDeliveryRoutes } from './webhooks/deliveries.ts'
import { endpointSecretRoutes } from './webhooks/endpoint-secrets.ts'
import { endpointRoutes } from './webhooks/endpoints.ts'

/** The engines without those that only workers use. */
type ApiEngines = Omit<Engines, 'queue' | 'carrierReferences' | 'rounds' | 'startProjecting' | 'sweep'> &
  Readonly<{ queue: Pick<Queue, 'depth'> }>

export type ApiDeps = ApiEngines & ApiParts

type ApiParts = Readonly<{
  hasher: CodeHasher
  drawCode: StartOtpDeps['drawCode']
  otp: StartOtpDeps['otp']
  receiptSigner: ErasureSigner
  inspector: HtmlInspector
  webhookSecrets: Pick<WebhookSigner, 'secretOf'>
  renderer: Renderer
  defaultLocale: string
  clock: Clock
  ids: Ids
  blind: Blind
  auth: Authenticator
  /** More parts than this make an SMS too long. */
  maxParts: number
  providers: ReadonlyMap<ProviderName, Provider>
  /** What the world calls us by, without a slash at its end: providers sign it with their callbacks. */
  publicUrl: string
  /** The simulator's inbox, where there is a simulator. */
  inbox?: Inbox
  /** Which of its parts this process serves; health and metrics it always does. */
  serves?: Readonly<{ api: boolean; callbacks: boolean }>
  health: Health
  metrics: Metrics
  logger: Logger
  observe?: AcceptObserver & OtpObserver
  /** Where the built console is, if not where it is built. */
  consoleFolder?: string
  /** How long the event stream may be silent before it says that it is still there. */
  heartbeat?: Millis
}>

const BODY_LIMIT = 16 * 1024
const REQUEST_TIMEOUT_MILLIS = 30_000
/** The longest name in a path is an email address. */
const LONGEST_PARAM = 254

export async function openApi(deps: ApiDeps): Promise<FastifyInstance> {
  const { serves = { api: true, callbacks: true } } = deps
  const app = openFastify(deps)
  const refuseOtherMethods = watchMethods(app)
  await describeApi(app)

  if (serves.api) callerRoutes(app, deps)
  if (serves.api) consoleRoutes(app, deps.consoleFolder)
  if (serves.callbacks) callbackRoutes(app, deps)
  healthRoutes(app, deps)
  metricsRoutes(app, deps)

  refuseOtherMethods()
  await serveDocs(app)
  await app.ready()
  return app
}

/** What callers with a token may ask for. */
function callerRoutes(app: Api, deps: ApiDeps): void {
  const guard = guardBy(deps.auth)
  const room = new BodyBudget()
  const heavy = { boundBody: boundBodies(room), withTexts: countTexts({ ...deps, room }) }
  smsRoutes(app, { ...deps, guard })
  emailRoutes(app, { ...deps, ...heavy, guard })
  emailLogRoutes(app, { ...deps, guard })
  batchRoutes(app, { ...deps, ...heavy, guard })
  messageRoutes(app, { ...deps, guard })
  erasureRoutes(app, { ...deps, guard })
  contentRoutes(app, { ...deps, guard, room })
  resolveRoutes(app, { ...deps, guard })
  deadLetterRoutes(app, { ...deps, guard })
  eventRoutes(app, { ...deps, guard })
  statsRoutes(app, { ...deps, guard })
  errorMixRoutes(app, { ...deps, guard })
  queueRoutes(app, { ...deps, guard })
  providerRoutes(app, { ...deps, guard })
  providerBreakerRoutes(app, { ...deps, guard })
  routeRoutes(app, { ...deps, guard })
  routeResolutionRoutes(app, { ...deps, guard })
  limitRoutes(app, { ...deps, guard })
  recipientRoutes(app, { ...deps, guard })
  suppressionRoutes(app, { ...deps, guard })
  templateRoutes(app, { ...deps, guard })
  templatePreviewRoutes(app, { ...deps, guard })
  otpRoutes(app, { ...deps, guard })
  userRoutes(app, { ...deps, guard })
  endpointRoutes(app, { ...deps, guard })
  endpointSecretRoutes(app, { ...deps, guard })
  webhookDeliveryRoutes(app, { ...deps, guard })
  if (deps.inbox !== undefined) simulatorRoutes(app, { inbox: deps.inbox, guard })
}

/** Fastify as we want it: what every request goes through before and after its route. */
function openFastify({ ids, logger }: Pick<ApiDeps, 'ids' | 'logger'>): Api {
  const genReqId = requestIds(ids)
  const begin = beginWith(ids)
  const writeProblem = problemWriter({ begin, logger })
  const app = Fastify({
    // Our lines carry their own fields; a logger made for each request would cost more than the request.
    logger: false,
    genReqId,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MILLIS,
    routerOptions: { maxParamLength: LONGEST_PARAM },
    // What arrives on an open connection while we close is still served.
    return503OnClosing: false,
    frameworkErrors: writeProblem,
    clientErrorHandler: clientErrorWriter(ids, genReqId),
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.decorateRequest('traceId').decorateRequest('caller')
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer))
  app.setErrorHandler(writeProblem)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) =>
    done(null, parseJsonBody(bytes)),
  )
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    // Here and not in a handler, which would be asked only after a body that nobody wants was read.
    done(request.is404 ? refuse('NOT_FOUND', 'no such resource') : undefined)
  })
  closeGracefully(app)
  if (logger.isLevelEnabled('debug')) logAnswers(app, logger)
  return app
}

function logAnswers(app: Api, logger: Logger): void {
  app.addHook('onResponse', async (request, { statusCode, elapsedTime }) => {
    const { method, routeOptions } = request
    const fields = { ...toLogFields(request), method, route: routeOptions.url, status: statusCode, ms: elapsedTime }
    logger.debug(fields, 'request answered')
  })
}
