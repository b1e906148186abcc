/** What the simulated handsets and mailboxes really received: how a test counts "exactly once". */
import { Type } from 'typebox'
import { isUserAddress } from '../../domain/directory/user-address.ts'
import { CHANNELS, type Recipient } from '../../domain/message/message.ts'
import { instant, toIso } from '../../lib/time.ts'
import type { Inbox, Received } from '../../ports/simulator-inbox.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { answers, nullable, queryText, RequestId, Time } from '../http/schemas.ts'
import { readRecipient } from '../messages/message-search.ts'
import { simulatorMailRoutes } from './mails.ts'

export type SimulatorDeps = Readonly<{ inbox: Inbox; guard: Guard }>

export function simulatorRoutes(app: Api, { inbox, guard }: SimulatorDeps): void {
  app.get('/v1/simulator/inbox', { schema: INBOX, onRequest: guard('messages:read') }, async (request) => {
    const { tenantId } = callerOf(request)
    const { to, limit = 50 } = request.query
    const found = await inbox.list({ tenantId, limit, ...(to === undefined ? {} : { to: readAddress(to) }) })
    return { items: found.map(toItem) }
  })
  simulatorMailRoutes(app, { inbox, guard })
}

const readAddress = (to: string): Recipient => (isUserAddress(to) ? to : readRecipient(to))

const toItem = ({ channel, to, from, subject, body, attemptId, messageId, receivedAt }: Received) => ({
  channel,
  to,
  from: from ?? null,
  subject: subject ?? null,
  body,
  attempt_id: attemptId,
  message_id: messageId,
  received_at: toIso(instant(receivedAt)),
})

const INBOX = {
  operationId: 'listSimulatorInbox',
  tags: ['simulator'],
  summary: 'What a simulated handset or mailbox received',
  description:
    'The simulator plays the outside world, so recipients and texts are shown as a handset or a mailbox would show them.',
  querystring: Type.Object(
    {
      to: Type.Optional(
        queryText(
          'The number of one handset, in E.164; an email address; or a user without either, such as `user:101`.',
          254,
        ),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: '50 unless said otherwise.' })),
    },
    { additionalProperties: false },
  ),
  response: answers(
    {
      200: {
        description: 'The messages.',
        schema: Type.Object({
          items: Type.Array(
            Type.Object({
              channel: Type.Enum(CHANNELS),
              to: Type.String({ examples: ['+5511987654321'] }),
              from: nullable(Type.String()),
              subject: nullable(Type.String({ description: 'Of a mail; null for an SMS.' })),
              body: Type.String({
                description: 'Of a mail the beginning of its text, or of the words of its html where it has none.',
              }),
              attempt_id: Type.String(),
              message_id: RequestId,
              received_at: Time,
            }),
          ),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}
