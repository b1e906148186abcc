/** One-time codes that were sent: how they stand, sending them again, and canceling them. No response ever contains a code. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { parseMessageId } from '../../domain/ids.ts'
import { CHALLENGE_STATUSES } from '../../domain/otp/challenge.ts'
import { notFound } from '../../flows/errors.ts'
import { cancelOtp, type FoundOtp, findOtp } from '../../flows/otp/find-otp.ts'
import { type ResendOtpDeps, resendOtp } from '../../flows/otp/resend-otp.ts'
import { toIso } from '../../lib/time.ts'
import type { ChallengeRef } from '../../ports/challenges.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf, traceOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import { MESSAGE_ID, MessageIdText, namedObject, nullable, responses, Time } from '../http/schemas.ts'

export type OtpChallengesDeps = ResendOtpDeps & Readonly<{ guard: Guard }>

type ChallengeRequest = FastifyRequest<{ Params: Static<typeof Params> }>

export function otpChallengeRoutes(app: Api, deps: OtpChallengesDeps): void {
  const onRequest = deps.guard('otp')
  app.get('/v1/otp/:challenge_id', { schema: GET, onRequest }, async (request: ChallengeRequest) =>
    toView(await findOtp(deps, refOf(request))),
  )
  app.post(
    '/v1/otp/:challenge_id/resend',
    { schema: RESEND, onRequest },
    async (request: ChallengeRequest, reply: FastifyReply) => {
      const { limits } = await resendOtp(deps, refOf(request), traceOf(request))
      reply.code(202).headers(rateLimitHeaders(limits))
      return toView(await findOtp(deps, refOf(request)))
    },
  )
  app.post('/v1/otp/:challenge_id/cancel', { schema: CANCEL, onRequest }, async (request: ChallengeRequest) =>
    toView(await cancelOtp(deps, refOf(request))),
  )
}

function refOf(request: ChallengeRequest): ChallengeRef {
  const text = request.params.challenge_id
  const id = parseMessageId(text)
  if (id === undefined) throw notFound('challenge', text)
  return { tenantId: callerOf(request).tenantId, id }
}

const toView = (found: FoundOtp): Static<typeof Challenge> => ({
  challenge_id: found.challenge.id,
  message_id: found.challenge.id,
  status: found.status,
  attempts_remaining: found.remaining,
  channel: found.channel,
  to: found.to ?? null,
  message_status: found.messageStatus,
  created_at: toIso(found.challenge.createdAt),
  expires_at: toIso(found.challenge.expiresAt),
})

const Params = Type.Object({
  challenge_id: Type.String({ description: 'The `challenge_id` that generate returned.', examples: [MESSAGE_ID] }),
})

const Challenge = namedObject('OtpChallengeState', {
  challenge_id: MessageIdText,
  message_id: Type.String({ format: 'uuid', description: 'The message with the code.' }),
  status: Type.Enum(CHALLENGE_STATUSES, { title: 'OtpChallengeStatus' }),
  attempts_remaining: Type.Integer({
    description: 'How many more codes may be tried; 0 after the challenge has ended.',
  }),
  channel: Enums.Channel(),
  to: nullable(Type.String({ description: 'Masked; null after erasure.', examples: ['+*******4321'] })),
  message_status: Enums.MessageStatus({ description: 'How far the message with the code has come.' }),
  created_at: Time,
  expires_at: Time,
})

const EXAMPLE = {
  challenge_id: MESSAGE_ID,
  message_id: MESSAGE_ID,
  status: 'pending',
  attempts_remaining: 2,
  channel: 'sms',
  to: '+*******4321',
  message_status: 'delivered',
  created_at: '2030-01-31T12:00:00.000Z',
  expires_at: '2030-01-31T12:05:00.000Z',
} as const

const GET = {
  operationId: 'getOtpChallenge',
  tags: ['otp'],
  summary: 'Get the status of a one-time code',
  description:
    'Whether the code can still be validated, and how far its message has come. A challenge can be looked up for seven days after it has ended.',
  params: Params,
  response: responses({ 200: { description: 'The challenge.', schema: Challenge, example: EXAMPLE } }, 'NOT_FOUND'),
}

const RESEND = {
  operationId: 'resendOtp',
  tags: ['otp'],
  summary: 'Send a one-time code again',
  description:
    'Sends the same code again, in the same message, along its route. Attempts and expiry stay as they are. It counts like a new code of the recipient. Refused with 409 while the message is in flight, and after the challenge has ended.',
  params: Params,
  response: responses(
    {
      202: {
        description: 'The message is queued again.',
        schema: Challenge,
        example: { ...EXAMPLE, message_status: 'queued' },
      },
    },
    'NOT_FOUND',
    'CONFLICT',
    'SENDER_NOT_ALLOWED',
    'RATE_LIMITED',
    'TOO_MANY_ATTEMPTS',
    'SEND_QUOTA_EXCEEDED',
  ),
}

const CANCEL = {
  operationId: 'cancelOtpChallenge',
  tags: ['otp'],
  summary: 'Cancel a one-time code',
  description:
    'No code verifies afterwards, and the content of the message is erased. A message that is still queued by then is not sent. Canceling again changes nothing; a challenge that has ended otherwise cannot be canceled.',
  params: Params,
  response: responses(
    {
      200: {
        description: 'The canceled challenge.',
        schema: Challenge,
        example: { ...EXAMPLE, status: 'canceled', attempts_remaining: 0 },
      },
    },
    'NOT_FOUND',
    'CONFLICT',
  ),
}
