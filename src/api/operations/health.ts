/** Liveness and readiness probes for orchestrators. They need no token. */
import { Type } from 'typebox'
import type { Api } from '../http/context.ts'
import { publicResponses } from '../http/schemas.ts'

/** The state of each dependency, by name. */
export type Health = () => Promise<
  Readonly<Record<string, Readonly<{ ok: boolean; needed: boolean; detail?: string }>>>
>

export function healthRoutes(app: Api, { health }: Readonly<{ health: Health }>): void {
  app.get('/health/live', { schema: LIVE }, async () => ({ status: 'live' }))

  app.get('/health/ready', { schema: READY }, async (_request, reply) => {
    const dependencies = await health()
    const ready = Object.values(dependencies).every(({ ok, needed }) => ok || !needed)
    reply.code(ready ? 200 : 503)
    return { status: ready ? 'ready' : 'not_ready', dependencies }
  })
}

const LIVE = {
  operationId: 'getLiveness',
  tags: ['operations'],
  summary: 'Check liveness',
  description: 'Responds as long as the process runs.',
  security: [],
  response: publicResponses({
    200: { description: 'The process is alive.', schema: Type.Object({ status: Type.Literal('live') }) },
  }),
}

const Readiness = Type.Object({
  status: Type.Enum(['ready', 'not_ready']),
  dependencies: Type.Record(
    Type.String(),
    Type.Object({
      ok: Type.Boolean(),
      needed: Type.Boolean({ description: 'The process is not ready without it.' }),
      detail: Type.Optional(Type.String()),
    }),
    { examples: [{ log: { ok: true, needed: true }, index: { ok: true, needed: true } }] },
  ),
})

const READY = {
  operationId: 'getReadiness',
  tags: ['operations'],
  summary: 'Check readiness',
  description: 'Reports the state of each dependency.',
  security: [],
  response: publicResponses({
    200: { description: 'All needed dependencies are available.', schema: Readiness },
    503: { description: 'A needed dependency is unavailable.', schema: Readiness },
  }),
}
