/** Listing messages, getting one, and erasing one. */
import { Type } from 'typebox'
import { type EraseDeps, erase } from '../../flows/admin/erase.ts'
import { type Audit, audited } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf, traceOf } from '../http/context.ts'
import { MessageParams, namedObject, responses } from '../http/schemas.ts'
import { EventsQueryString, type FindDeps, findMessage, readMessageId, toEventsQuery } from './find-message.ts'
import { MessageDetails } from './message-schemas.ts'
import { MessagePage, type SearchDeps, SearchQuery, searchPage, toFilter } from './message-search.ts'
import { toDetails, type ViewDeps } from './views.ts'

export type MessagesDeps = SearchDeps & EraseDeps & FindDeps & Readonly<{ ids: ViewDeps; guard: Guard; audit: Audit }>

export function messageRoutes(app: Api, deps: MessagesDeps): void {
  const [mayRead, mayWrite] = [deps.guard('messages:read'), deps.guard('messages:write')]

  app.get('/v1/messages', { schema: LIST, onRequest: mayRead }, async (request) => {
    const caller = callerOf(request)
    return searchPage(deps, caller, toFilter(deps.blind, caller.tenantId, request.query), request.query)
  })

  app.get('/v1/messages/:id', { schema: DETAILS, onRequest: mayRead }, async (request) => {
    const events = toEventsQuery(request.query)
    return toDetails(deps.ids, await findMessage(deps, callerOf(request), request.params.id, { events }))
  })

  app.post('/v1/messages/:id/erase', { schema: ERASE, onRequest: mayWrite }, async (request) => {
    const { tenantId } = callerOf(request)
    const id = readMessageId(request.params.id)
    await erase(deps, { tenantId, id, traceId: traceOf(request) })
    await deps.audit(request, { action: 'message.erased', target: { kind: 'message', id } })
    return { id, erased: true }
  })
}

const tags = ['messages']

const LIST = {
  operationId: 'listMessages',
  tags,
  summary: 'List messages',
  description:
    'Newest first. The search index may lag a moment behind; each item still shows the latest state. A page may end before `limit` so that it does not get too long: continue until `next_cursor` is null.',
  querystring: SearchQuery,
  response: responses({ 200: { description: 'A page of messages.', schema: MessagePage } }, 'VALIDATION_ERROR'),
}

const DETAILS = {
  operationId: 'getMessage',
  tags,
  summary: 'Get a message',
  description:
    'The latest state and details of the message, and its newest events. Earlier ones come with `events_cursor`.',
  params: MessageParams,
  querystring: EventsQueryString,
  response: responses(
    { 200: { description: 'The message.', schema: MessageDetails } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}

const ERASE = {
  ...audited('message.erased'),
  operationId: 'eraseMessage',
  tags,
  summary: 'Erase the content and recipient of a message',
  description:
    'Destroys the encryption key of the message, so that its content cannot be read from any store. States and times remain. Works also for messages that the log has dropped by age.',
  params: MessageParams,
  response: responses(
    {
      200: {
        description: 'The message is erased, by this call or an earlier one.',
        schema: namedObject('ErasedMessage', { id: Type.String(), erased: Type.Literal(true) }),
      },
    },
    'NOT_FOUND',
  ),
}
