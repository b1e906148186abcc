/** Whether the process lives, and whether it can do its work. For orchestrators: no token is asked for. */
import { Type } from 'typebox'
import type { Api } from './context.ts'
import { openAnswers } from './schemas.ts'

/** Each dependency by name, whether it does what we want of it, and whether we can do without. */
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
  summary: 'Whether the process lives',
  description: 'Answers as long as the process can answer at all.',
  security: [],
  response: openAnswers({
    200: { description: 'It does.', schema: Type.Object({ status: Type.Literal('live') }) },
  }),
}

const Readiness = Type.Object({
  status: Type.Enum(['ready', 'not_ready']),
  dependencies: Type.Record(
    Type.String(),
    Type.Object({
      ok: Type.Boolean(),
      needed: Type.Boolean({ description: 'Without it this process cannot do its work.' }),
      detail: Type.Optional(Type.String()),
    }),
    { examples: [{ log: { ok: true, needed: true }, index: { ok: true, needed: true } }] },
  ),
})

const READY = {
  operationId: 'getReadiness',
  tags: ['operations'],
  summary: 'Whether the gateway can do its work',
  description: 'Names each dependency and its state.',
  security: [],
  response: openAnswers({
    200: { description: 'All that is needed is there.', schema: Readiness },
    503: { description: 'Something needed is not.', schema: Readiness },
  }),
}
