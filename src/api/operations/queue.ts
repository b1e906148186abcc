/** The depth of the queue, by lane: of the caller's tenant, or for operators of all tenants together. */
import { Type } from 'typebox'
import { liveTenantOf } from '../../domain/access/test-mode.ts'
import type { Queue } from '../../ports/queue.ts'
import { type Guard, mayOperate } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { namedObject, nullable, responses } from '../http/schemas.ts'

export type QueueDeps = Readonly<{ queue: Pick<Queue, 'depth'>; guard: Guard }>

export function queueRoutes(app: Api, { queue, guard }: QueueDeps): void {
  app.get('/v1/queue', { schema: QUEUE, onRequest: guard('messages:read') }, async (request) => {
    const caller = callerOf(request)
    const tenantId = mayOperate(caller) ? undefined : caller.tenantId
    const depths = await queue.depth(tenantId)
    return {
      tenant_id: tenantId === undefined ? null : liveTenantOf(tenantId),
      lanes: depths.map(({ lane, ready, delayed, parked, taken }) => ({ lane, ready, delayed, parked, taken })),
    }
  })
}

export const LaneDepth = namedObject('LaneDepth', {
  lane: Enums.Lane(),
  ready: Type.Integer({ description: 'Due now, waiting for a worker.', examples: [12] }),
  delayed: Type.Integer({ description: 'Due later, for example a retry.', examples: [3] }),
  parked: Type.Integer({
    description: 'Waiting for a provider: all providers of the route are disconnected or have an open circuit breaker.',
    examples: [0],
  }),
  taken: Type.Integer({ description: 'Being processed by a worker.', examples: [8] }),
})

const QUEUE = {
  operationId: 'getQueue',
  tags: ['operations'],
  summary: 'Get the queue depth',
  description: 'By lane. Operators get that of all tenants together, everybody else that of their own tenant.',
  response: responses({
    200: {
      description: 'The depth of each lane.',
      schema: namedObject('QueueDepth', {
        tenant_id: nullable(Type.String({ description: 'Null for all tenants together.', examples: ['acme'] })),
        lanes: Type.Array(LaneDepth),
      }),
    },
  }),
}
