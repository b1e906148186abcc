/**
 * A compatibility API, kept byte for byte for existing clients: limits for users with a numeric id, and SMS to them.
 * It uses camelCase, minutes and plain-text responses, and may be open to calls without credentials.
 */
import { Type } from 'typebox'
import type { Rule } from '../../domain/limits/limits.ts'
import { parseSmsBody } from '../../domain/message/sms-body.ts'
import type { SetupQuotaDeps } from '../../flows/access/quotas.ts'
import { setLimit } from '../../flows/admin/set-limit.ts'
import type { RefusalCode } from '../../flows/errors.ts'
import { type SendToUserDeps, sendToUser } from '../../flows/send/send-to-user.ts'
import { millis, toIso } from '../../lib/time.ts'
import { DatabaseUnavailable } from '../../ports/unavailable.ts'
import { type Audit, audited } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf, originOf } from '../http/context.ts'
import type { PlainText } from '../http/problem.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import { namedObject, responses, Time } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { readOwner, toLimitChange } from '../routing/limits.ts'

export type UserDeps = SendToUserDeps & SetupQuotaDeps & Readonly<{ usersGuard: Guard; audit: Audit; maxParts: number }>

const MINUTE_MILLIS = 60_000
const MOST = 2 ** 31 - 1

export function userRoutes(app: Api, deps: UserDeps): void {
  const { usersGuard, audit, rules, clock } = deps
  const configuring = { schema: CONFIG, onRequest: usersGuard('admin'), config: { plainText: whenConfiguring } }
  const sending = { schema: SEND, onRequest: usersGuard('sms:send'), config: { plainText: whenSending } }

  app.post('/api/config', configuring, async (request) => {
    const { userId, rateLimit, timeWindow } = request.body
    const caller = callerOf(request)
    const [key, at] = [String(userId), clock()]
    const rule: Rule = { limit: rateLimit, window: millis(timeWindow * MINUTE_MILLIS), algorithm: 'fixed' }
    const subject = { tenantId: caller.tenantId, scope: 'user', key, setBy: readOwner(caller) } as const
    const replaced = await rules.find(subject)
    const set = await setLimit(deps, { ...subject, shown: key, rule, updatedAt: at })
    await audit(request, { action: 'limit.set', ...toLimitChange(replaced, set) })
    return { userId, rateLimit, timeWindow, currentCount: 0, lastRefreshTime: toIso(at) }
  })

  app.post('/api/send', sending, async (request, reply) => {
    const { userId, message } = request.body
    const { tenantId, accountId } = callerOf(request)
    const body = parseSmsBody(message)
    if (typeof body === 'string' || body.segments > deps.maxParts) {
      throw refuseFields([{ path: '/message', message: `must be 1 to ${deps.maxParts} SMS segments` }])
    }
    const sent = await sendToUser(deps, { tenantId, accountId, userId, body, origin: originOf(request) })
    reply.headers(rateLimitHeaders(sent.limits)).type('text/plain')
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
const DATABASE_DOWN = 'Postgres Down : Service Unavailable'
const LOG_DOWN = 'Kafka Down : Service Unavailable'

const DOWN: readonly RefusalCode[] = ['UNAVAILABLE', 'AUDIT_UNAVAILABLE']

const whenConfiguring: PlainText = (_error, { code }) => (DOWN.includes(code) ? DATABASE_DOWN : TEXTS[code])
const whenSending: PlainText = (error, refusal) =>
  refusal.code === 'UNAVAILABLE' && !(error instanceof DatabaseUnavailable) ? LOG_DOWN : whenConfiguring(error, refusal)

const whole = (minimum: number, description: string, example: number) =>
  Type.Integer({ minimum, maximum: MOST, description, examples: [example] })
const UserId = whole(0, 'The id of the user.', 101)

const UserConfig = namedObject('ConfigureUserRequest', {
  userId: UserId,
  rateLimit: whole(1, 'The maximum number of messages per window.', 10),
  timeWindow: whole(1, 'The window, in minutes.', 5),
})
const UserConfigured = namedObject('UserLimit', {
  ...UserConfig.properties,
  currentCount: Type.Integer(),
  lastRefreshTime: Time,
})

const plainText = (description: string, text: string) => ({
  description,
  schema: Type.String(),
  example: text,
  type: 'text/plain',
})
const INVALID = { 400: plainText('An argument is missing or invalid.', 'Missing/Invalid Arguments') }

const CONFIG = {
  ...audited('limit.set'),
  operationId: 'configureUser',
  tags: ['users'],
  summary: 'Set the limit of a user',
  description: 'Replaces an existing limit and resets its count.',
  body: UserConfig,
  response: responses(
    {
      200: { description: 'The limit.', schema: UserConfigured },
      ...INVALID,
      503: plainText('The database is unreachable.', DATABASE_DOWN),
    },
    'QUOTA_EXCEEDED',
  ),
}

const SEND = {
  operationId: 'sendToUser',
  tags: ['users'],
  summary: 'Send an SMS to a user',
  description:
    'Sends to the phone number of the recipient whose `external_id` is the user id. Without such a recipient, sends to the simulator as `user:101`.',
  body: namedObject('SendToUserRequest', {
    userId: UserId,
    message: Type.String({ description: 'The text; not blank.', examples: ['Hello World'] }),
  }),
  response: responses(
    {
      200: plainText('The message is stored durably and will be sent.', 'Message Sent Successfully'),
      ...INVALID,
      404: plainText('The user has no limit.', 'User Not Found'),
      429: plainText('The limit is reached.', 'Rate Limit Exceeded'),
      503: plainText('The message cannot be stored.', LOG_DOWN),
    },
    'SEND_QUOTA_EXCEEDED',
    'TEST_MODE_UNAVAILABLE',
  ),
}
