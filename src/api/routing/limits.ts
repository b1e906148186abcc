/**
 * How many messages may be sent in which time: for the tenant itself, an account, a recipient or a user.
 * A recipient is kept as a keyed hash and shown masked.
 */
import { type Static, Type } from 'typebox'
import { maskEmailAddress, parseEmailAddress } from '../../domain/email/address.ts'
import { parseAccountId } from '../../domain/ids.ts'
import { ALGORITHMS, EACH, LIMIT_SCOPES, type LimitKey } from '../../domain/limits/limits.ts'
import { maskPhoneNumber, parsePhoneNumber } from '../../domain/message/phone-number.ts'
import { refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, seconds, toIso } from '../../lib/time.ts'
import type { Limit, LimitRules } from '../../ports/limit-rules.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, type Caller, callerOf } from '../http/context.ts'
import { answers, nullable, Time } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { type Blind, PageFields } from '../messages/message-search.ts'

export type LimitsDeps = Readonly<{
  rules: LimitRules
  limiter: Pick<Limiter, 'standing'>
  blind: Blind
  clock: Clock
  guard: Guard
}>

export function limitRoutes(app: Api, deps: LimitsDeps): void {
  const { rules, clock, guard } = deps
  const [mayRead, mayChange] = [guard('messages:read'), guard('admin')]

  app.get('/v1/limits', { schema: LIST, onRequest: mayRead }, async (request) => {
    const { limit = 50, ...where } = request.query
    const { limits, nextCursor } = await rules.list({ tenantId: callerOf(request).tenantId, limit, ...where })
    return { items: await Promise.all(limits.map((one) => toShown(deps, one))), next_cursor: nextCursor ?? null }
  })

  app.get('/v1/limits/:scope/:key', { schema: FIND, onRequest: mayRead }, async (request) => {
    const limit = await rules.find(readKey(deps, callerOf(request), request.params))
    if (limit === undefined) throw none()
    return toShown(deps, limit)
  })

  app.put('/v1/limits/:scope/:key', { schema: SET, onRequest: mayChange }, async (request) => {
    const { limit, window_seconds, algorithm = 'fixed' } = request.body
    const rule = { limit, window: seconds(window_seconds), algorithm }
    const key = readKey(deps, callerOf(request), request.params)
    return toShown(deps, await rules.set({ ...key, rule, updatedAt: clock() }))
  })

  app.delete('/v1/limits/:scope/:key', { schema: REMOVE, onRequest: mayChange }, async (request, reply) => {
    if (!(await rules.remove(readKey(deps, callerOf(request), request.params)))) throw none()
    return reply.code(204).send()
  })
}

const none = () => refuse('NOT_FOUND', 'no such limit')

type Named = LimitKey & Pick<Limit, 'scope' | 'shown'>

/** Whom a path names. Another tenant is as if it were not there. */
function readKey({ blind }: LimitsDeps, { tenantId }: Caller, { scope, key }: Static<typeof Params>): Named {
  const same = { tenantId, scope, key, shown: key }
  if (scope === 'tenant') {
    if (key !== tenantId) throw none()
    return same
  }
  if (key === EACH) return same
  switch (scope) {
    case 'account':
      if (parseAccountId(key) === undefined) throw badKey('must be the name of an account')
      return same
    case 'user':
      if (!PRINTABLE.test(key)) throw badKey('must be 1 to 128 printable characters')
      return same
    case 'recipient':
      return { tenantId, scope, ...toRecipient(key, (recipient) => blind(tenantId, recipient)) }
  }
}

const PRINTABLE = /^\P{C}{1,128}$/u

function toRecipient(text: string, hash: (recipient: Parameters<Blind>[1]) => string): Pick<Named, 'key' | 'shown'> {
  const phone = parsePhoneNumber(text)
  if (phone !== undefined) return { key: hash(phone), shown: maskPhoneNumber(phone) }
  const email = parseEmailAddress(text)
  if (email !== undefined) return { key: hash(email), shown: maskEmailAddress(email) }
  throw badKey('must be a phone number in E.164, with its plus, or an email address')
}

