/**
 * Liveness and readiness probes for orchestrators. They need no token. What is wrong with a dependency may tell about the
 * machine, so only operators read that.
 */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Refusal } from '../../flows/errors.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type Authenticator, mayOperate } from '../http/auth.ts'
import type { Api } from '../http/context.ts'
import { namedObject, publicResponses } from '../http/schemas.ts'

/** The state of each dependency, by name. */
export type Health = () => Promise<
  Readonly<Record<string, Readonly<{ ok: boolean; needed: boolean; detail?: string }>>>
>

export type HealthDeps = Readonly<{ health: Health; auth: Authenticator }>

export function healthRoutes(app: Api, { health, auth }: HealthDeps): void {
  app.get('/health/live', { schema: LIVE }, async () => ({ status: 'live' }))

  app.get('/health/ready', { schema: READY }, async (request, reply) => {
    const [found, isDetailed] = await Promise.all([health(), isFromOperator(auth, request)])
    const ready = Object.values(found).every(({ ok, needed }) => ok || !needed)
    const dependencies = isDetailed ? found : withoutDetails(found)
    reply.code(ready ? 200 : 503)
    return { status: ready ? 'ready' : 'not_ready', dependencies }
  })
}

/** Who cannot be authenticated is answered like a probe without a token. */
async function isFromOperator(auth: Authenticator, request: FastifyRequest): Promise<boolean> {
  try {
    return mayOperate(await auth(request))
  } catch (error) {
    if (error instanceof Refusal || error instanceof Unavailable) return false
    throw error
  }
}

type Dependencies = Awaited<ReturnType<Health>>

const withoutDetails = (dependencies: Dependencies): Dependencies =>
  Object.fromEntries(Object.entries(dependencies).map(([name, { ok, needed }]) => [name, { ok, needed }]))

const LIVE = {
  operationId: 'getLiveness',
  tags: ['operations'],
  summary: 'Check liveness',
  description: 'Responds as long as the process runs.',
  security: [],
  response: publicResponses(
    {
      200: { description: 'The process is alive.', schema: namedObject('Liveness', { status: Type.Literal('live') }) },
    },
    'HEADERS_TOO_LARGE',
  ),
}

const Readiness = namedObject('Readiness', {
  status: Type.Enum(['ready', 'not_ready'], { title: 'ReadinessStatus' }),
  dependencies: Type.Record(
    Type.String(),
    namedObject('Dependency', {
      ok: Type.Boolean(),
      needed: Type.Boolean({ description: 'The process is not ready without it.' }),
      detail: Type.Optional(Type.String({ description: 'What is wrong. Only with a token of the scope `operator`.' })),
    }),
    { examples: [{ log: { ok: true, needed: true }, index: { ok: true, needed: true } }] },
  ),
})

const READY = {
  operationId: 'getReadiness',
  tags: ['operations'],
  summary: 'Check readiness',
  description:
    'Reports the state of each dependency. Needs no token; with one of the scope `operator` it says what is wrong.',
  security: [],
  response: publicResponses(
    {
      200: { description: 'All needed dependencies are available.', schema: Readiness },
      503: { description: 'A needed dependency is unavailable.', schema: Readiness },
    },
    'HEADERS_TOO_LARGE',
  ),
}
