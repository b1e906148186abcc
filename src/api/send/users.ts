/**
 * A contract of its own, kept to the letter for those who have it already: limits for users known by a
 * number, in minutes, and texts to them. It speaks camelCase, and its answers are plain text.
 */
import { Type } from 'typebox'
import type { Rule } from '../../domain/limits/limits.ts'
import { parseSmsBody } from '../../domain/message/sms-body.ts'
import type { RefusalCode } from '../../flows/errors.ts'
import { DirectoryAway, type SendToUserDeps, sendToUser } from '../../flows/send/send-to-user.ts'
import { millis, toIso } from '../../lib/time.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf, traceOf } from '../http/context.ts'
import type { PlainText } from '../http/problem.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import { answers, Time } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'

export type UserDeps = SendToUserDeps & Readonly<{ guard: Guard; maxParts: number }>

const MINUTE_MILLIS = 60_000
const MOST = 2 ** 31 - 1

export function userRoutes(app: Api, deps: UserDeps): void {
  const { guard, rules, clock } = deps
  const configuring = { schema: CONFIG, onRequest: guard('admin'), config: { plainText: whenConfiguring } }
  const sending = { schema: SEND, onRequest: guard('sms:send'), config: { plainText: whenSending } }

  app.post('/api/config', configuring, async (request) => {
    const { userId, rateLimit, timeWindow } = request.body
    const { tenantId } = callerOf(request)
    const [key, at] = [String(userId), clock()]
    const rule: Rule = { limit: rateLimit, window: millis(timeWindow * MINUTE_MILLIS), algorithm: 'fixed' }
    await rules.set({ tenantId, scope: 'user', key, shown: key, rule, updatedAt: at })
    return { userId, rateLimit, timeWindow, currentCount: 0, lastRefreshTime: toIso(at) }
  })

  app.post('/api/send', sending, async (request, reply) => {
    const { userId, message } = request.body
    const { tenantId, accountId } = callerOf(request)
    const body = parseSmsBody(message)
    if (typeof body === 'string' || body.segments > deps.maxParts) {
      throw refuseFields([{ path: '/message', message: `must fit into ${deps.maxParts} parts of an SMS` }])
    }
    const sent = await sendToUser(deps, { tenantId, accountId, userId, body, traceId: traceOf(request) })
    reply.headers(rateLimitHeaders(sent.standings)).type('text/plain')
    return 'Message Sent Successfully'
  })
}

const TEXTS: Partial<Record<RefusalCode, string>> = {
  VALIDATION_ERROR: 'Missing/Invalid Arguments',
  UNSUPPORTED_MEDIA_TYPE: 'Missing/Invalid Arguments',
  NOT_FOUND: 'User Not Found',
  RATE_LIMITED: 'Rate Limit Exceeded',
  INTERNAL_ERROR: 'Internal Server Error',
}
const DATABASE_AWAY = 'Postgres Down : Service Unavailable'
const LOG_AWAY = 'Kafka Down : Service Unavailable'

const whenConfiguring: PlainText = (_error, { code }) => (code === 'UNAVAILABLE' ? DATABASE_AWAY : TEXTS[code])
const whenSending: PlainText = (error, refusal) =>
  refusal.code === 'UNAVAILABLE' && !(error instanceof DirectoryAway) ? LOG_AWAY : whenConfiguring(error, refusal)

const whole = (minimum: number, description: string, example: number) =>
  Type.Integer({ minimum, maximum: MOST, description, examples: [example] })
const UserId = whole(0, 'What you call the user.', 101)

const UserConfig = Type.Object({
  userId: UserId,
  rateLimit: whole(1, 'How many messages the user may be sent in a window.', 10),
  timeWindow: whole(1, 'The length of a window in minutes.', 5),
})
const UserConfigured = Type.Object({
  ...UserConfig.properties,
  currentCount: Type.Integer(),
  lastRefreshTime: Time,
})

const said = (description: string, text: string) => ({
  description,
  schema: Type.String(),
  example: text,
  type: 'text/plain',
})
const REFUSED = { 400: said('Something is missing or wrong.', 'Missing/Invalid Arguments') }

const CONFIG = {
  operationId: 'configureUser',
  tags: ['users'],
  summary: 'Set the limit of a user',
  description: 'A user that has one already gets the new one, and is counted anew.',
  body: UserConfig,
  response: answers({
    200: { description: 'The limit as it stands.', schema: UserConfigured },
    ...REFUSED,
    503: said('The database is away.', DATABASE_AWAY),
  }),
}

const SEND = {
  operationId: 'sendToUser',
  tags: ['users'],
  summary: 'Send a text to a user',
  description:
    'To the phone of the recipient whose `external_id` is the number, or, where there is none, to the simulator as `user:101`.',
  body: Type.Object({ userId: UserId, message: Type.String({ description: 'Not blank.', examples: ['Hello World'] }) }),
  response: answers({
    200: said('Stored safely, and on its way.', 'Message Sent Successfully'),
    ...REFUSED,
    404: said('No limit was set for the user.', 'User Not Found'),
    429: said('The limit is reached.', 'Rate Limit Exceeded'),
    503: said('The message cannot be stored.', LOG_AWAY),
  }),
}
