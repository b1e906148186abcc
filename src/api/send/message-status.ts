/** The status of one message, by its channel. A message of the other channel is not found. */
import { Type } from 'typebox'
import type { Channel } from '../../domain/message/message.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { MESSAGE_ID, namedObject, RequestIdAlias, responses } from '../http/schemas.ts'
import { EventsQueryString, type FindDeps, findMessage, toEventsQuery } from '../messages/find-message.ts'
import { MessageStatus } from '../messages/message-schemas.ts'
import { toMessageStatus, type ViewDeps } from '../messages/views.ts'

export type StatusDeps = FindDeps & Readonly<{ ids: ViewDeps; guard: Guard }>

export function statusRoute(app: Api, deps: StatusDeps, channel: Channel): void {
  const options = { schema: STATUS[channel], onRequest: deps.guard('messages:read') }
  app.get(`/v1/${channel}/:request_id`, options, async (request) => {
    const events = toEventsQuery(request.query)
    const found = await findMessage(deps, callerOf(request), request.params.request_id, { channel, events })
    return { request_id: found.state.id, ...toMessageStatus(deps.ids, found) }
  })
}

const Status = namedObject('MessageWithEvents', { request_id: RequestIdAlias, ...MessageStatus.properties })

const statusSchema = (operationId: string, channel: Channel, summary: string) => ({
  operationId,
  tags: [channel],
  summary,
  description: 'The latest state of the message, and its newest events. Earlier ones come with `events_cursor`.',
  params: Type.Object({
    request_id: Type.String({ title: 'RequestId', description: 'The id of the message.', examples: [MESSAGE_ID] }),
  }),
  querystring: EventsQueryString,
  response: responses({ 200: { description: 'The message.', schema: Status } }, 'VALIDATION_ERROR', 'NOT_FOUND'),
})

const STATUS = {
  sms: statusSchema('getSms', 'sms', 'Get the status of an SMS'),
  email: statusSchema('getEmail', 'email', 'Get the status of an email'),
}
