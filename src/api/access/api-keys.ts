/** API keys: created, listed, rotated and revoked by the admins of their tenant. */
import { type Static, Type } from 'typebox'
import {
  type ApiKey,
  type ApiKeyId,
  isForgotten,
  isUsable,
  parseApiKeyId,
  toApiKeyText,
} from '../../domain/access/api-key.ts'
import type { Caller } from '../../domain/access/caller.ts'
import type { QuotasOf } from '../../domain/access/quotas.ts'
import { isTestTenant, liveTenantOf } from '../../domain/access/test-mode.ts'
import { quotaExceeded } from '../../flows/access/quotas.ts'
import { notFound, type Refusal, refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, instant, later, seconds } from '../../lib/time.ts'
import type { ApiKeySecrets } from '../../ports/api-key-secrets.ts'
import type { ApiKeyRoom, ApiKeys } from '../../ports/api-keys.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { PageQuery, pageOf, responses } from '../http/schemas.ts'
import { badCursor } from '../http/validation.ts'
import { type ApiKeyBounds, boundedEnd, boundsOf, refuseWiderNetworks } from './api-key-bounds.ts'
import { type ApiKeyDraft, readDraft, refuseForeignScopes } from './api-key-fields.ts'
import {
  ApiKeyCreate,
  ApiKeyRotation,
  ApiKeyView,
  DEFAULT_OVERLAP_SECONDS,
  IssuedApiKey,
  RotatedApiKey,
  toApiKeyView,
} from './api-key-schemas.ts'
import { type Audit, audited } from './audit.ts'

export type ApiKeysDeps = Readonly<{
  apiKeys: ApiKeys
  apiKeySecrets: ApiKeySecrets
  /** The short password of a key for SMPP clients, where they are allowed. */
  smppPassword?: (key: ApiKey) => string
  /** Of usable keys, for each mode. */
  quotasOf: QuotasOf
  clock: Clock
  guard: Guard
  audit: Audit
}>

/** Bounds those that have ended too: every process keeps them in memory. */
const KEPT_PER_USABLE = 10
const LEAST_KEPT = 1_000
/** While a key and its successor overlap, both are usable. */
const OVERLAPPING = 2

export function apiKeyRoutes(app: Api, deps: ApiKeysDeps): void {
  const { apiKeys, clock, guard, audit } = deps
  const mayManage = guard('admin')

  app.get('/v1/api-keys', { schema: LIST, onRequest: mayManage }, async (request) => {
    const now = clock()
    return toPage(keysOf(deps, callerOf(request), now), request.query, now)
  })

  app.get('/v1/api-keys/:id', { schema: FIND, onRequest: mayManage }, async (request) => {
    const now = clock()
    return toApiKeyView(find(deps, callerOf(request), request.params.id, now), now)
  })

  app.post('/v1/api-keys', { schema: ADD, onRequest: mayManage }, async (request, reply) => {
    const now = clock()
    const caller = callerOf(request)
    const { stored: key, shown } = await issue(deps, readDraft(caller, boundsOf(apiKeys, caller), request.body, now))
    const view = toApiKeyView(key, now)
    await audit(request, { action: 'api_key.created', target: toTarget(key), after: view })
    reply.code(201).header('cache-control', 'no-store')
    return { ...view, ...shown }
  })

  app.post('/v1/api-keys/:id/rotate', { schema: ROTATE, onRequest: mayManage }, async (request, reply) => {
    const { overlap_seconds: overlap = DEFAULT_OVERLAP_SECONDS } = request.body
    const now = clock()
    const caller = callerOf(request)
    const bounds = boundsOf(apiKeys, caller)
    const found = findUsable(deps, caller, request.params.id, now)
    refuseWiderNetworks(bounds, found)
    const { stored: key, shown } = await issue(deps, toSuccessor(found, bounds, now), OVERLAPPING)
    const end = { kind: 'expires', at: later(now, seconds(overlap)) } as const
    const previous = toApiKeyView((await apiKeys.end(found.tenantId, found.id, end)) ?? found, now)
    const changes = { before: toApiKeyView(found, now), after: { ...previous, successor: key.id } }
    await audit(request, { action: 'api_key.rotated', target: toTarget(found), ...changes })
    reply.code(201).header('cache-control', 'no-store')
    return { ...toApiKeyView(key, now), ...shown, previous }
  })

  app.delete('/v1/api-keys/:id', { schema: REVOKE, onRequest: mayManage }, async (request, reply) => {
    const now = clock()
    const found = find(deps, callerOf(request), request.params.id, now)
    const revoked = await apiKeys.end(found.tenantId, found.id, { kind: 'revoked', at: now })
    if (revoked === undefined) throw notFound('API key', found.id)
    const changes = { before: toApiKeyView(found, now), after: toApiKeyView(revoked, now) }
    await audit(request, { action: 'api_key.revoked', target: toTarget(found), ...changes })
    return reply.code(204).send()
  })
}

