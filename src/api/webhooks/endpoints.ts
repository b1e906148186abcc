/** The webhook endpoints of an account. endpoint-secrets.ts manages their secrets, deliveries.ts their deliveries. */
import { Type } from 'typebox'
import { type EndpointFields, endpointProblems } from '../../domain/requests/endpoint-request.ts'
import type { Endpoint } from '../../domain/webhooks/endpoint.ts'
import { quotaExceeded, type SetupQuotaDeps, setupQuotaExceeded } from '../../flows/access/quotas.ts'
import { notFound, type Refusal, refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Endpoints, NewEndpoint } from '../../ports/endpoints.ts'
import type { WebhookDeliveries } from '../../ports/webhook-deliveries.ts'
import type { WebhookSigner } from '../../ports/webhook-signer.ts'
import type { Ids } from '../../ports/world.ts'
import { type Audit, audited } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { listOf, NO_CONTENT, responses } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import {
  CreatedEndpoint,
  EndpointCreate,
  EndpointUpdate,
  EndpointView,
  toEndpointSnapshot,
  toEndpointTarget,
  toEndpointView,
} from './endpoint-schemas.ts'
import { changedMeanwhile, findEndpoint, findOwnEndpoint, refuseOperatorEvents } from './find-endpoint.ts'

export type EndpointsDeps = SetupQuotaDeps &
  Readonly<{
    endpoints: Endpoints
    webhookDeliveries: Pick<WebhookDeliveries, 'resume'>
    webhookSigner: Pick<WebhookSigner, 'secretOf'>
    clock: Clock
    ids: Pick<Ids, 'endpointId'>
    guard: Guard
    audit: Audit
  }>

/** Of one account: every message of it is delivered to all of them. */
const MAX_ENDPOINTS = 100

export function endpointRoutes(app: Api, deps: EndpointsDeps): void {
  const { endpoints, webhookDeliveries, webhookSigner, clock, ids, guard, audit } = deps
  const [mayRead, mayChange] = [guard('messages:read'), guard('admin')]

  app.get('/v1/endpoints', { schema: LIST, onRequest: mayRead }, async (request) => ({
    items: (await endpoints.list(callerOf(request))).map(toEndpointView),
  }))

  app.get('/v1/endpoints/:id', { schema: FIND, onRequest: mayRead }, async (request) =>
    toEndpointView(await findEndpoint(deps, callerOf(request), request.params.id)),
  )

  app.post('/v1/endpoints', { schema: ADD, onRequest: mayChange }, async (request, reply) => {
    const caller = callerOf(request)
    const { tenantId, accountId } = caller
    const { id, url, description, events = [] } = checked(request.body)
    refuseOperatorEvents(caller, { events })
    const at = clock()
    const endpoint: NewEndpoint = omitUndefined({
      id: id ?? ids.endpointId(at),
      tenantId,
      accountId,
      url,
      description,
      events,
      // An endpoint that reuses the id of a deleted one must not reuse its secret.
      secretVersion: at,
      createdAt: at,
      updatedAt: at,
    })
    const most = { account: MAX_ENDPOINTS, tenant: deps.quotasOf(tenantId).endpoints }
    const added = await endpoints.add(endpoint, most)
    if (added === undefined) throw await noRoom(deps, endpoint)
    const [target, after] = [toEndpointTarget(added), toEndpointSnapshot(added)]
    await audit(request, { action: 'endpoint.created', target, after })
    reply.code(201)
    return { ...toEndpointView(added), secret: webhookSigner.secretOf(added, added.secretVersion) }
  })

  app.patch('/v1/endpoints/:id', { schema: CHANGE, onRequest: mayChange }, async (request) => {
    const changes = checked(request.body)
    const caller = callerOf(request)
    const found = await findOwnEndpoint(deps, caller, request.params.id)
    refuseOperatorEvents(caller, { events: changes.events ?? [] })
    const at = clock()
    const changed = await endpoints.change({ ...withChanges(found, changes), updatedAt: at })
    if (changed === undefined) throw changedMeanwhile(found.id)
    const [before, after] = [toEndpointSnapshot(found), toEndpointSnapshot(changed)]
    await audit(request, { action: 'endpoint.changed', target: toEndpointTarget(changed), before, after })
    if (changes.enabled) await webhookDeliveries.resume(toDeliveryScope(changed), at)
    return toEndpointView(changed)
  })

  app.delete('/v1/endpoints/:id', { schema: REMOVE, onRequest: mayChange }, async (request, reply) => {
    const found = await findOwnEndpoint(deps, callerOf(request), request.params.id)
    if (!(await endpoints.remove(found))) throw notFound('endpoint', found.id)
    const before = toEndpointSnapshot(found)
    await audit(request, { action: 'endpoint.removed', target: toEndpointTarget(found), before })
    return reply.code(204).send()
  })
}

