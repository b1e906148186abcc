/** Which providers carry which messages: the routes of the operator's file, and those that a tenant makes for itself. */
import { Type } from 'typebox'
import type { ProviderName, TenantId } from '../../domain/ids.ts'
import {
  conditionProblems,
  providerProblems,
  type RouteFields,
  toFields,
  toRoute,
} from '../../domain/routing/route-fields.ts'
import type { Own, OwnRoute, Route } from '../../domain/routing/routing.ts'
import { refuse } from '../../flows/errors.ts'
import { USERS } from '../../flows/send/routes.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Provider } from '../../ports/provider.ts'
import type { RouteBook } from '../../ports/routes.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Ids } from '../../ports/world.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { answers } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { Addition, Changes, ShownRoute, toShown } from './route-schemas.ts'

export type RoutesDeps = Readonly<{
  routes: RouteBook
  providers: ReadonlyMap<ProviderName, Provider>
  clock: Clock
  ids: Pick<Ids, 'routeId'>
  guard: Guard
}>

/** Every process knows all routes of all tenants, so that none may have them without end. */
const MOST_OWN = 1_000

/** Ids that mean something else. */
const RESERVED: readonly string[] = [USERS, 'resolve']

export function routeRoutes(app: Api, deps: RoutesDeps): void {
  const { routes, clock, ids, guard } = deps
  const [mayRead, mayChange] = [guard('messages:read'), guard('admin')]

  app.get('/v1/routes', { schema: LIST, onRequest: mayRead }, async (request) => ({
    items: knownTo(deps, callerOf(request).tenantId).map(toShown),
  }))

  app.get('/v1/routes/:id', { schema: FIND, onRequest: mayRead }, async (request) =>
    toShown(find(deps, callerOf(request).tenantId, request.params.id)),
  )

  app.post('/v1/routes', { schema: ADD, onRequest: mayChange }, async (request, reply) => {
    const { tenantId } = callerOf(request)
    const at = clock()
    const fields = { ...request.body, id: request.body.id ?? ids.routeId(at) }
    refuseCrowd(knownTo(deps, tenantId), fields.id)
    const added = await routes.add({ ...readRoute(deps, fields), tenantId, own: { createdAt: at, updatedAt: at } })
    if (added === undefined) throw taken()
    reply.code(201)
    return toShown(added)
  })

  app.patch('/v1/routes/:id', { schema: CHANGE, onRequest: mayChange }, async (request) => {
    const known = findOwn(deps, callerOf(request).tenantId, request.params.id)
    const route = readRoute(deps, withChanges(toFields(known), request.body))
    const own: Own = { ...known.own, updatedAt: clock() }
    const changed = await routes.change({ ...route, tenantId: known.tenantId, own })
    if (changed === undefined) throw refuse('CONFLICT', 'this route has just changed; look again')
    return toShown(changed)
  })

  app.delete('/v1/routes/:id', { schema: REMOVE, onRequest: mayChange }, async (request, reply) => {
    const { tenantId, id } = findOwn(deps, callerOf(request).tenantId, request.params.id)
    if (!(await routes.remove(tenantId, id))) throw none()
    return reply.code(204).send()
  })
}

const none = () => refuse('NOT_FOUND', 'no such route')
const taken = () => refuse('CONFLICT', 'there is a route of this id')

function knownTo({ routes }: Pick<RoutesDeps, 'routes'>, tenantId: TenantId): readonly Route[] {
  const known = routes.of(tenantId)
  if (known === undefined) throw new Unavailable('the routes are not known yet')
  return known
}

function find(deps: RoutesDeps, tenantId: TenantId, id: string): Route {
  const found = knownTo(deps, tenantId).find((route) => route.id === id)
  if (found === undefined) throw none()
  return found
}

function findOwn(deps: RoutesDeps, tenantId: TenantId, id: string): OwnRoute {
  const { own, ...route } = find(deps, tenantId, id)
  if (own === undefined) throw refuse('CONFLICT', "this route is one of the operator's file; it is changed there")
  return { ...route, tenantId, own }
}

function refuseCrowd(known: readonly Route[], id: string): void {
  if (known.some((route) => route.id === id)) throw taken()
  const count = known.filter(({ own }) => own !== undefined).length
  if (count >= MOST_OWN) throw refuse('CONFLICT', `there are ${MOST_OWN} routes, and there cannot be more`)
}

/** With what a change says; null takes a field away. */
function withChanges(fields: RouteFields, changes: Changes): RouteFields {
  const merged = Object.entries({ ...fields, ...changes }).filter(([, value]) => value !== null)
  return Object.fromEntries(merged) as RouteFields
}

function readRoute({ providers }: RoutesDeps, fields: RouteFields): Route {
  const { id } = fields
  const able = [...providers.values()].map(({ name, capabilities: { channels } }) => ({ name, channels }))
  const problems = [
    ...(RESERVED.includes(id) ? [{ path: '/id', message: 'is reserved; choose another' }] : []),
    ...conditionProblems(fields),
    ...providerProblems(fields, able),
  ]
  if (problems.length > 0) throw refuseFields(problems)
  return toRoute(fields)
}

const tags = ['routes']
const params = Type.Object({ id: Type.String({ description: 'The `id` of a route.' }) })

const LIST = {
  operationId: 'listRoutes',
  tags,
  summary: 'All routes',
  description:
    'Your own, oldest first, and then those of the operator’s file. Of all that fit a message the one with the longest prefix is taken, then the one with more conditions (that it is yours is one), then the first of this list.',
  response: answers({
    200: { description: 'The routes.', schema: Type.Object({ items: Type.Array(ShownRoute) }) },
  }),
}

const FIND = {
  operationId: 'getRoute',
  tags,
  summary: 'One route',
  description: 'Your own, or one of the operator’s file.',
  params,
  response: answers({ 200: { description: 'The route.', schema: ShownRoute } }, 'NOT_FOUND'),
}

const ADD = {
  operationId: 'addRoute',
  tags,
  summary: 'Make a route',
  description: 'For your own messages alone. The next message takes it, where it fits best.',
  body: Addition,
  response: answers(
    { 201: { description: 'Made, and in force.', schema: ShownRoute } },
    'VALIDATION_ERROR',
    'CONFLICT',
  ),
}

const CHANGE = {
  operationId: 'changeRoute',
  tags,
  summary: 'Change a route',
  description:
    'Changes what is named; null takes a field away. The next attempt goes by it, also of messages that took the route before. One of the operator’s file is a conflict.',
  params,
  body: Changes,
  response: answers(
    { 200: { description: 'Changed, and in force.', schema: ShownRoute } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
  ),
}

const REMOVE = {
  operationId: 'removeRoute',
  tags,
  summary: 'Remove a route',
  description: 'Messages take the next one that fits them. Those whose outcome nobody knows are then held.',
  params,
  response: { 204: { description: 'It is gone.', type: 'null' }, ...answers({}, 'NOT_FOUND', 'CONFLICT') },
}
