/** Showing and rotating the secrets that sign webhooks. */
import { type Static, Type } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { CALLBACK, CALLBACK_SECRET_VERSION } from '../../domain/webhooks/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { later, seconds, toIso } from '../../lib/time.ts'
import type { Endpoints } from '../../ports/endpoints.ts'
import type { SigningEndpoint, WebhookSigner } from '../../ports/webhook-signer.ts'
import { type Audit, audited } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { isoOrNull, responses } from '../http/schemas.ts'
import { DAY_SECONDS, EndpointSecrets, Rotation, toEndpointTarget } from './endpoint-schemas.ts'
import { changedMeanwhile, findOwnEndpoint, readEndpointKey } from './find-endpoint.ts'

export type EndpointSecretsDeps = Readonly<{
  endpoints: Pick<Endpoints, 'find' | 'change'>
  webhookSigner: Pick<WebhookSigner, 'secretOf'>
  clock: Clock
  guard: Guard
  audit: Audit
}>

export function endpointSecretRoutes(app: Api, deps: EndpointSecretsDeps): void {
  const { endpoints, clock, guard, audit } = deps
  const mayChange = guard('admin')

  app.get('/v1/endpoints/:id/secret', { schema: SHOW, onRequest: mayChange }, async (request) => {
    const signing = await findSigning(deps, callerOf(request), request.params.id)
    await audit(request, { action: 'endpoint.secret_read', target: toEndpointTarget(signing) })
    return toView(deps, signing)
  })

  app.post('/v1/endpoints/:id/rotate', { schema: ROTATE, onRequest: mayChange }, async (request) => {
    const { overlap_seconds: overlap = DAY_SECONDS } = request.body
    const endpoint = await findOwnEndpoint(deps, callerOf(request), request.params.id)
    const at = clock()
    const changed = omitUndefined({
      ...endpoint,
      secretVersion: endpoint.secretVersion + 1,
      previousSecretUntil: overlap === 0 ? undefined : later(at, seconds(overlap)),
      updatedAt: at,
    })
    const rotated = await endpoints.change(changed)
    if (rotated === undefined) throw changedMeanwhile(endpoint.id)
    const after = { previous_secret_until: isoOrNull(rotated.previousSecretUntil) }
    await audit(request, { action: 'endpoint.secret_rotated', target: toEndpointTarget(rotated), after })
    return toView(deps, rotated)
  })
}

async function findSigning(deps: EndpointSecretsDeps, caller: Caller, text: string): Promise<SigningEndpoint> {
  if (text !== CALLBACK) return findOwnEndpoint(deps, caller, text)
  return { ...readEndpointKey(caller, text), secretVersion: CALLBACK_SECRET_VERSION }
}

function toView(
  { webhookSigner, clock }: EndpointSecretsDeps,
  endpoint: SigningEndpoint,
): Static<typeof EndpointSecrets> {
  const { secretVersion: version, previousSecretUntil: until } = endpoint
  const secret = webhookSigner.secretOf(endpoint, version)
  if (until === undefined || until <= clock()) return { secret, previous_secret: null, previous_secret_until: null }
  const previous = webhookSigner.secretOf(endpoint, version - 1)
  return { secret, previous_secret: previous, previous_secret_until: toIso(until) }
}

const tags = ['endpoints']

const SHOW = {
  ...audited('endpoint.secret_read'),
  operationId: 'getEndpointSecret',
  tags,
  summary: 'Get the secret of an endpoint',
  description: 'Includes the previous secret while it still signs.',
  params: Type.Object({
    id: Type.String({
      description: 'The `id` of an endpoint, or `callback` for the secret that signs webhooks to every `callback_url`.',
      examples: ['orders'],
    }),
  }),
  response: responses({ 200: { description: 'The secret.', schema: EndpointSecrets } }, 'NOT_FOUND'),
}

const ROTATE = {
  ...audited('endpoint.secret_rotated'),
  operationId: 'rotateEndpointSecret',
  tags,
  summary: 'Rotate the secret of an endpoint',
  description:
    'The new secret signs from now on. The current one also signs for the overlap, so that you can deploy the new one; an even older one stops at once.',
  params: Type.Object({
    id: Type.String({ title: 'EndpointId', description: 'The `id` of an endpoint.', examples: ['orders'] }),
  }),
  body: Rotation,
  response: responses(
    { 200: { description: 'The new secret.', schema: EndpointSecrets } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
  ),
}
