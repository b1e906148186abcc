/** How much of its quotas a tenant uses. */
import { type Static, Type } from 'typebox'
import { isUsable } from '../../domain/access/api-key.ts'
import { type QuotaName, type QuotasOf, ratioOf } from '../../domain/access/quotas.ts'
import { QUOTA_FIELDS } from '../../domain/access/tenant-fields.ts'
import { isTestTenant, liveTenantOf } from '../../domain/access/test-mode.ts'
import { parseTenantId, type TenantId } from '../../domain/ids.ts'
import { notFound } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ApiKeys } from '../../ports/api-keys.ts'
import type { Usage } from '../../ports/usage.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { namedObject, nullable, responses } from '../http/schemas.ts'

export type QuotaRoutesDeps = Readonly<{
  usage: Usage
  quotasOf: QuotasOf
  apiKeys: Pick<ApiKeys, 'list'>
  clock: Clock
  guard: Guard
}>

export function quotaRoutes(app: Api, deps: QuotaRoutesDeps): void {
  const { guard } = deps

  app.get('/v1/usage/quotas', { schema: GET_OWN, onRequest: guard('messages:read') }, async (request) =>
    toView(deps, callerOf(request).tenantId),
  )

  app.get('/v1/tenants/:id/usage', { schema: GET_OF, onRequest: guard('operator') }, async (request) => {
    const tenantId = parseTenantId(request.params.id)
    if (tenantId === undefined) throw notFound('tenant', request.params.id)
    return toView(deps, tenantId)
  })
}

async function toView(deps: QuotaRoutesDeps, tenantId: TenantId): Promise<Static<typeof QuotaUse>> {
  const [measured, setup] = await Promise.all([deps.usage.measure([tenantId]), deps.usage.setup(tenantId)])
  const { waiting, storedBytes } = measured.get(tenantId) ?? {}
  const used = { ...setup, apiKeys: countKeys(deps, tenantId), waitingMessages: waiting, storedBytes }
  const limits = deps.quotasOf(tenantId)
  const items = QUOTAS.map((name) => toItem(name, limits[name], used[name]))
  return { tenant_id: tenantId, items }
}

const QUOTAS = Object.keys(QUOTA_FIELDS) as readonly QuotaName[]

function toItem(name: QuotaName, limit: number, used: number | undefined): Static<typeof QuotaItem> {
  const quota = QUOTA_FIELDS[name]
  if (!Number.isFinite(limit)) return { quota, limit: null, used: used ?? null, ratio: null }
  return { quota, limit, used: used ?? null, ratio: used === undefined ? null : ratioOf(used, limit) }
}

/** Usable keys of the mode. Keys belong to the live tenant, whatever their mode. */
function countKeys({ apiKeys, clock }: QuotaRoutesDeps, tenantId: TenantId): number {
  const mode = isTestTenant(tenantId) ? 'test' : 'live'
  const now = clock()
  return apiKeys.list(liveTenantOf(tenantId)).filter((key) => key.mode === mode && isUsable(key, now)).length
}

const QuotaItem = namedObject('QuotaUsage', {
  quota: Type.Enum(Object.values(QUOTA_FIELDS), { title: 'QuotaName' }),
  limit: nullable(Type.Integer({ description: 'Null if there is no bound.', examples: [1_000_000] })),
  used: nullable(Type.Integer({ description: 'Null while it cannot be read.', examples: [800_000] })),
  ratio: nullable(Type.Number({ description: '`used` divided by `limit`.', examples: [0.8] })),
})

const QuotaUse = namedObject('TenantQuotaUsage', {
  tenant_id: Type.String({ examples: ['acme'] }),
  items: Type.Array(QuotaItem, { description: 'Every quota.' }),
})

const tags = ['operations']
const USE =
  'How much a tenant may set up, have waiting and store, and how much of it is used. `waiting_messages` are accepted ' +
  'and not handed to a provider yet. When they or `stored_bytes` reach their limit, sends are refused with 507; when ' +
  'another quota does, additions are refused with 409.'

const GET_OWN = {
  operationId: 'getQuotas',
  tags,
  summary: 'Get your quotas',
  description: USE,
  response: responses({ 200: { description: 'The quotas of your tenant.', schema: QuotaUse } }),
}

const GET_OF = {
  operationId: 'getTenantUsage',
  tags,
  summary: 'Get the quotas of a tenant',
  description: USE,
  params: Type.Object({
    id: Type.String({ title: 'TenantId', description: 'The `id` of a tenant.', examples: ['acme'] }),
  }),
  response: responses({ 200: { description: 'The quotas of the tenant.', schema: QuotaUse } }, 'NOT_FOUND'),
}
