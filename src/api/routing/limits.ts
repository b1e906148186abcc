/**
 * Rate limits for the tenant, an account, a recipient or a user. Recipients are stored hashed and shown masked. What an
 * operator sets and what the tenant sets are two limits, and both count.
 */
import { type Static, Type } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { liveTenantOf } from '../../domain/access/test-mode.ts'
import { maskEmailAddress, parseEmailAddress } from '../../domain/email/address.ts'
import { parseAccountId } from '../../domain/ids.ts'
import { EACH, type LimitKey, type LimitOwner, type LimitScope } from '../../domain/limits/limits.ts'
import { maskPhoneNumber, parsePhoneNumber } from '../../domain/message/phone-number.ts'
import type { SetupQuotaDeps } from '../../flows/access/quotas.ts'
import type { Blind } from '../../flows/admin/search.ts'
import { setLimit } from '../../flows/admin/set-limit.ts'
import { refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { later, seconds, toIso } from '../../lib/time.ts'
import type { Limit, LimitRules } from '../../ports/limit-rules.ts'
import type { Limiter } from '../../ports/limiter.ts'
import { type Audit, audited } from '../access/audit.ts'
import { allows, type Guard, missingScope } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { NO_CONTENT, namedObject, nullable, PageFields, pageOf, responses, Time } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'

export type LimitsDeps = SetupQuotaDeps &
  Readonly<{
    rules: LimitRules
    limiter: Pick<Limiter, 'status'>
    blind: Blind
    clock: Clock
    guard: Guard
    audit: Audit
  }>

export function limitRoutes(app: Api, deps: LimitsDeps): void {
  const { rules, clock, guard, audit } = deps
  const [mayRead, mayChange] = [guard('messages:read'), guard('admin')]

  app.get('/v1/limits', { schema: LIST, onRequest: mayRead }, async (request) => {
    const { limit = 50, ...where } = request.query
    const { limits, nextCursor } = await rules.list({ tenantId: callerOf(request).tenantId, limit, ...where })
    return { items: await Promise.all(limits.map((one) => toView(deps, one))), next_cursor: nextCursor ?? null }
  })

  app.get('/v1/limits/:scope/:key', { schema: FIND, onRequest: mayRead }, async (request) => {
    const limit = await find(deps, readKey(deps, callerOf(request), request.params), request.query.set_by)
    if (limit === undefined) throw noLimit(request.params.scope)
    return toView(deps, limit)
  })

  app.put('/v1/limits/:scope/:key', { schema: SET, onRequest: mayChange }, async (request) => {
    const { limit, window_seconds, algorithm = 'fixed' } = request.body
    const rule = { limit, window: seconds(window_seconds), algorithm }
    const caller = callerOf(request)
    const key = { ...readKey(deps, caller, request.params), setBy: readOwner(caller, request.query.set_by) }
    const replaced = await rules.find(key)
    const set = await setLimit(deps, { ...key, rule, updatedAt: clock() })
    await audit(request, { action: 'limit.set', ...toLimitChange(replaced, set) })
    return toView(deps, set)
  })

  app.delete('/v1/limits/:scope/:key', { schema: REMOVE, onRequest: mayChange }, async (request, reply) => {
    const limit = await findRemovable(deps, callerOf(request), request.params, request.query.set_by)
    if (!(await rules.remove(limit))) throw noLimit(limit.scope)
    await audit(request, { action: 'limit.removed', target: toTarget(limit), before: toSnapshot(limit) })
    return reply.code(204).send()
  })
}

/** Without the key, which may be a recipient. */
const noLimit = (scope: LimitScope) => refuse('NOT_FOUND', `No limit is set for this ${scope}`)

/** Without an owner, the tenant's own, or else the operator's. */
async function find({ rules }: LimitsDeps, key: NamedKey, owner?: LimitOwner): Promise<Limit | undefined> {
  if (owner !== undefined) return await rules.find({ ...key, setBy: owner })
  return (await rules.find({ ...key, setBy: 'tenant' })) ?? (await rules.find({ ...key, setBy: 'operator' }))
}

/** Whose limit a caller sets: its own, unless an operator acts as the tenant. */
export function readOwner(caller: Caller, wanted?: LimitOwner): LimitOwner {
  const isOperator = allows(caller, 'operator')
  if (wanted === 'operator' && !isOperator) throw missingScope(['operator'])
  return wanted ?? (isOperator ? 'operator' : 'tenant')
}

/** The limit that a caller may remove: without an owner its own; an operator may also remove the tenant's. */
async function findRemovable(
  deps: LimitsDeps,
  caller: Caller,
  params: Static<typeof Params>,
  wanted?: LimitOwner,
): Promise<Limit> {
  const key = readKey(deps, caller, params)
  const own = await find(deps, key, readOwner(caller, wanted))
  if (own !== undefined) return own
  const other = wanted === undefined ? await find(deps, key) : undefined
  if (other === undefined) throw noLimit(params.scope)
  if (allows(caller, 'operator')) return other
  const { limit, window } = other.rule
  const text = `An operator set this limit of ${limit} messages in ${window / 1000} seconds, and only an operator can delete it`
  throw refuse('FORBIDDEN', text)
}

type NamedKey = LimitKey & Pick<Limit, 'scope' | 'shown'>

/** The key that a path names. A limit of another tenant is not found. */
function readKey({ blind }: LimitsDeps, { tenantId }: Caller, { scope, key }: Static<typeof Params>): NamedKey {
  const same = { tenantId, scope, key, shown: key }
  if (scope === 'tenant') {
    if (key !== liveTenantOf(tenantId)) throw noLimit(scope)
    return { ...same, key: tenantId }
  }
  if (key === EACH) return same
  switch (scope) {
    case 'account':
      if (parseAccountId(key) === undefined) throw badKey('must be an account id')
      return same
    case 'user':
      if (!PRINTABLE.test(key)) throw badKey('must be 1 to 128 printable characters')
      return same
    case 'recipient':
      return { tenantId, scope, ...toRecipient(key, (recipient) => blind(tenantId, recipient)) }
  }
}

const PRINTABLE = /^\P{C}{1,128}$/u

function toRecipient(text: string, hash: (recipient: Parameters<Blind>[1]) => string): Pick<NamedKey, 'key' | 'shown'> {
  const phone = parsePhoneNumber(text)
  if (phone !== undefined) return { key: hash(phone), shown: maskPhoneNumber(phone) }
  const email = parseEmailAddress(text)
  if (email !== undefined) return { key: hash(email), shown: maskEmailAddress(email) }
  throw badKey('must be a phone number in E.164 format, for example +15005550006, or an email address')
}

const badKey = (message: string) => refuseFields([{ path: '/key', message }])

const toTarget = ({ scope, shown }: Limit) => ({ kind: 'limit', id: `${scope}/${shown}` })

/** Without its use, as the audit log keeps it. */
const toSnapshot = ({ scope, shown, setBy, rule }: Limit) => ({
  scope,
  key: shown,
  set_by: setBy,
  limit: rule.limit,
  window_seconds: rule.window / 1000,
  algorithm: rule.algorithm,
})

export const toLimitChange = (replaced: Limit | undefined, set: Limit) =>
  omitUndefined({ target: toTarget(set), before: replaced && toSnapshot(replaced), after: toSnapshot(set) })

/** With its current use; a default limit (`*`) has none. */
async function toView({ limiter, clock }: LimitsDeps, limit: Limit): Promise<Static<typeof LimitView>> {
  const { key, rule, updatedAt } = limit
  const { used, resetsIn } = key === EACH ? { used: null, resetsIn: null } : await limiter.status(limit)
  return {
    ...toSnapshot(limit),
    used,
    remaining: used === null ? null : Math.max(0, rule.limit - used),
    resets_at: resetsIn === null || used === 0 ? null : toIso(later(clock(), resetsIn)),
    updated_at: toIso(updatedAt),
  }
}

const MOST = 1_000_000_000
const YEAR_SECONDS = 31_536_000

const Rule = {
  limit: Type.Integer({
    minimum: 1,
    maximum: MOST,
    description: 'The maximum number of messages per window.',
    examples: [100],
  }),
  window_seconds: Type.Integer({ minimum: 1, maximum: YEAR_SECONDS, description: 'The window.', examples: [60] }),
}

const LimitView = namedObject('Limit', {
  scope: Enums.LimitScope(),
  key: Type.String({ description: 'Recipients are masked.', examples: ['+*******4321'] }),
  set_by: Enums.LimitOwner({
    description: 'Where an operator and the tenant have set a limit, both count.',
  }),
  ...Rule,
  algorithm: Enums.LimitAlgorithm(),
  used: nullable(Type.Integer({ description: 'Null for a default limit (`*`), like `remaining`.' })),
  remaining: nullable(Type.Integer()),
  resets_at: nullable(Type.Unsafe<string>({ ...Time, description: 'Null while nothing is used.' })),
  updated_at: Time,
})

const Params = Type.Object({
  scope: Enums.LimitScope(),
  key: Type.String({
    title: 'LimitKey',
    description:
      'The id of the tenant, an account or a user, or the phone number or email address of a recipient. ' +
      `\`${EACH}\` is the default for accounts, recipients or users without a limit of their own.`,
    minLength: 1,
    maxLength: 254,
    examples: ['acme'],
  }),
})

const OwnerQuery = (description: string) =>
  Type.Object({ set_by: Type.Optional(Enums.LimitOwner({ description })) }, { additionalProperties: false })

const tags = ['limits']

const LIST = {
  operationId: 'listLimits',
  tags,
  summary: 'List limits',
  description: 'Those of the tenant and those that operators have set for it, sorted by scope and key.',
  querystring: Type.Object(
    { scope: Type.Optional(Enums.LimitScope()), ...PageFields },
    { additionalProperties: false },
  ),
  response: responses({ 200: { description: 'A page of limits.', schema: pageOf(LimitView) } }, 'VALIDATION_ERROR'),
}

const FIND = {
  operationId: 'getLimit',
  tags,
  summary: 'Get a limit and its current use',
  description: 'Only the limit of exactly this key, not the default.',
  params: Params,
  querystring: OwnerQuery("Who has set it. Without it, the tenant's limit, or else the operator's."),
  response: responses({ 200: { description: 'The limit.', schema: LimitView } }, 'NOT_FOUND', 'VALIDATION_ERROR'),
}

const SET = {
  ...audited('limit.set'),
  operationId: 'setLimit',
  tags,
  summary: 'Set a limit',
  description:
    'Creates or replaces a limit, and resets its count. The first `fixed` window starts now, and each other one with the ' +
    'first message after the previous one ended. With `sliding`, no period of that length ever contains more messages than the limit. What ' +
    'a caller with the scope `operator` sets is a limit of the operator: a tenant may set a lower one beside it, and ' +
    'never raise or delete it.',
  params: Params,
  querystring: OwnerQuery('Whose limit it is. Defaults to `operator` for operators, and otherwise to `tenant`.'),
  body: namedObject(
    'SetLimitRequest',
    { ...Rule, algorithm: Type.Optional(Enums.LimitAlgorithm({ description: 'Defaults to `fixed`.' })) },
    { additionalProperties: false, examples: [{ limit: 100, window_seconds: 60 }] },
  ),
  response: responses(
    { 200: { description: 'The limit, in effect.', schema: LimitView } },
    'NOT_FOUND',
    'VALIDATION_ERROR',
    'QUOTA_EXCEEDED',
  ),
}

const REMOVE = {
  ...audited('limit.removed'),
  operationId: 'removeLimit',
  tags,
  summary: 'Delete a limit',
  description:
    "The default limit of the scope (`*`) then applies, if there is one. Deleting the tenant's own limit restores that " +
    'of the operator, which only an operator may delete.',
  params: Params,
  querystring: OwnerQuery('Whose limit. Without it, your own, or for operators else that of the tenant.'),
  response: { ...NO_CONTENT, ...responses({}, 'NOT_FOUND', 'VALIDATION_ERROR') },
}
