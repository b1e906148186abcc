/** The HTTP API: one Fastify with every resource on it, ready and not yet listening. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { ProviderName } from '../domain/ids.ts'
import type { Millis } from '../domain/time.ts'
import { refuse } from '../errors.ts'
import type { StartOtpDeps } from '../flows/start-otp.ts'
import type { Breakers } from '../ports/breakers.ts'
import type { Challenges } from '../ports/challenges.ts'
import type { CodeHasher } from '../ports/code-hasher.ts'
import type { Endpoints } from '../ports/endpoints.ts'
import type { ErasureSigner } from '../ports/erasure-signer.ts'
import type { Erasures } from '../ports/erasures.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { HtmlInspector } from '../ports/html-inspector.ts'
import type { LimitRules } from '../ports/limit-rules.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { MessageIndex } from '../ports/message-index.ts'
import type { NoticeSigner } from '../ports/notice-signer.ts'
import type { Notices } from '../ports/notices.ts'
import type { Provider } from '../ports/provider.ts'
import type { Queue } from '../ports/queue.ts'
import type { Recipients } from '../ports/recipients.ts'
import type { Renderer } from '../ports/renderer.ts'
import type { RouteBook } from '../ports/routes.ts'
import type { Suppressions } from '../ports/suppressions.ts'
import type { Templates } from '../ports/templates.ts'
import type { Timeline } from '../ports/timeline.ts'
import type { Clock, Ids } from '../ports/world.ts'
import { describeApi, serveDocs } from './api-description.ts'
import { type Authenticator, guardBy } from './auth.ts'
import { batchRoutes } from './batch.ts'
import { consoleRoutes } from './console.ts'
import { contentRoutes } from './content.ts'
import { type Api, beginWith, requestIds, toLogFields } from './context.ts'
import { deadLetterRoutes } from './dead-letters.ts'
import { emailRoutes } from './email.ts'
import { emailLogRoutes } from './email-logs.ts'
import { endpointSecretRoutes } from './endpoint-secrets.ts'
import { endpointRoutes } from './endpoints.ts'
import { erasureRoutes } from './erasures.ts'
import { errorMixRoutes } from './error-mix.ts'
import { eventRoutes } from './events.ts'
import { takeLeaveOnClose } from './farewell.ts'
import { type Health, healthRoutes } from './health.ts'
import { boundBodies } from './heavy-bodies.ts'
import { HeavyRoom } from './heavy-room.ts'
import { countTexts } from './heavy-texts.ts'
import { parseJsonBody } from './json-body.ts'
import { limitRoutes } from './limits.ts'
import type { Blind } from './message-search.ts'
import { messageRoutes } from './messages.ts'
import { watchMethods } from './methods.ts'
import { type Metrics, metricsRoutes } from './metrics.ts'
import { noticeRoutes } from './notices.ts'
import { type OtpObserver, otpRoutes } from './otp.ts'
import { clientErrorWriter, problemWriter } from './problem.ts'
import { providerBreakerRoutes } from './provider-breaker.ts'
import { providerRoutes } from './providers.ts'
import { queueRoutes } from './queue.ts'
import { recipientRoutes } from './recipients.ts'
import { resolveRoutes } from './route-resolution.ts'
import { routeRoutes } from './routes.ts'
import type { AcceptObserver } from './sending.ts'
import { settleRoutes } from './settle.ts'
import { type Inbox, simulatorRoutes } from './simulator.ts'
import { smsRoutes } from './sms.ts'
import { statsRoutes } from './stats.ts'
import { suppressionRoutes } from './suppressions.ts'
import { templatePreviewRoutes } from './template-preview.ts'
import { templateRoutes } from './templates.ts'
import { userRoutes } from './users.ts'
import { compileValidator } from './validation.ts'
import { webhookRoutes } from './webhooks.ts'

export type ApiDeps = Readonly<{
  log: EventLog
  queue: Pick<Queue, 'depth'>
  index: MessageIndex
  timeline?: Timeline
  limiter: Limiter
  rules: LimitRules
  challenges: Challenges
  hasher: CodeHasher
  drawCode: StartOtpDeps['drawCode']
  otp: StartOtpDeps['otp']
  recipients: Recipients
  templates: Templates
  routes: RouteBook
  endpoints: Endpoints
  notices: Notices
  erasures: Erasures
  receiptSigner: ErasureSigner
  suppressions: Suppressions
  inspector: HtmlInspector
  noticeSecrets: Pick<NoticeSigner, 'secretOf'>
  renderer: Renderer
  defaultLocale: string
  clock: Clock
  ids: Ids
  blind: Blind
  auth: Authenticator
  /** More parts than this make an SMS too long. */
  maxParts: number
  providers: ReadonlyMap<ProviderName, Provider>
  breakers: Breakers
  /** What the world calls us by, without a slash at its end: providers sign it with their callbacks. */
  publicUrl: string
  /** The simulator's inbox, where there is a simulator. */
  inbox?: Inbox
  /** Which of its parts this process serves; health and metrics it always does. */
  serves?: Readonly<{ api: boolean; webhooks: boolean }>
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
  const { serves = { api: true, webhooks: true } } = deps
  const app = openFastify(deps)
  const refuseOtherMethods = watchMethods(app)
  await describeApi(app)

  if (serves.api) callerRoutes(app, deps)
  if (serves.api) consoleRoutes(app, deps.consoleFolder)
  if (serves.webhooks) webhookRoutes(app, deps)
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
  const room = new HeavyRoom()
  const heavy = { boundBody: boundBodies(room), withTexts: countTexts({ ...deps, room }) }
  smsRoutes(app, { ...deps, guard })
  emailRoutes(app, { ...deps, ...heavy, guard })
  emailLogRoutes(app, { ...deps, guard })
  batchRoutes(app, { ...deps, ...heavy, guard })
  messageRoutes(app, { ...deps, guard })
  erasureRoutes(app, { ...deps, guard })
  contentRoutes(app, { ...deps, guard, room })
  settleRoutes(app, { ...deps, guard })
  deadLetterRoutes(app, { ...deps, guard })
  eventRoutes(app, { ...deps, guard })
  statsRoutes(app, { ...deps, guard })
  errorMixRoutes(app, { ...deps, guard })
  queueRoutes(app, { ...deps, guard })
  providerRoutes(app, { ...deps, guard })
  providerBreakerRoutes(app, { ...deps, guard })
  routeRoutes(app, { ...deps, guard })
  resolveRoutes(app, { ...deps, guard })
  limitRoutes(app, { ...deps, guard })
  recipientRoutes(app, { ...deps, guard })
  suppressionRoutes(app, { ...deps, guard })
  templateRoutes(app, { ...deps, guard })
  templatePreviewRoutes(app, { ...deps, guard })
  otpRoutes(app, { ...deps, guard })
  userRoutes(app, { ...deps, guard })
  endpointRoutes(app, { ...deps, guard })
  endpointSecretRoutes(app, { ...deps, guard })
  noticeRoutes(app, { ...deps, guard })
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
  takeLeaveOnClose(app)
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
