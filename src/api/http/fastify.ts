/** Fastify with what every request goes through before and after its route: ids, JSON parsing, validation, errors. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify from 'fastify'
import type { Logger } from 'pino'
import { containedIn } from '../../lib/networks.ts'
import { type Millis, seconds } from '../../lib/time.ts'
import type { Ids } from '../../ports/world.ts'
import { boundConnections } from './connections.ts'
import { type Api, requestIds, startRequestWith, toLogFields } from './context.ts'
import { closeGracefully } from './graceful-close.ts'
import { parseJsonBody } from './json-body.ts'
import { measureRequests, type RequestMeter } from './measured-requests.ts'
import { clientErrorWriter, problemWriter, unknownPath } from './problem.ts'
import { observeRequests, type RequestObserver } from './request-spans.ts'
import { compileValidator } from './validation.ts'

/** Of routes that set none. */
export const BODY_LIMIT = 16 * 1024
/** How often connections that have been too slow are closed. */
const CONNECTIONS_CHECKED_MILLIS = 5_000
/** The longest path parameter is an email address. */
const LONGEST_PARAM = 254

export type FastifyDeps = Readonly<{
  ids: Pick<Ids, 'spanId' | 'traceId'>
  logger: Logger
  /** The networks of reverse proxies, as `parseNetworks` returns them. Nobody else can say whom a request is from. */
  trustedProxies?: readonly string[]
  bounds?: HttpBounds
  /** Where traces are exported. */
  onAnswered?: RequestObserver
  observe?: RequestMeter
}>

/** How many connections there may be, and how long a request may take to arrive. */
export type HttpBounds = Readonly<{
  connections: number
  connectionsPerAddress: number
  headersTimeout: Millis
  requestTimeout: Millis
}>

const BOUNDS: HttpBounds = {
  connections: 10_000,
  connectionsPerAddress: 5_000,
  headersTimeout: seconds(10),
  requestTimeout: seconds(30),
}

export function openFastify(deps: FastifyDeps): Api {
  const { ids, logger, trustedProxies = [], bounds = BOUNDS, onAnswered, observe } = deps
  const genReqId = requestIds(ids)
  const start = startRequestWith(ids)
  const writeProblem = problemWriter({ start, logger })
  const isTrusted = containedIn(trustedProxies)
  const app = Fastify({
    // We log with our own fields; a child logger per request would cost more than the request.
    logger: false,
    genReqId,
    bodyLimit: BODY_LIMIT,
    requestTimeout: bounds.requestTimeout,
    http: { headersTimeout: bounds.headersTimeout, connectionsCheckingInterval: CONNECTIONS_CHECKED_MILLIS },
    trustProxy: trustedProxies.length > 0 && isTrusted,
    routerOptions: { maxParamLength: LONGEST_PARAM },
    // Requests that arrive on an open connection during shutdown are still served.
    return503OnClosing: false,
    frameworkErrors: writeProblem,
    clientErrorHandler: clientErrorWriter(ids, genReqId),
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.decorateRequest('traceId').decorateRequest('callerSpanId').decorateRequest('unsampled').decorateRequest('spanId')
  app.decorateRequest('caller').decorateRequest('isAudited')
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(() => (response) => JSON.stringify(response))
  app.setErrorHandler(writeProblem)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) =>
    done(null, parseJsonBody(bytes)),
  )
  app.addHook('onRequest', (request, reply, done) => {
    start(request, reply)
    if (!request.is404) return done()
    observe?.onRequestAnswered(request.method, '', 404, 0)
    // Here rather than in a handler, which would run only after the whole body was read.
    done(unknownPath(request))
  })
  if (onAnswered !== undefined) observeRequests(app, ids, onAnswered)
  const { connections, connectionsPerAddress: perAddress } = bounds
  boundConnections(app.server, { connections, perAddress, isTrusted }, logger)
  closeGracefully(app)
  if (observe !== undefined) measureRequests(app, observe)
  if (logger.isLevelEnabled('debug')) logResponses(app, logger)
  return app
}

function logResponses(app: Api, logger: Logger): void {
  app.addHook('onResponse', async (request, { statusCode, elapsedTime }) => {
    const { method, routeOptions } = request
    const ms = Math.round(elapsedTime * 1000) / 1000
    const fields = { ...toLogFields(request), method, route: routeOptions.url, status: statusCode, ms }
    logger.debug(fields, 'request answered')
  })
}
