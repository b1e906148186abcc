/** What became of one message, asked for by its channel. A message of another channel is not there. */
import { Type } from 'typebox'
import type { Channel } from '../../domain/message/message.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { answers, MessageStatus, RequestIdAlias } from '../http/schemas.ts'
import { type FindDeps, findMessage } from './find-message.ts'
import { toMessageStatus, type ViewDeps } from './views.ts'

export type StatusDeps = FindDeps & Readonly<{ ids: ViewDeps; guard: Guard }>

export function statusRoute(app: Api, deps: StatusDeps, channel: Channel): void {
  const options = { schema: STATUS[channel], onRequest: deps.guard('messages:read') }
  app.get(`/v1/${channel}/:request_id`, options, async (request) => {
    const found = await findMessage(deps, callerOf(request), request.params.request_id, channel)
    return { request_id: found.state.id, ...toMessageStatus(deps.ids, found) }
  })
}

const Status = Type.Object({ request_id: RequestIdAlias, ...MessageStatus.properties })

const toStatusSchema = (operationId: string, channel: Channel, summary: string) => ({
  operationId,
  tags: [channel],
  summary,
  description: 'Its latest state, and everything that happened to it, oldest first.',
  params: Type.Object({ request_id: Type.String() }),
  response: answers({ 200: { description: 'The message.', schema: Status } }, 'NOT_FOUND'),
})

const STATUS = {
  sms: toStatusSchema('getSms', 'sms', 'What became of an SMS'),
  email: toStatusSchema('getEmail', 'email', 'What became of an email'),
}
