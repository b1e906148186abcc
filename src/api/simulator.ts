/** What the simulated handsets really received: how a test counts "exactly once". */
import { Type } from 'typebox'
import type { TenantId } from '../domain/ids.ts'
import type { SmsAddress } from '../domain/message.ts'
import { instant, toIso } from '../domain/time.ts'
import { isUserAddress } from '../domain/user-address.ts'
import type { Guard } from './auth.ts'
import { type Api, callerOf } from './context.ts'
import { readRecipient } from './message-search.ts'
import { answers, nullable, queryText, RequestId, Time } from './schemas.ts'

export type Received = Readonly<{
  to: string
  from?: string
  body: string
  attemptId: string
  messageId: string
  receivedAt: number
}>

/** Newest first. */
export type Inbox = (
  query: Readonly<{ tenantId: TenantId; to?: SmsAddress; limit: number }>,
) => Promise<readonly Received[]>

export type SimulatorDeps = Readonly<{ inbox: Inbox; guard: Guard }>

export function simulatorRoutes(app: Api, { inbox, guard }: SimulatorDeps): void {
  app.get('/v1/simulator/inbox', { schema: INBOX, onRequest: guard('messages:read') }, async (request) => {
    const { tenantId } = callerOf(request)
    const { to, limit = 50 } = request.query
    const found = await inbox({ tenantId, limit, ...(to === undefined ? {} : { to: readAddress(to) }) })
    return { items: found.map(toItem) }
  })
}

const readAddress = (to: string): SmsAddress => (isUserAddress(to) ? to : readRecipient(to))

const toItem = ({ to, from, body, attemptId, messageId, receivedAt }: Received) => ({
  to,
  from: from ?? null,
  body,
  attempt_id: attemptId,
  request_id: messageId,
  received_at: toIso(instant(receivedAt)),
})

const INBOX = {
  operationId: 'listSimulatorInbox',
  tags: ['simulator'],
  summary: 'What a simulated handset received',
  description: 'The simulator plays the outside world, so numbers and texts are shown as a handset would show them.',
  querystring: Type.Object(
    {
      to: Type.Optional(
        queryText('The number of one handset, in E.164; or a user without one, such as `user:101`.', 40),
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
              to: Type.String({ examples: ['+5511987654321'] }),
              from: nullable(Type.String()),
              body: Type.String(),
              attempt_id: Type.String(),
              request_id: RequestId,
              received_at: Time,
            }),
          ),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}