const badKey = (message: string) => refuseFields([{ path: '/key', message }])

/** A limit with how far it is used up; one for each of its scope is used up by nobody in particular. */
async function toShown({ limiter, clock }: LimitsDeps, limit: Limit): Promise<Static<typeof Shown>> {
  const { scope, key, rule, shown, updatedAt } = limit
  const { used, resetsIn } = key === EACH ? { used: null, resetsIn: null } : await limiter.standing(limit)
  return {
    scope,
    key: shown,
    limit: rule.limit,
    window_seconds: rule.window / 1000,
    algorithm: rule.algorithm,
    used,
    remaining: used === null ? null : Math.max(0, rule.limit - used),
    resets_at: resetsIn === null || used === 0 ? null : toIso(later(clock(), resetsIn)),
    updated_at: toIso(updatedAt),
  }
}

const MOST = 1_000_000_000
const YEAR_SECONDS = 31_536_000

const Rule = {
  limit: Type.Integer({ minimum: 1, maximum: MOST, description: 'How many, at most.', examples: [100] }),
  window_seconds: Type.Integer({ minimum: 1, maximum: YEAR_SECONDS, description: 'In which time.', examples: [60] }),
}

const Shown = Type.Object({
  scope: Type.Enum(LIMIT_SCOPES),
  key: Type.String({ description: 'A recipient is masked.', examples: ['+*******4321'] }),
  ...Rule,
  algorithm: Type.Enum(ALGORITHMS),
  used: nullable(Type.Integer({ description: 'Null for a limit for each one, as is `remaining`.' })),
  remaining: nullable(Type.Integer()),
  resets_at: nullable(Type.Unsafe<string>({ ...Time, description: 'Null while nothing is counted.' })),
  updated_at: Time,
})

const Params = Type.Object({
  scope: Type.Enum(LIMIT_SCOPES),
  key: Type.String({
    description:
      'The tenant itself, the name of an account, a phone number or email address, or what you call a user. ' +
      `\`${EACH}\` is each account, recipient or user that has no limit of its own.`,
    minLength: 1,
    maxLength: 254,
  }),
})

const tags = ['limits']

const LIST = {
  operationId: 'listLimits',
  tags,
  summary: 'The limits that are set',
  description: 'By scope and key.',
  querystring: Type.Object(
    { scope: Type.Optional(Type.Enum(LIMIT_SCOPES)), ...PageFields },
    { additionalProperties: false },
  ),
  response: answers(
    {
      200: {
        description: 'A page of limits.',
        schema: Type.Object({
          items: Type.Array(Shown),
          next_cursor: nullable(Type.String({ description: 'Null on the last page.' })),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}

const FIND = {
  operationId: 'getLimit',
  tags,
  summary: 'A limit, and how far it is used up',
  description: 'Only what was set for exactly this key, not what is set for each one.',
  params: Params,
  response: answers({ 200: { description: 'The limit.', schema: Shown } }, 'NOT_FOUND', 'VALIDATION_ERROR'),
}

const SET = {
  operationId: 'setLimit',
  tags,
  summary: 'Set a limit',
  description:
    'Also where there is one; counting begins anew. A `fixed` window begins with the first message after the last ' +
    'window has elapsed; a `sliding` one never holds more than the limit, wherever it is laid.',
  params: Params,
  body: Type.Object(
    { ...Rule, algorithm: Type.Optional(Type.Enum(ALGORITHMS, { description: '`fixed` unless said otherwise.' })) },
    { additionalProperties: false, examples: [{ limit: 100, window_seconds: 60 }] },
  ),
  response: answers({ 200: { description: 'The limit, in force.', schema: Shown } }, 'NOT_FOUND', 'VALIDATION_ERROR'),
}

const REMOVE = {
  operationId: 'removeLimit',
  tags,
  summary: 'Remove a limit',
  description: 'Messages are then counted by the limit for each one of the scope, if there is one.',
  params: Params,
  response: {
    204: { description: 'It is gone.', type: 'null' },
    ...answers({}, 'NOT_FOUND', 'VALIDATION_ERROR'),
  },
}
