/** How much work stands in the queue. */
import { Type } from 'typebox'
import { LANES } from '../../domain/message/message.ts'
import type { Queue } from '../../ports/queue.ts'
import type { Guard } from '../http/auth.ts'
import type { Api } from '../http/context.ts'
import { answers } from '../http/schemas.ts'

export type QueueDeps = Readonly<{ queue: Pick<Queue, 'depth'>; guard: Guard }>

export function queueRoutes(app: Api, { queue, guard }: QueueDeps): void {
  app.get('/v1/queue', { schema: QUEUE, onRequest: guard('messages:read') }, async () => ({
    lanes: (await queue.depth()).map(({ lane, ready, delayed, parked, taken }) => ({
      lane,
      ready,
      delayed,
      parked,
      taken,
    })),
  }))
}

const Depth = Type.Object({
  lane: Type.Enum(LANES),
  ready: Type.Integer({ description: 'Due, and in nobody’s hands.', examples: [12] }),
  delayed: Type.Integer({ description: 'Due later: a retry, a look after a while.', examples: [3] }),
  parked: Type.Integer({
    description:
      'Waiting until one of their providers can be called: it is not connected, or its circuit breaker is open.',
    examples: [0],
  }),
  taken: Type.Integer({ description: 'In the hands of a worker.', examples: [8] }),
})

const QUEUE = {
  operationId: 'getQueue',
  tags: ['operations'],
  summary: 'How much work stands in the queue',
  description: 'By lane, for the messages of all tenants together.',
  response: answers({ 200: { description: 'The lanes.', schema: Type.Object({ lanes: Type.Array(Depth) }) } }),
}