const toDeliveryScope = ({ tenantId, accountId, id }: Endpoint) => ({ tenantId, accountId, endpointId: id })

function checked<Fields extends EndpointFields>(fields: Fields): Fields {
  const problems = endpointProblems(fields)
  if (problems.length > 0) throw refuseFields(problems)
  return fields
}

/** Why the endpoint could not be added. */
async function noRoom(deps: EndpointsDeps, endpoint: NewEndpoint): Promise<Refusal> {
  const ofAccount = await deps.endpoints.list(endpoint)
  if (ofAccount.some(({ id }) => id === endpoint.id)) {
    return refuse('CONFLICT', `An endpoint with id ${endpoint.id} already exists`)
  }
  const { length: used } = ofAccount
  return used >= MAX_ENDPOINTS
    ? quotaExceeded('endpoints of an account', MAX_ENDPOINTS, used)
    : setupQuotaExceeded(deps, endpoint.tenantId, 'endpoints')
}

function withChanges(endpoint: Endpoint, { url, description, events, enabled }: EndpointUpdate): Endpoint {
  const { disabled } = endpoint
  return omitUndefined({
    ...endpoint,
    url: url ?? endpoint.url,
    description: description === undefined ? endpoint.description : (description ?? undefined),
    events: events ?? endpoint.events,
    disabled: enabled === undefined ? disabled : enabled ? undefined : (disabled ?? 'by_hand'),
  })
}

const tags = ['endpoints']
const params = Type.Object({
  id: Type.String({ title: 'EndpointId', description: 'The `id` of an endpoint.', examples: ['orders'] }),
})

const LIST = {
  operationId: 'listEndpoints',
  tags,
  summary: 'List endpoints',
  description: 'The endpoints of your account, oldest first.',
  response: responses({
    200: { description: 'The endpoints.', schema: listOf(EndpointView) },
  }),
}

const FIND = {
  operationId: 'getEndpoint',
  tags,
  summary: 'Get an endpoint',
  description: 'Shows whether it is enabled, and since when it has been failing.',
  params,
  response: responses({ 200: { description: 'The endpoint.', schema: EndpointView } }, 'NOT_FOUND'),
}

const ADD = {
  ...audited('endpoint.created'),
  operationId: 'addEndpoint',
  tags,
  summary: 'Create an endpoint',
  description:
    'From now on, Pombo POSTs every status change of every message of your account and the alerts of your tenant to the URL. Events whose names begin with `tenant.`, `provider.` or `dead_letters.` are about the installation: they need the scope `operator`. Webhooks follow the Standard Webhooks specification and are signed with the `secret` of this response.',
  body: EndpointCreate,
  response: responses(
    { 201: { description: 'The endpoint and its secret.', schema: CreatedEndpoint } },
    'VALIDATION_ERROR',
    'CONFLICT',
    'QUOTA_EXCEEDED',
  ),
}

const CHANGE = {
  ...audited('endpoint.changed'),
  operationId: 'changeEndpoint',
  tags,
  summary: 'Update an endpoint',
  description:
    'Changes the given fields; null removes a field. A disabled endpoint gets no webhooks; when it is enabled again it gets those it has missed.',
  params,
  body: EndpointUpdate,
  response: responses(
    { 200: { description: 'The endpoint.', schema: EndpointView } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
  ),
}

const REMOVE = {
  ...audited('endpoint.removed'),
  operationId: 'removeEndpoint',
  tags,
  summary: 'Delete an endpoint',
  description: 'Stops its webhooks and deletes its delivery history.',
  params,
  response: { ...NO_CONTENT, ...responses({}, 'NOT_FOUND') },
}
