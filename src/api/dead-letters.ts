/** Messages given up on after their last attempt: looking at them, and replaying one or many. */
import { type Static, Type } from 'typebox'
import type { TraceId } from '../domain/ids.ts'
import type { MessageState } from '../domain/state.ts'
import { Refusal } from '../errors.ts'
import type { RecordDeps } from '../flows/record.ts'
import { resend } from '../flows/resend.ts'
import type { Filter, Query } from '../ports/message-index.ts'
import type { Guard } from './auth.ts'
import { type Api, type Caller, callerOf, traceOf } from './context.ts'
import { readMessageId } from './find-message.ts'
import { FilterFields, MessagePage, PageFields, type SearchDeps, searchPage, toFilter } from './message-search.ts'
import { answers, IdParams, nullable, queryText, Resent } from './schemas.ts'
import { toResent } from './views.ts'

export type DeadLettersDeps = SearchDeps & RecordDeps & Readonly<{ guard: Guard }>

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
    const { tenantId } = callerOf(request)
    const id = readMessageId(request.params.id)
    reply.code(202)
    return toResent(await resend(deps, { tenantId, id, by: 'replay', traceId: traceOf(request) }))
  })

  app.post('/v1/dead-letters/replay', { schema: REPLAY, onRequest: mayWrite }, async (request, reply) => {
    const caller = callerOf(request)
    const { filter = {}, cursor } = request.body
    const query = { tenantId: caller.tenantId, filter: toDead(caller, filter), traceId: traceOf(request) }
    reply.code(202)
    return replayAll(deps, cursor === undefined ? query : { ...query, cursor })
  })
}

/** Goes on from page to page by cursor, so that what still shows after its replay is not met twice. */
async function replayAll(
  deps: DeadLettersDeps,
  { tenantId, filter, cursor: from, traceId }: Omit<Query, 'limit'> & { traceId: TraceId },
): Promise<Static<typeof Replayed>> {
  let [replayed, seen, cursor] = [0, 0, from]
  do {
    const page = { tenantId, filter, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
    const { rows, nextCursor } = await deps.index.search(page)
    const began = await Promise.all(rows.map(({ state }) => tryReplay(deps, state, traceId)))
    replayed += began.filter((yes) => yes).length
    seen += rows.length
    cursor = nextCursor
  } while (cursor !== undefined && seen < MAX_SEEN)
  return { replayed, skipped: seen - replayed, next_cursor: cursor ?? null }
}

/** Whether it was replayed; one that cannot be, or not any more, is passed over. */
async function tryReplay(deps: RecordDeps, { tenantId, id }: MessageState, traceId: TraceId): Promise<boolean> {
  try {
    await resend(deps, { tenantId, id, by: 'replay', traceId })
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
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
  description: 'Opens a new cycle with a full set of attempts.',
  params: IdParams,
  response: answers({ 202: { description: 'On its way again.', schema: Resent } }, 'NOT_FOUND', 'CONFLICT'),
}

const ReplayFilter = Type.Object(FilterFields, { additionalProperties: false })
const Replayed = Type.Object({
  replayed: Type.Integer({ examples: [12] }),
  skipped: Type.Integer({ description: 'Erased, expired or replayed already.', examples: [0] }),
  next_cursor: nullable(Type.String({ description: 'Null when none are left.' })),
})

const REPLAY = {
  operationId: 'replayDeadLetters',
  tags,
  summary: 'Replay all dead letters that match',
  description: `At most ${MAX_SEEN} in one call; with its \`next_cursor\` the next call goes on.`,
  body: Type.Object(
    { filter: Type.Optional(ReplayFilter), cursor: Type.Optional(queryText('Where an earlier call ended.')) },
    { additionalProperties: false, examples: [{ filter: { provider: 'simulator' } }] },
  ),
  response: answers({ 202: { description: 'How many were replayed.', schema: Replayed } }, 'VALIDATION_ERROR'),
}