const toTarget = ({ id }: ApiKey) => ({ kind: 'api_key', id })

/** The keys that a caller manages, newest first: in test mode only test keys. */
function keysOf({ apiKeys }: Pick<ApiKeysDeps, 'apiKeys'>, { tenantId }: Caller, now: Instant): readonly ApiKey[] {
  if (!apiKeys.isLoaded()) throw new Unavailable('the API keys are not loaded yet')
  const isOnlyTest = isTestTenant(tenantId)
  return apiKeys
    .list(liveTenantOf(tenantId))
    .filter((key) => !isForgotten(key, now) && (key.mode === 'test' || !isOnlyTest))
}

/** Does not repeat what is no id: somebody may have sent a whole key. */
function find(deps: ApiKeysDeps, caller: Caller, text: string, now: Instant): ApiKey {
  const id = parseApiKeyId(text)
  if (id === undefined) throw refuse('NOT_FOUND', 'No API key with this id: ids have 12 lower-case letters and digits')
  const found = keysOf(deps, caller, now).find((key) => key.id === id)
  if (found === undefined) throw notFound('API key', id)
  return found
}

function findUsable(deps: ApiKeysDeps, caller: Caller, text: string, now: Instant): ApiKey {
  const found = find(deps, caller, text, now)
  refuseForeignScopes(caller, found.scopes)
  if (!isUsable(found, now)) throw refuse('CONFLICT', `The API key ${found.id} has ended; create a new one`)
  return found
}

/** The same settings, for as long as the key was to live, but no longer than the bounds allow. */
function toSuccessor(
  { id: _, hash: __, expiresAt: ___, lastUsedAt: ____, ...settings }: ApiKey,
  bounds: ApiKeyBounds,
  now: Instant,
): ApiKeyDraft {
  const { lifetime } = settings
  const expiresAt = boundedEnd(bounds, lifetime && later(now, lifetime))
  return { ...settings, createdAt: now, ...omitUndefined({ expiresAt }) }
}

/** A key, with what is shown once. */
type IssuedKey = Readonly<{ stored: ApiKey; shown: Readonly<{ key: string; smpp_password?: string }> }>

/** `times` is how often the quota counts. */
async function issue(deps: ApiKeysDeps, draft: ApiKeyDraft, times = 1): Promise<IssuedKey> {
  const { apiKeys, apiKeySecrets, quotasOf, smppPassword } = deps
  const { id, secret } = apiKeySecrets.draw()
  const key: ApiKey = { ...draft, id, hash: apiKeySecrets.hash(secret) }
  const quota = quotasOf(key.tenantId).apiKeys
  const room: ApiKeyRoom = { usable: times * quota, all: Math.max(LEAST_KEPT, KEPT_PER_USABLE * quota) }
  if (!(await apiKeys.add(key, room))) throw noRoom(deps, key, room)
  const text = toApiKeyText({ mode: key.mode, id, secret })
  return { stored: key, shown: { key: text, ...(smppPassword && { smpp_password: smppPassword(key) }) } }
}

