/** Where an account wants to be told what becomes of its messages. Secrets are shown by endpoint-secrets.ts. */
import { Type } from 'typebox'
import { type EndpointFields, endpointProblems } from '../../domain/requests/endpoint-request.ts'
import type { Endpoint } from '../../domain/webhooks/endpoint.ts'
import { refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Endpoints, NewEndpoint } from '../../ports/endpoints.ts'
import type { WebhookDeliveries } from '../../ports/webhook-deliveries.ts'
import type { WebhookSigner } from '../../ports/webhook-signer.ts'
import type { Ids } from '../../ports/world.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, type Caller, callerOf } from '../http/context.ts'
import { answers } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { Addition, Changes, Made, ShownEndpoint, toShownEndpoint } from './endpoint-schemas.ts'
import { findEndpoint, noEndpoint, readEndpointKey } from './find-endpoint.ts'

export type EndpointsDeps = Readonly<{
  endpoints: Endpoints
  webhookDeliveries: Pick<WebhookDeliveries, 'resume'>
  webhookSecrets: Pick<WebhookSigner, 'secretOf'>
  clock: Clock
  ids: Pick<Ids, 'endpointId'>
  guard: Guard
}>

/** Each message of the account is told to all of them. */
const MOST = 100

export function endpointRoutes(app: Api, deps: EndpointsDeps): void {
  const { endpoints, webhookDeliveries, webhookSecrets, clock, ids, guard } = deps
  const [mayRead, mayChange] = [guard('messages:read'), guard('admin')]

  app.get('/v1/endpoints', { schema: LIST, onRequest: mayRead }, async (request) => ({
    items: (await endpoints.list(callerOf(request))).map(toShownEndpoint),
  }))

  app.get('/v1/endpoints/:id', { schema: FIND, onRequest: mayRead }, async (request) =>
    toShownEndpoint(await findEndpoint(deps, callerOf(request), request.params.id)),
  )

  app.post('/v1/endpoints', { schema: ADD, onRequest: mayChange }, async (request, reply) => {
    const { tenantId, accountId } = callerOf(request)
    const { id, url, description, events = [] } = checked(request.body)
    await refuseCrowd(deps, callerOf(request))
    const at = clock()
    const endpoint: NewEndpoint = {
      id: id ?? ids.endpointId(at),
      tenantId,
      accountId,
      url,
      ...(description === undefined ? {} : { description }),
      events,
      // So that one that is made anew under the id of a removed one has a secret of its own.
      secretVersion: at,
      createdAt: at,
      updatedAt: at,
    }
    const added = await endpoints.add(endpoint)
    if (added === undefined) throw refuse('CONFLICT', 'there is an endpoint of this id')
    reply.code(201)
    return { ...toShownEndpoint(added), secret: webhookSecrets.secretOf(added, added.secretVersion) }
  })

  app.patch('/v1/endpoints/:id', { schema: CHANGE, onRequest: mayChange }, async (request) => {
    const changes = checked(request.body)
    const known = await findEndpoint(deps, callerOf(request), request.params.id)
    const at = clock()
    const changed = await endpoints.change({ ...withChanges(known, changes), updatedAt: at })
    if (changed === undefined) throw refuse('CONFLICT', 'this endpoint has just changed; look again')
    if (changes.enabled) await webhookDeliveries.resume(toWebhookDeliveriesOf(changed), at)
    return toShownEndpoint(changed)
  })

  app.delete('/v1/endpoints/:id', { schema: REMOVE, onRequest: mayChange }, async (request, reply) => {
    if (!(await endpoints.remove(readEndpointKey(callerOf(request), request.params.id)))) throw noEndpoint()
    return reply.code(204).send()
  })
}

const toWebhookDeliveriesOf = ({ tenantId, accountId, id }: Endpoint) => ({ tenantId, accountId, endpointId: id })

function checked<Fields extends EndpointFields>(fields: Fields): Fields {
  const problems = endpointProblems(fields)
  if (problems.length > 0) throw refuseFields(problems)
  return fields
}

async function refuseCrowd({ endpoints }: EndpointsDeps, caller: Caller): Promise<void> {
  const { length } = await endpoints.list(caller)
  if (length >= MOST) throw refuse('CONFLICT', `there are ${MOST} endpoints, and there cannot be more`)
}

function withChanges(known: Endpoint, { url, description, events, enabled }: Changes): Endpoint {
  const { description: before, disabled, ...rest } = known
  const now = description === undefined ? before : (description ?? undefined)
  const reason = enabled === undefined ? disabled : enabled ? undefined : (disabled ?? 'by_hand')
  return {
    ...rest,
    ...(url === undefined ? {} : { url }),
    ...(now === undefined ? {} : { description: now }),
    ...(events === undefined ? {} : { events }),
    ...(reason === undefined ? {} : { disabled: reason }),
  }
}

const tags = ['endpoints']
const params = Type.Object({ id: Type.String({ description: 'The `id` of an endpoint.' }) })

const LIST = {
  operationId: 'listEndpoints',
  tags,
  summary: 'All endpoints',
  description: 'Of your account, oldest first.',
  response: answers({
    200: { description: 'The endpoints.', schema: Type.Object({ items: Type.Array(ShownEndpoint) }) },
  }),
}

const FIND = {
  operationId: 'getEndpoint',
  tags,
  summary: 'One endpoint',
  description: 'Whether it is enabled, and since when it is failing, if it is.',
  params,
  response: answers({ 200: { description: 'The endpoint.', schema: ShownEndpoint } }, 'NOT_FOUND'),
}

const ADD = {
  operationId: 'addEndpoint',
  tags,
  summary: 'Make an endpoint',
  description:
    'It is told of every change of every message of your account from now on, as Standard Webhooks has it, signed with the `secret` of this answer.',
  body: Addition,
  response: answers({ 201: { description: 'Made, and in force.', schema: Made } }, 'VALIDATION_ERROR', 'CONFLICT'),
}

const CHANGE = {
  operationId: 'changeEndpoint',
  tags,
  summary: 'Change an endpoint',
  description:
    'Changes what is named; null takes a field away. One that is disabled is told nothing until it is enabled again, and then what it has missed.',
  params,
  body: Changes,
  response: answers(
    { 200: { description: 'Changed, and in force.', schema: ShownEndpoint } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
  ),
}

const REMOVE = {
  operationId: 'removeEndpoint',
  tags,
  summary: 'Remove an endpoint',
  description: 'It is told nothing more, and what it was told is forgotten.',
  params,
  response: { 204: { description: 'It is gone.', type: 'null' }, ...answers({}, 'NOT_FOUND') },
}
