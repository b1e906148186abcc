/** Metrics for Prometheus. They need no token. */
import type { Registry } from 'prom-client'
import { Type } from 'typebox'
import type { Api } from '../http/context.ts'
import { publicResponses } from '../http/schemas.ts'

export type Metrics = Pick<Registry, 'metrics' | 'contentType'>

export function metricsRoutes(app: Api, { metrics }: Readonly<{ metrics: Metrics }>): void {
  app.get('/metrics', { schema: METRICS }, async (_request, reply) => {
    reply.header('content-type', metrics.contentType)
    return metrics.metrics()
  })
}

const METRICS = {
  operationId: 'getMetrics',
  tags: ['operations'],
  summary: 'Get metrics',
  description: 'In the Prometheus text format.',
  security: [],
  response: publicResponses(
    { 200: { description: 'The metrics.', schema: Type.String(), type: 'text/plain' } },
    'HEADERS_TOO_LARGE',
  ),
}
