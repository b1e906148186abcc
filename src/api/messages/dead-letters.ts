/** Messages given up on after their last attempt: looking at them, and replaying one or many. */
import { type Static, Type } from 'typebox'
import type { TraceId } from '../../domain/ids.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { RateLimited, Refusal } from '../../flows/errors.ts'
import { type AdmitResendDeps, admitResend } from '../../flows/send/admit-resend.ts'
import type { Filter, Query } from '../../ports/message-index.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, type Caller, callerOf, traceOf } from '../http/context.ts'
import { OverrideQuery, readOverride } from '../http/override-limits.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import { answers, IdParams, nullable, queryText, Resent } from '../http/schemas.ts'
import { readMessageId } from './find-message.ts'
import { FilterFields, MessagePage, PageFields, type SearchDeps, searchPage, toFilter } from './message-search.ts'
import { toResent } from './views.ts'

export type DeadLettersDeps = SearchDeps & AdmitResendDeps & Readonly<{ guard: Guard }>

const PAGE = 200
/** What one call looks at, at most. */
const MAX_SEEN = 10_000

export function deadLetterRoutes(app: Api, deps: DeadLettersDeps): void {
  const [mayRead, mayWrite] = [deps.guard('messages:read'), deps.guard('messages:write')]
  const toDead = ({ tenantId }: Caller, fields: Static<typeof ReplayFilter>): Filter => ({
    ...toFilter(deps.blind, tenantId, fields),
    dead: true,
  })

  app.get('/v1/dead-letters', { schema: LIST, onRequest: mayRead }, async (request) => {
    const caller = callerOf(request)
    return searchPage(deps, caller.tenantId, toDead(caller, request.query), request.query)
  })

  app.post('/v1/dead-letters/:id/replay', { schema: REPLAY_ONE, onRequest: mayWrite }, async (request, reply) => {
    const caller = callerOf(request)
    const overrideLimits = readOverride(caller, request.query)
    const wish = { tenantId: caller.tenantId, id: readMessageId(request.params.id), traceId: traceOf(request) }
    const { state, standings } = await admitResend(deps, { ...wish, by: 'replay', overrideLimits })
    reply.code(202).headers(rateLimitHeaders(standings))
    return toResent(state)
  })

  app.post('/v1/dead-letters/replay', { schema: REPLAY, onRequest: mayWrite }, async (request, reply) => {
    const caller = callerOf(request)
    const { filter = {}, cursor } = request.body
    const manner = { traceId: traceOf(request), overrideLimits: readOverride(caller, request.query) }
    // Whoever replays everything does not mean to send twice what may have arrived.
    const query = { tenantId: caller.tenantId, filter: toDead(caller, { unknown: false, ...filter }) }
    reply.code(202)
    return replayAll(deps, cursor === undefined ? query : { ...query, cursor }, manner)
  })
}

type Manner = Readonly<{ traceId: TraceId; overrideLimits: boolean }>

/** Goes on from page to page by cursor, so that what still shows after its replay is not met twice. */
async function replayAll(
  deps: DeadLettersDeps,
  { tenantId, filter, cursor: from }: Omit<Query, 'limit'>,
  manner: Manner,
): Promise<Static<typeof Replayed>> {
  const counts = { replayed: 0, skipped: 0, rate_limited: 0 }
  let [seen, cursor] = [0, from]
  do {
    const page = { tenantId, filter, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
    const { rows, nextCursor } = await deps.index.search(page)
    for (const result of await Promise.all(rows.map(({ state }) => tryReplay(deps, state, manner)))) counts[result] += 1
    seen += rows.length
    cursor = nextCursor
  } while (cursor !== undefined && seen < MAX_SEEN)
  return { ...counts, next_cursor: cursor ?? null }
}

/** One that is refused does not keep the others from being replayed: they may be under other limits, or under none. */
async function tryReplay(
  deps: DeadLettersDeps,
  { tenantId, id }: MessageState,
  manner: Manner,
): Promise<'replayed' | 'skipped' | 'rate_limited'> {
  try {
    await admitResend(deps, { tenantId, id, by: 'replay', ...manner })
    return 'replayed'
  } catch (error) {
    if (error instanceof RateLimited) return 'rate_limited'
    if (error instanceof Refusal) return 'skipped'
    throw error
  }
}

const tags = ['dead letters']

const LIST = {
  operationId: 'listDeadLetters',
  tags,
  summary: 'Messages given up on after their last attempt',
  description: 'Newest first, with the filters of `/v1/messages`.',
  querystring: Type.Object({ ...FilterFields, ...PageFields }, { additionalProperties: false }),
  response: answers({ 200: { description: 'A page of dead letters.', schema: MessagePage } }, 'VALIDATION_ERROR'),
}

const REPLAY_ONE = {
  operationId: 'replayDeadLetter',
  tags,
  summary: 'Replay one dead letter',
  description: 'Opens a new cycle with a full set of attempts, and counts for the limits like a send.',
  params: IdParams,
  querystring: OverrideQuery,
  response: answers(
    { 202: { description: 'On its way again.', schema: Resent } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'CONFLICT',
    'RATE_LIMITED',
  ),
}

const ReplayFilter = Type.Object(FilterFields, { additionalProperties: false })
const Replayed = Type.Object({
  replayed: Type.Integer({ examples: [12] }),
  skipped: Type.Integer({ description: 'Erased, expired or replayed already.', examples: [0] }),
  rate_limited: Type.Integer({
    description: 'Refused by a limit. They stay dead letters; replay them once the limit admits more.',
    examples: [0],
  }),
  next_cursor: nullable(Type.String({ description: 'Null when none are left.' })),
})

const REPLAY = {
  operationId: 'replayDeadLetters',
  tags,
  summary: 'Replay all dead letters that match',
  description:
    `At most ${MAX_SEEN} in one call; with its \`next_cursor\` the next call goes on. Each message counts for the ` +
    'limits like a send. One that a limit refuses is counted in `rate_limited`, and the others are replayed all the same. ' +
    'Messages whose outcome is unknown may have arrived: they are replayed only with `"unknown": true` in the filter.',
  querystring: OverrideQuery,
  body: Type.Object(
    { filter: Type.Optional(ReplayFilter), cursor: Type.Optional(queryText('Where an earlier call ended.')) },
    { additionalProperties: false, examples: [{ filter: { provider: 'simulator' } }] },
  ),
  response: answers({ 202: { description: 'How many were replayed.', schema: Replayed } }, 'VALIDATION_ERROR'),
}
