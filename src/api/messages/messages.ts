/** Finding messages, looking into one, sending it again, and erasing it. */
import { Type } from 'typebox'
import { type EraseDeps, erase } from '../../flows/admin/erase.ts'
import { type AdmitResendDeps, admitResend } from '../../flows/send/admit-resend.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf, traceOf } from '../http/context.ts'
import { OverrideQuery, readOverride } from '../http/override-limits.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import { answers, IdParams, Resent, shared } from '../http/schemas.ts'
import { type FindDeps, findMessage, readMessageId } from './find-message.ts'
import { FilterFields, MessagePage, PageFields, type SearchDeps, searchPage, toFilter } from './message-search.ts'
import { toDetails, toResent } from './views.ts'

export type MessagesDeps = SearchDeps & EraseDeps & FindDeps & AdmitResendDeps & Readonly<{ guard: Guard }>

export function messageRoutes(app: Api, deps: MessagesDeps): void {
  const [mayRead, mayWrite] = [deps.guard('messages:read'), deps.guard('messages:write')]

  app.get('/v1/messages', { schema: LIST, onRequest: mayRead }, async (request) => {
    const { tenantId } = callerOf(request)
    return searchPage(deps, tenantId, toFilter(deps.blind, tenantId, request.query), request.query)
  })

  app.get('/v1/messages/:id', { schema: DETAILS, onRequest: mayRead }, async (request) => {
    return toDetails(deps.ids, await findMessage(deps, callerOf(request), request.params.id))
  })

  app.post('/v1/messages/:id/resend', { schema: RESEND, onRequest: mayWrite }, async (request, reply) => {
    const caller = callerOf(request)
    const overrideLimits = readOverride(caller, request.query)
    const wish = { tenantId: caller.tenantId, id: readMessageId(request.params.id), traceId: traceOf(request) }
    const { state, standings } = await admitResend(deps, { ...wish, by: 'resend', overrideLimits })
    reply.code(202).headers(rateLimitHeaders(standings))
    return toResent(state)
  })

  app.post('/v1/messages/:id/erase', { schema: ERASE, onRequest: mayWrite }, async (request) => {
    const { tenantId } = callerOf(request)
    const id = readMessageId(request.params.id)
    await erase(deps, { tenantId, id, traceId: traceOf(request) })
    return { id, erased: true }
  })
}

const tags = ['messages']

const LIST = {
  operationId: 'listMessages',
  tags,
  summary: 'Find messages',
  description: 'Newest first. The index may lag a moment behind; each row shows the latest state all the same.',
  querystring: Type.Object({ ...FilterFields, ...PageFields }, { additionalProperties: false }),
  response: answers({ 200: { description: 'A page of messages.', schema: MessagePage } }, 'VALIDATION_ERROR'),
}

const DETAILS = {
  operationId: 'getMessage',
  tags,
  summary: 'One message in full',
  description: 'Its latest state, its details, and everything that happened to it, oldest first.',
  params: IdParams,
  response: answers({ 200: { description: 'The message.', schema: shared('MessageDetails') } }, 'NOT_FOUND'),
}

const RESEND = {
  operationId: 'resendMessage',
  tags,
  summary: 'Send a message again',
  description:
    'Opens a new cycle, and counts for the limits like a send. Refused while the message is in flight, after its ' +
    '`expires_at`, and after erasure.',
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

const ERASE = {
  operationId: 'eraseMessage',
  tags,
  summary: 'Erase what a message says and whom it is for',
  description:
    'Destroys its key: no store yields the content again. Its states and times remain. Also where the log has dropped the message for its age.',
  params: IdParams,
  response: answers(
    {
      200: {
        description: 'Erased, now or before.',
        schema: Type.Object({ id: Type.String(), erased: Type.Literal(true) }),
      },
    },
    'NOT_FOUND',
  ),
}
