/** Fastify with what every request goes through before and after its route: ids, JSON parsing, validation, errors. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify from 'fastify'
import type { Logger } from 'pino'
import type { Ids } from '../../ports/world.ts'
import { type Api, requestIds, startRequestWith, toLogFields } from './context.ts'
import { closeGracefully } from './graceful-close.ts'
import { parseJsonBody } from './json-body.ts'
import { clientErrorWriter, problemWriter, unknownPath } from './problem.ts'
import { compileValidator } from './validation.ts'

const BODY_LIMIT = 16 * 1024
const REQUEST_TIMEOUT_MILLIS = 30_000
/** The longest path parameter is an email address. */
const LONGEST_PARAM = 254

export function openFastify({ ids, logger }: Readonly<{ ids: Pick<Ids, 'spanId' | 'traceId'>; logger: Logger }>): Api {
  const genReqId = requestIds(ids)
  const start = startRequestWith(ids)
  const writeProblem = problemWriter({ start, logger })
  const app = Fastify({
    // We log with our own fields; a child logger per request would cost more than the request.
    logger: false,
    genReqId,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MILLIS,
    routerOptions: { maxParamLength: LONGEST_PARAM },
    // Requests that arrive on an open connection during shutdown are still served.
    return503OnClosing: false,
    frameworkErrors: writeProblem,
    clientErrorHandler: clientErrorWriter(ids, genReqId),
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.decorateRequest('traceId').decorateRequest('caller')
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(() => (response) => JSON.stringify(response))
  app.setErrorHandler(writeProblem)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) =>
    done(null, parseJsonBody(bytes)),
  )
  app.addHook('onRequest', (request, reply, done) => {
    start(request, reply)
    // Here rather than in a handler, which would run only after the whole body was read.
    done(request.is404 ? unknownPath(request) : undefined)
  })
  closeGracefully(app)
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