function noRoom({ apiKeys }: ApiKeysDeps, { tenantId, mode, createdAt }: ApiKey, { usable, all }: ApiKeyRoom): Refusal {
  const used = apiKeys.list(tenantId).filter((key) => key.mode === mode && isUsable(key, createdAt)).length
  if (used >= usable) return quotaExceeded(`${mode} API keys`, usable, used)
  const reason = `The maximum of ${all} ${mode} API keys is reached, with those that ended in the last 30 days`
  return refuse('CONFLICT', `${reason}; wait until the oldest is no longer listed`)
}

const CURSOR = /^(\d{1,15})\.([0-9a-z]{12})$/
const toCursor = ({ createdAt, id }: ApiKey): string => `${createdAt}.${id}`

function toPage(keys: readonly ApiKey[], query: Static<typeof PageQuery>, now: Instant): Static<typeof ApiKeyPage> {
  const { cursor, limit = 50 } = query
  const rest = cursor === undefined ? keys : keys.filter(isAfter(cursor))
  const items = rest.slice(0, limit)
  const last = rest.length > limit ? items.at(-1) : undefined
  return {
    items: items.map((key) => toApiKeyView(key, now)),
    next_cursor: last === undefined ? null : toCursor(last),
  }
}

/** Whether a key comes after the cursor; the key of the cursor may be forgotten by now. */
function isAfter(cursor: string): (key: ApiKey) => boolean {
  const [, at, last] = CURSOR.exec(cursor) ?? []
  if (at === undefined || last === undefined) {
    throw badCursor()
  }
  const createdAt = instant(Number(at))
  return (key) => key.createdAt < createdAt || (key.createdAt === createdAt && key.id < (last as ApiKeyId))
}

const tags = ['api keys']
const params = Type.Object({
  id: Type.String({ title: 'ApiKeyId', description: 'The `id` of an API key.', examples: ['8f3k1x0q7zab'] }),
})
const ApiKeyPage = pageOf(ApiKeyView)

const LIST = {
  operationId: 'listApiKeys',
  tags,
  summary: 'List API keys',
  description:
    'The keys of your tenant, newest first; in test mode only its test keys. Keys that expired or were revoked are listed for another 30 days.',
  querystring: PageQuery,
  response: responses({ 200: { description: 'A page of API keys.', schema: ApiKeyPage } }, 'VALIDATION_ERROR'),
}

const FIND = {
  operationId: 'getApiKey',
  tags,
  summary: 'Get an API key',
  description: 'Its settings and when it was last used, not the key itself.',
  params,
  response: responses({ 200: { description: 'The API key.', schema: ApiKeyView } }, 'NOT_FOUND'),
}

const ADD = {
  operationId: 'createApiKey',
  tags,
  summary: 'Create an API key',
  description: `The response contains the key, and nothing else ever will. Send it as \`Authorization: Bearer pk_…\`. Every process accepts it at once. The quota \`api_keys\` counts usable keys, those of test mode apart.`,
  body: ApiKeyCreate,
  response: responses(
    { 201: { description: 'The API key, in effect.', schema: IssuedApiKey } },
    'VALIDATION_ERROR',
    'CONFLICT',
    'QUOTA_EXCEEDED',
  ),
  ...audited('api_key.created'),
}

const ROTATE = {
  operationId: 'rotateApiKey',
  tags,
  summary: 'Rotate an API key',
  description:
    'Creates a key with the same settings, and lets the current one expire after the overlap, so that you can deploy the new one. A key that was to expire is followed by one that lives as long.',
  params,
  body: ApiKeyRotation,
  response: responses(
    { 201: { description: 'The new API key, and the previous one.', schema: RotatedApiKey } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
    'QUOTA_EXCEEDED',
  ),
  ...audited('api_key.rotated'),
}

const REVOKE = {
  operationId: 'revokeApiKey',
  tags,
  summary: 'Revoke an API key',
  description: 'No process accepts the key after this response. It stays listed for 30 days.',
  params,
  response: { 204: { description: 'Revoked.', type: 'null' }, ...responses({}, 'NOT_FOUND') },
  ...audited('api_key.revoked'),
}
