/**
 * The inbox of the simulator: what simulated phones and mailboxes received. Tests count deliveries with it. In live mode
 * it shows texts and one-time codes that an application meant for its customers, so it needs the scope for content.
 */
import { Type } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import type { Scope } from '../../domain/access/scope.ts'
import { isTestTenant } from '../../domain/access/test-mode.ts'
import { isUserAddress } from '../../domain/directory/user-address.ts'
import type { Recipient } from '../../domain/message/message.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant, toIso } from '../../lib/time.ts'
import type { Inbox, Received } from '../../ports/simulator-inbox.ts'
import { type Authenticator, guardWith } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { MessageIdText, namedObject, nullable, queryText, responses, Time } from '../http/schemas.ts'
import { readRecipient } from '../messages/message-search.ts'
import { SCOPES_TO_READ, simulatorMailRoutes } from './mails.ts'

export type SimulatorDeps = Readonly<{ inbox: Inbox; auth: Authenticator }>

export function simulatorRoutes(app: Api, { inbox, auth }: SimulatorDeps): void {
  const mayRead = guardWith(auth, scopesToRead)

  app.get(
    '/v1/simulator/inbox',
    { schema: INBOX, onRequest: mayRead, config: { answer: 'large' } },
    async (request) => {
      const { tenantId } = callerOf(request)
      const { to, limit = 50 } = request.query
      const found = await inbox.list(
        omitUndefined({ tenantId, limit, to: to === undefined ? undefined : readAddress(to) }),
      )
      return { items: found.map(toItem) }
    },
  )
  simulatorMailRoutes(app, { inbox, mayRead })
}

const scopesToRead = ({ tenantId }: Caller): readonly Scope[] =>
  isTestTenant(tenantId) ? ['messages:read', 'content:read'] : ['content:read']

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
  summary: 'List the simulator inbox',
  description: `What simulated phones and mailboxes received. Recipients and texts are not masked. ${SCOPES_TO_READ}`,
  querystring: Type.Object(
    {
      to: Type.Optional(
        queryText(
          'A phone number in E.164 format, an email address, or a user without an address, for example `user:101`.',
          254,
        ),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Defaults to 50.' })),
    },
    { additionalProperties: false },
  ),
  response: responses(
    {
      200: {
        description: 'The messages.',
        schema: namedObject('SimulatorInbox', {
          items: Type.Array(
            namedObject('SimulatorMessage', {
              channel: Enums.Channel(),
              to: Type.String({ examples: ['+5511987654321'] }),
              from: nullable(Type.String()),
              subject: nullable(Type.String({ description: 'Null for an SMS.' })),
              body: Type.String({
                description: 'For an email, the beginning of its text, or of the text of its html.',
              }),
              attempt_id: Type.String(),
              message_id: MessageIdText,
              received_at: Time,
            }),
          ),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}
