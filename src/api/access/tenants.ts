/** Tenants, as operators describe them. They come from the operator's file or are created here. */
import { Type } from 'typebox'
import type { OwnTenant, Tenant } from '../../domain/access/tenant.ts'
import { type TenantFields, tenantProblems, toTenant, toTenantFields } from '../../domain/access/tenant-fields.ts'
import { type ProviderName, parseTenantId } from '../../domain/ids.ts'
import { mostDaysOf, type RetentionPolicy } from '../../domain/message/retention.ts'
import { notFound, refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Provider } from '../../ports/provider.ts'
import type { StoredTenant, Tenants } from '../../ports/tenants.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Guard } from '../http/auth.ts'
import type { Api } from '../http/context.ts'
import { PageQuery, pageOf, responses } from '../http/schemas.ts'
import { badCursor, refuseFields } from '../http/validation.ts'
import { type Audit, audited } from './audit.ts'
import { TenantCreate, TenantUpdate, TenantView, toTenantView } from './tenant-schemas.ts'

export type TenantsDeps = Readonly<{
  tenants: Tenants
  providers: ReadonlyMap<ProviderName, Provider>
  /** What the installation says about messages of all tenants. */
  retentionPolicy: RetentionPolicy
  clock: Clock
  guard: Guard
  audit: Audit
}>

/** Every process keeps them all in memory. */
const MAX_TENANTS = 10_000

export function tenantRoutes(app: Api, deps: TenantsDeps): void {
  const { tenants, clock, guard, audit } = deps
  const onRequest = guard('operator')

  app.get('/v1/tenants', { schema: LIST, onRequest }, async ({ query: { cursor, limit = 50 } }) => {
    if (cursor !== undefined && parseTenantId(cursor) === undefined) throw badCursor()
    const after = listed(tenants).filter(({ id }) => cursor === undefined || id > cursor)
    const page = after.slice(0, limit)
    const next = after.length > limit ? page.at(-1)?.id : undefined
    return { items: page.map(toTenantView), next_cursor: next ?? null }
  })

  app.get('/v1/tenants/:id', { schema: FIND, onRequest }, async ({ params: { id } }) => toTenantView(find(deps, id)))

  app.post('/v1/tenants', { schema: ADD, onRequest }, async (request, reply) => {
    const { id } = request.body
    refuseAddition(listed(tenants), id)
    const at = clock()
    const tenant = readTenant(deps, request.body)
    const added = await tenants.add({ ...tenant, own: { createdAt: at, updatedAt: at } })
    if (added === undefined) throw idTaken(id)
    const after = toTenantView(added)
    await audit(request, { action: 'tenant.created', target: toTarget(added), tenantId: added.id, after })
    reply.code(201)
    return after
  })

  app.patch('/v1/tenants/:id', { schema: CHANGE, onRequest }, async (request) => {
    const found = findStored(deps, request.params.id)
    const tenant = readTenant(deps, withChanges(toTenantFields(found), request.body))
    const own: OwnTenant = { ...found.own, updatedAt: clock() }
    const changed = await tenants.change({ ...tenant, own })
    if (changed === undefined)
      throw refuse('CONFLICT', `The tenant ${found.id} was changed at the same time; get it and try again`)
    const [before, after] = [toTenantView(found), toTenantView(changed)]
    await audit(request, { action: 'tenant.changed', target: toTarget(changed), tenantId: changed.id, before, after })
    return after
  })
}

const toTarget = ({ id }: Tenant) => ({ kind: 'tenant', id })

const idTaken = (id: string) => refuse('CONFLICT', `A tenant with id ${id} already exists`)

function listed(tenants: Tenants): readonly Tenant[] {
  if (!tenants.isLoaded()) throw new Unavailable('the tenants are not loaded yet')
  return tenants.list()
}

function find({ tenants }: TenantsDeps, text: string): Tenant {
  const known = listed(tenants)
  const id = parseTenantId(text)
  const found = id === undefined ? undefined : known.find((tenant) => tenant.id === id)
  if (found === undefined) throw notFound('tenant', text)
  return found
}

function findStored(deps: TenantsDeps, id: string): StoredTenant {
  const { own, ...tenant } = find(deps, id)
  if (own === undefined)
    throw refuse('CONFLICT', `The tenant ${id} is defined in the operator's file and can only be changed there`)
  return { ...tenant, own }
}

function refuseAddition(known: readonly Tenant[], id: string): void {
  if (known.some((tenant) => tenant.id === id)) throw idTaken(id)
  if (known.length >= MAX_TENANTS) throw refuse('CONFLICT', `The maximum of ${MAX_TENANTS} tenants is reached`)
}

/** Null removes a field. */
function withChanges(fields: TenantFields, changes: TenantUpdate): TenantFields {
  const merged = Object.entries({ ...fields, ...changes }).filter(([, value]) => value !== null)
  return Object.fromEntries(merged) as TenantFields
}

function readTenant({ providers, retentionPolicy }: TenantsDeps, fields: TenantFields): Tenant {
  const mostDays = mostDaysOf(retentionPolicy, fields.id)
  const problems = tenantProblems(fields, { providers: [...providers.values()], mostDays })
  if (problems.length > 0) throw refuseFields(problems)
  return toTenant(fields)
}

const tags = ['tenants']
const params = Type.Object({
  id: Type.String({ title: 'TenantId', description: 'The `id` of a tenant.', examples: ['acme'] }),
})

const LIST = {
  operationId: 'listTenants',
  tags,
  summary: 'List tenants',
  description:
    "Those of the operator's file and those created here, sorted by id. Tenants that are not listed work with the defaults of the installation, unless POMBO_TENANTS is `known`.",
  querystring: PageQuery,
  response: responses({ 200: { description: 'A page of tenants.', schema: pageOf(TenantView) } }, 'VALIDATION_ERROR'),
}

const FIND = {
  operationId: 'getTenant',
  tags,
  summary: 'Get a tenant',
  description: "One that was created here, or one of the operator's file.",
  params,
  response: responses({ 200: { description: 'The tenant.', schema: TenantView } }, 'NOT_FOUND'),
}

const ADD = {
  ...audited('tenant.created'),
  operationId: 'addTenant',
  tags,
  summary: 'Create a tenant',
  description: 'Describes a tenant, whether or not it has called before. In effect in every process once it responds.',
  body: TenantCreate,
  response: responses(
    { 201: { description: 'The tenant, in effect.', schema: TenantView } },
    'VALIDATION_ERROR',
    'CONFLICT',
  ),
}

const CHANGE = {
  ...audited('tenant.changed'),
  operationId: 'changeTenant',
  tags,
  summary: 'Update a tenant',
  description:
    "Changes the given fields; null removes a field. Suspending a tenant refuses its calls at once, and its waiting messages become dead letters, which can be replayed once it is active again. Tenants of the operator's file cannot be changed.",
  params,
  body: TenantUpdate,
  response: responses(
    { 200: { description: 'The tenant, in effect.', schema: TenantView } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
  ),
}
