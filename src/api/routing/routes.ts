/** Routes: which providers send which messages. They come from the operator's file or are created by a tenant. */
import { Type } from 'typebox'
import type { ProviderName, TenantId } from '../../domain/ids.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import {
  conditionProblems,
  providerProblems,
  type RouteFields,
  toFields,
  toRoute,
} from '../../domain/routing/route-fields.ts'
import type { Own, OwnRoute, Route } from '../../domain/routing/routing.ts'
import { type SetupQuotaDeps, setupQuotaExceeded } from '../../flows/access/quotas.ts'
import { allowedProviders } from '../../flows/access/usable-providers.ts'
import { notFound, refuse } from '../../flows/errors.ts'
import { TEST, USERS } from '../../flows/send/find-route.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Provider } from '../../ports/provider.ts'
import type { RouteBook } from '../../ports/routes.ts'
import type { Tenants } from '../../ports/tenants.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Ids } from '../../ports/world.ts'
import { type Audit, audited } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { listOf, NO_CONTENT, responses } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { RouteCreate, RouteUpdate, RouteView, toRouteView } from './route-schemas.ts'

export type RoutesDeps = SetupQuotaDeps &
  Readonly<{
    routes: RouteBook
    tenants: Pick<Tenants, 'of'>
    providers: ReadonlyMap<ProviderName, Provider>
    clock: Clock
    ids: Pick<Ids, 'routeId'>
    guard: Guard
    audit: Audit
  }>

/** Ids with another meaning: the built-in routes, and a path. */
const RESERVED: readonly string[] = [USERS, TEST, 'resolve']

export function routeRoutes(app: Api, deps: RoutesDeps): void {
  const { routes, clock, ids, guard, audit } = deps
  const [mayRead, mayChange] = [guard('messages:read'), guard('admin')]

  app.get('/v1/routes', { schema: LIST, onRequest: mayRead }, async (request) => ({
    items: routesOf(deps, callerOf(request).tenantId).map(toRouteView),
  }))

  app.get('/v1/routes/:id', { schema: FIND, onRequest: mayRead }, async (request) =>
    toRouteView(find(deps, callerOf(request).tenantId, request.params.id)),
  )

  app.post('/v1/routes', { schema: ADD, onRequest: mayChange }, async (request, reply) => {
    const { tenantId } = callerOf(request)
    const at = clock()
    const fields = { ...request.body, id: request.body.id ?? ids.routeId(at) }
    refuseTaken(deps, tenantId, fields.id)
    const route = readRoute(deps, tenantId, fields, reservedProblems(fields))
    const wanted = { ...route, tenantId, own: { createdAt: at, updatedAt: at } }
    const added = await routes.add(wanted, deps.quotasOf(tenantId).routes)
    if (added === undefined) {
      refuseTaken(deps, tenantId, fields.id)
      throw await setupQuotaExceeded(deps, tenantId, 'routes')
    }
    await audit(request, { action: 'route.created', target: toTarget(added), after: toRouteView(added) })
    reply.code(201)
    return toRouteView(added)
  })

  app.patch('/v1/routes/:id', { schema: CHANGE, onRequest: mayChange }, async (request) => {
    const found = findOwn(deps, callerOf(request).tenantId, request.params.id)
    const route = readRoute(deps, found.tenantId, withChanges(toFields(found), request.body))
    const own: Own = { ...found.own, updatedAt: clock() }
    const changed = await routes.change({ ...route, tenantId: found.tenantId, own })
    if (changed === undefined)
      throw refuse('CONFLICT', `The route ${found.id} was changed at the same time; get it and try again`)
    const [before, after] = [toRouteView(found), toRouteView(changed)]
    await audit(request, { action: 'route.changed', target: toTarget(changed), before, after })
    return toRouteView(changed)
  })

  app.delete('/v1/routes/:id', { schema: REMOVE, onRequest: mayChange }, async (request, reply) => {
    const found = findOwn(deps, callerOf(request).tenantId, request.params.id)
    if (!(await routes.remove(found.tenantId, found.id))) throw notFound('route', found.id)
    await audit(request, { action: 'route.removed', target: toTarget(found), before: toRouteView(found) })
    return reply.code(204).send()
  })
}

