/** Figures about the process, for Prometheus. */
import type { Registry } from 'prom-client'
import { Type } from 'typebox'
import type { Api } from './context.ts'
import { openAnswers } from './schemas.ts'

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
  summary: 'Metrics for Prometheus',
  description: 'In the text format of Prometheus.',
  security: [],
  response: openAnswers({ 200: { description: 'The metrics.', schema: Type.String(), type: 'text/plain' } }),
}
