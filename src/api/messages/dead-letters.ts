/** Listing dead letters, and replaying many. resend.ts replays one. */
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import type { TraceId } from '../../domain/ids.ts'
import type { LimitOwner } from '../../domain/limits/limits.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { search, type TextQuery } from '../../flows/admin/search.ts'
import { RateLimited, Refusal, SendQuotaExceeded } from '../../flows/errors.ts'
import { type AdmitResendDeps, admitResend } from '../../flows/send/admit-resend.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Filter } from '../../ports/message-index.ts'
import { type Audit, sometimesAudited } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf, traceOf } from '../http/context.ts'
import { namedObject, nullable, queryText, responses } from '../http/schemas.ts'
import { FilterFields, MessagePage, type SearchDeps, SearchQuery, searchPage, toFilter } from './message-search.ts'
import { OverrideQuery, readOverride } from './resend.ts'

export type DeadLettersDeps = SearchDeps & AdmitResendDeps & Readonly<{ guard: Guard; audit: Audit }>

const PAGE = 200
/** How many dead letters one call processes at most. */
const MAX_PER_CALL = 10_000

export function deadLetterRoutes(app: Api, deps: DeadLettersDeps): void {
  const [mayRead, mayWrite] = [deps.guard('messages:read'), deps.guard('messages:write')]
  const toDeadFilter = ({ tenantId }: Caller, fields: Static<typeof ReplayFilter>): Filter => ({
    ...toFilter(deps.blind, tenantId, fields),
    dead: true,
  })

  app.get('/v1/dead-letters', { schema: LIST, onRequest: mayRead }, async (request) => {
    const caller = callerOf(request)
    return searchPage(deps, caller, toDeadFilter(caller, request.query), request.query)
  })

  app.post('/v1/dead-letters/replay', { schema: REPLAY, onRequest: mayWrite }, async (request, reply) => {
    const caller = callerOf(request)
    const { filter = {}, cursor } = request.body
    const options = { traceId: traceOf(request), overrideLimits: readOverride(caller, request.query) }
    // By default without messages that may have arrived: replaying everything should not send twice.
    const { tenantId, accountId } = caller
    const query = { tenantId, accountId, filter: toDeadFilter(caller, { unknown: false, ...filter }), text: filter.q }
    const replaying = replayAll(deps, omitUndefined({ ...query, cursor }), options)
    if (options.overrideLimits !== false) await recordOverride(deps.audit, request, replaying)
    reply.code(202)
    return replaying
  })
}

/** Also records a call that fails on its way: it has replayed some. */
async function recordOverride(audit: Audit, request: FastifyRequest, replaying: Promise<object>): Promise<void> {
  const result = await replaying.catch(() => ({ incomplete: true }))
  const target = { kind: 'message', id: '*' }
  await audit(request, { action: 'message.limits_overridden', target, after: { by: 'replay', ...result } })
}

type ReplayOptions = Readonly<{ traceId: TraceId; overrideLimits: false | LimitOwner }>

/** Pages by cursor, because a replayed message may still be listed as a dead letter for a moment. */
async function replayAll(
  deps: DeadLettersDeps,
  { cursor: start, ...query }: Omit<TextQuery, 'limit'>,
  options: ReplayOptions,
): Promise<Static<typeof ReplayResult>> {
  const counts = { replayed: 0, skipped: 0, rate_limited: 0 }
  let [processed, cursor] = [0, start]
  do {
    const { rows, nextCursor } = await search(deps, omitUndefined({ ...query, limit: PAGE, cursor }))
    const results = await Promise.all(rows.map(({ state }) => tryReplay(deps, state, options)))
    for (const result of results) counts[result] += 1
    processed += rows.length
    cursor = nextCursor
  } while (cursor !== undefined && processed < MAX_PER_CALL)
  return { ...counts, next_cursor: cursor ?? null }
}

/** A refused replay does not stop the others: they may be under other limits. */
async function tryReplay(
  deps: DeadLettersDeps,
  { tenantId, id }: MessageState,
  options: ReplayOptions,
): Promise<'replayed' | 'skipped' | 'rate_limited'> {
  try {
    await admitResend(deps, { tenantId, id, by: 'replay', ...options })
    return 'replayed'
  } catch (error) {
    if (error instanceof RateLimited || error instanceof SendQuotaExceeded) return 'rate_limited'
    if (error instanceof Refusal) return 'skipped'
    throw error
  }
}

const tags = ['dead letters']

const LIST = {
  operationId: 'listDeadLetters',
  tags,
  summary: 'List dead letters',
  description:
    'Messages that failed after their last attempt, newest first, with the filters of `/v1/messages`, whose pages they share.',
  querystring: SearchQuery,
  response: responses({ 200: { description: 'A page of dead letters.', schema: MessagePage } }, 'VALIDATION_ERROR'),
}

const ReplayFilter = namedObject('MessageFilter', FilterFields, { additionalProperties: false })
const ReplayResult = namedObject('DeadLetterReplay', {
  replayed: Type.Integer({ examples: [12] }),
  skipped: Type.Integer({
    description: 'Erased, expired, already replayed, or from a sender that is no longer allowed.',
    examples: [0],
  }),
  rate_limited: Type.Integer({
    description: 'Refused by a limit or a quota. They stay dead letters; replay them when it admits more.',
    examples: [0],
  }),
  next_cursor: nullable(Type.String({ description: 'Null when none are left.' })),
})

const REPLAY = {
  ...sometimesAudited('message.limits_overridden'),
  operationId: 'replayDeadLetters',
  tags,
  summary: 'Replay all matching dead letters',
  description:
    `Processes at most ${MAX_PER_CALL} messages per call; pass \`next_cursor\` to continue. Each message counts against ` +
    'the limits like a send. A message that a limit refuses is counted in `rate_limited`, and the others are still ' +
    'replayed. Messages with an unknown outcome may have arrived: they are replayed only with `"unknown": true` in the filter.',
  querystring: OverrideQuery,
  body: namedObject(
    'ReplayDeadLettersRequest',
    {
      filter: Type.Optional(ReplayFilter),
      cursor: Type.Optional(queryText('The `next_cursor` of the previous call.')),
    },
    { additionalProperties: false, examples: [{ filter: { provider: 'simulator' } }] },
  ),
  response: responses(
    { 202: { description: 'The number of replayed messages.', schema: ReplayResult } },
    'VALIDATION_ERROR',
  ),
}