function routesOf({ routes }: Pick<RoutesDeps, 'routes'>, tenantId: TenantId): readonly Route[] {
  const found = routes.of(tenantId)
  if (found === undefined) throw new Unavailable('the routes are not loaded yet')
  return found
}

function find(deps: RoutesDeps, tenantId: TenantId, id: string): Route {
  const found = routesOf(deps, tenantId).find((route) => route.id === id)
  if (found === undefined) throw notFound('route', id)
  return found
}

function findOwn(deps: RoutesDeps, tenantId: TenantId, id: string): OwnRoute {
  const { own, ...route } = find(deps, tenantId, id)
  if (own === undefined)
    throw refuse('CONFLICT', `The route ${id} is defined in the operator's file and can only be changed there`)
  return { ...route, tenantId, own }
}

function refuseTaken(deps: Pick<RoutesDeps, 'routes'>, tenantId: TenantId, id: string): void {
  if (!routesOf(deps, tenantId).some((route) => route.id === id)) return
  throw refuse('CONFLICT', `A route with id ${id} already exists`)
}

const toTarget = ({ id }: Route) => ({ kind: 'route', id })

/** Null removes a field. */
function withChanges(fields: RouteFields, changes: RouteUpdate): RouteFields {
  const merged = Object.entries({ ...fields, ...changes }).filter(([, value]) => value !== null)
  return Object.fromEntries(merged) as RouteFields
}

/** Only of a new route: an id that was reserved later remains usable. */
const reservedProblems = ({ id }: RouteFields): readonly FieldProblem[] =>
  RESERVED.includes(id) ? [{ path: '/id', message: 'is reserved; choose another id' }] : []

function readRoute(
  deps: RoutesDeps,
  tenantId: TenantId,
  fields: RouteFields,
  found: readonly FieldProblem[] = [],
): Route {
  const able = [...deps.providers.values()].map(({ name, capabilities: { channels } }) => ({ name, channels }))
  const allowed = allowedProviders(deps, tenantId).map(({ name }) => name)
  const problems = [...found, ...conditionProblems(fields), ...providerProblems(fields, able, allowed)]
  if (problems.length > 0) throw refuseFields(problems)
  return toRoute(fields)
}

const tags = ['routes']
const params = Type.Object({
  id: Type.String({ title: 'RouteId', description: 'The `id` of a route.', examples: ['brazil'] }),
})

const LIST = {
  operationId: 'listRoutes',
  tags,
  summary: 'List routes',
  description:
    "Your own routes, oldest first, then those of the operator's file. Of the routes that match a message, the one with the longest prefix is used, then the one with the most conditions (being your own counts as one), then the first in this list.",
  response: responses({
    200: { description: 'The routes.', schema: listOf(RouteView) },
  }),
}

const FIND = {
  operationId: 'getRoute',
  tags,
  summary: 'Get a route',
  description: "Your own, or one of the operator's file.",
  params,
  response: responses({ 200: { description: 'The route.', schema: RouteView } }, 'NOT_FOUND'),
}

const ADD = {
  ...audited('route.created'),
  operationId: 'addRoute',
  tags,
  summary: 'Create a route',
  description: 'Applies to your own messages only, starting with the next one.',
  body: RouteCreate,
  response: responses(
    { 201: { description: 'The route, in effect.', schema: RouteView } },
    'VALIDATION_ERROR',
    'CONFLICT',
    'QUOTA_EXCEEDED',
  ),
}

const CHANGE = {
  ...audited('route.changed'),
  operationId: 'changeRoute',
  tags,
  summary: 'Update a route',
  description:
    "Changes the given fields; null removes a field. Applies from the next attempt on, also to messages already on this route. Routes of the operator's file cannot be changed.",
  params,
  body: RouteUpdate,
  response: responses(
    { 200: { description: 'The route, in effect.', schema: RouteView } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
  ),
}

const REMOVE = {
  ...audited('route.removed'),
  operationId: 'removeRoute',
  tags,
  summary: 'Delete a route',
  description: 'Messages then use the next route that matches. Messages with an unknown outcome are held.',
  params,
  response: { ...NO_CONTENT, ...responses({}, 'NOT_FOUND', 'CONFLICT') },
}
