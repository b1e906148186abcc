/** Gives requests spans of their own, where traces are exported. Without an observer they have none and cost nothing. */
import type { FastifyRequest } from 'fastify'
import type { TenantId, TraceId } from '../../domain/ids.ts'
import { type Millis, millis } from '../../lib/time.ts'
import type { Ids } from '../../ports/world.ts'
import { type Api, traceOf } from './context.ts'

export type AnsweredRequest = Readonly<{
  traceId: TraceId
  spanId: string
  callerSpanId: string | undefined
  httpRequestId: string
  tenantId: TenantId | undefined
  method: string
  route: string
  status: number
  took: Millis
}>

export type RequestObserver = (request: AnsweredRequest) => void

/** Not the probes, the metrics and the files of the console. */
const TRACED = /^\/(?:v1|api)\//

export function observeRequests(app: Api, ids: Pick<Ids, 'spanId'>, observe: RequestObserver): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.unsampled !== true && TRACED.test(routeOf(request))) request.spanId = ids.spanId()
    done()
  })
  app.addHook('onResponse', (request, { statusCode: status, elapsedTime }, done) => {
    const { spanId, callerSpanId, id: httpRequestId, caller, method } = request
    const about = { callerSpanId, httpRequestId, tenantId: caller?.tenantId, method, status }
    if (spanId !== undefined) {
      observe({ ...about, traceId: traceOf(request), spanId, route: routeOf(request), took: millis(elapsedTime) })
    }
    done()
  })
}

const routeOf = ({ routeOptions }: FastifyRequest): string => routeOptions.url ?? ''
