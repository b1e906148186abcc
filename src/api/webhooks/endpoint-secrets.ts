/** The secrets that sign what an account is told: showing them, and putting a new one in the place of the old. */
import { type Static, Type } from 'typebox'
import { CALLBACK, CALLBACK_SECRET_VERSION } from '../../domain/webhooks/endpoint.ts'
import { refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, seconds, toIso } from '../../lib/time.ts'
import type { Endpoints } from '../../ports/endpoints.ts'
import type { SigningEndpoint, WebhookSigner } from '../../ports/webhook-signer.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, type Caller, callerOf } from '../http/context.ts'
import { answers } from '../http/schemas.ts'
import { DAY_SECONDS, Rotation, Secrets } from './endpoint-schemas.ts'
import { findEndpoint, readEndpointKey } from './find-endpoint.ts'

export type EndpointSecretsDeps = Readonly<{
  endpoints: Pick<Endpoints, 'find' | 'change'>
  webhookSecrets: Pick<WebhookSigner, 'secretOf'>
  clock: Clock
  guard: Guard
}>

export function endpointSecretRoutes(app: Api, deps: EndpointSecretsDeps): void {
  const { endpoints, clock, guard } = deps
  const mayChange = guard('admin')

  app.get('/v1/endpoints/:id/secret', { schema: SHOW, onRequest: mayChange }, async (request) =>
    toShown(deps, await findSigning(deps, callerOf(request), request.params.id)),
  )

  app.post('/v1/endpoints/:id/rotate', { schema: ROTATE, onRequest: mayChange }, async (request) => {
    const { overlap_seconds: overlap = DAY_SECONDS } = request.body
    const { previousSecretUntil: _, ...known } = await findEndpoint(deps, callerOf(request), request.params.id)
    const at = clock()
    const rotated = await endpoints.change({
      ...known,
      secretVersion: known.secretVersion + 1,
      ...(overlap === 0 ? {} : { previousSecretUntil: later(at, seconds(overlap)) }),
      updatedAt: at,
    })
    if (rotated === undefined) throw refuse('CONFLICT', 'this endpoint has just changed; look again')
    return toShown(deps, rotated)
  })
}

async function findSigning(deps: EndpointSecretsDeps, caller: Caller, text: string): Promise<SigningEndpoint> {
  if (text !== CALLBACK) return findEndpoint(deps, caller, text)
  return { ...readEndpointKey(caller, text), secretVersion: CALLBACK_SECRET_VERSION }
}

function toShown({ webhookSecrets, clock }: EndpointSecretsDeps, of: SigningEndpoint): Static<typeof Secrets> {
  const { secretVersion: version, previousSecretUntil: until } = of
  const secret = webhookSecrets.secretOf(of, version)
  if (until === undefined || until <= clock()) return { secret, previous_secret: null, previous_secret_until: null }
  const previous = webhookSecrets.secretOf(of, version - 1)
  return { secret, previous_secret: previous, previous_secret_until: toIso(until) }
}

const tags = ['endpoints']

const SHOW = {
  operationId: 'getEndpointSecret',
  tags,
  summary: 'The secret of an endpoint',
  description: 'And the one before, while it signs too.',
  params: Type.Object({
    id: Type.String({
      description: 'The `id` of an endpoint, or `callback` for what signs the calls of every `callback_url`.',
    }),
  }),
  response: answers({ 200: { description: 'The secret.', schema: Secrets } }, 'NOT_FOUND'),
}

const ROTATE = {
  operationId: 'rotateEndpointSecret',
  tags,
  summary: 'Give an endpoint a new secret',
  description:
    'It signs from now on. For a while the secret until now signs too, so that whoever verifies has time to learn the new one; one from before that ends at once.',
  params: Type.Object({ id: Type.String({ description: 'The `id` of an endpoint.' }) }),
  body: Rotation,
  response: answers(
    { 200: { description: 'The new secret.', schema: Secrets } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
  ),
}
