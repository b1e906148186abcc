/** Whether the process lives, and whether it can do its work. For orchestrators: no token is asked for. */
import { Type } from 'typebox'
import type { Api } from './context.ts'
import { openAnswers } from './schemas.ts'

/** Each dependency by name, and whether it does what we need of it. */
export type Health = () => Promise<Readonly<Record<string, Readonly<{ ok: boolean; detail?: string }>>>>

export function healthRoutes(app: Api, { health }: Readonly<{ health: Health }>): void {
  app.get('/health/live', { schema: LIVE }, async () => ({ status: 'live' }))

  app.get('/health/ready', { schema: READY }, async (_request, reply) => {
    const dependencies = await health()
    const ready = Object.values(dependencies).every(({ ok }) => ok)
    reply.code(ready ? 200 : 503)
    return { status: ready ? 'ready' : 'not_ready', dependencies }
  })
}

const LIVE = {
  operationId: 'getLiveness',
  tags: ['operations'],
  summary: 'Whether the process lives',
  description: 'Answers as long as the process can answer at all.',
  security: [],
  response: openAnswers({
    200: { description: 'It does.', schema: Type.Object({ status: Type.Literal('live') }) },
  }),
}

const Readiness = Type.Object({
  status: Type.Enum(['ready', 'not_ready']),
  dependencies: Type.Record(Type.String(), Type.Object({ ok: Type.Boolean(), detail: Type.Optional(Type.String()) }), {
    examples: [{ log: { ok: true }, index: { ok: true } }],
  }),
})

const READY = {
  operationId: 'getReadiness',
  tags: ['operations'],
  summary: 'Whether the gateway can do its work',
  description: 'Names each dependency and its state.',
  security: [],
  response: openAnswers({
    200: { description: 'All dependencies are there.', schema: Readiness },
    503: { description: 'At least one is not.', schema: Readiness },
  }),
}
