/** Spans of HTTP requests: within the caller's span, if it named one. */
import type { TenantId, TraceId } from '../domain/ids.ts'
import type { Clock } from '../lib/clock.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { later, type Millis, millis } from '../lib/time.ts'
import type { EmitSpan } from './span.ts'

type AnsweredRequest = Readonly<{
  traceId: TraceId
  spanId: string
  callerSpanId?: string | undefined
  httpRequestId: string
  tenantId?: TenantId | undefined
  method: string
  route: string
  status: number
  took: Millis
}>

const SERVER_ERROR = 500

export const requestSpans =
  ({ emit, clock }: Readonly<{ emit: EmitSpan; clock: Clock }>) =>
  (request: AnsweredRequest): void => {
    const { traceId, spanId: id, callerSpanId: parent, httpRequestId, tenantId, method, route, status, took } = request
    const end = clock()
    emit({
      traceId,
      id,
      ...omitUndefined({ parent }),
      name: `${method} ${route}`,
      kind: 'server',
      start: later(end, millis(-Math.round(took))),
      end,
      failed: status >= SERVER_ERROR,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'pombo.http_request_id': httpRequestId,
        ...omitUndefined({ 'pombo.tenant_id': tenantId }),
      },
    })
  }
