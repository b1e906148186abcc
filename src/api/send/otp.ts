/** One-time codes: having one sent, and having one checked that was told back. A code is in no answer of ours. */
import type { Logger } from 'pino'
import { type Static, Type } from 'typebox'
import { CHECK_STATUSES, type CheckOtpDeps, checkOtp } from '../../flows/otp/check-otp.ts'
import { type StartOtpDeps, startOtp } from '../../flows/otp/start-otp.ts'
import { toIso } from '../../lib/time.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf, toLogFields, traceOf } from '../http/context.ts'
import { IdempotencyHeaders } from '../http/idempotency-key.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import { answers, RequestId, RequestIdAlias, Time } from '../http/schemas.ts'
import { leaveBody } from '../http/validation.ts'
import { OtpGenerate, OtpValidate, toGuess, toTerms } from './otp-submission.ts'

/** Told of each code that was checked, and of what came of it. */
export type OtpObserver = Readonly<{ onChecked: (status: string) => void }>

export type OtpDeps = StartOtpDeps & CheckOtpDeps & Readonly<{ guard: Guard; logger: Logger; observe?: OtpObserver }>

export function otpRoutes(app: Api, deps: OtpDeps): void {
  const { guard, logger } = deps
  const common = { onRequest: guard('otp'), validatorCompiler: leaveBody }

  app.post(
    '/v1/otp/generate',
    { ...common, schema: GENERATE },
    async (request, reply): Promise<Static<typeof Generated>> => {
      const { tenantId, accountId } = callerOf(request)
      const terms = toTerms(request.body, request.headers['idempotency-key'])
      const started = await startOtp(deps, { ...terms, tenantId, accountId, traceId: traceOf(request) })
      const { id, replayed, standings, expiresAt } = started

      logger.debug({ ...toLogFields(request), message_id: id, replayed }, 'otp accepted')
      reply.code(202).headers(rateLimitHeaders(standings))
      if (replayed) reply.header('idempotent-replayed', 'true')
      return { challenge_id: id, message_id: id, request_id: id, status: 'pending', expires_at: toIso(expiresAt) }
    },
  )

  app.post('/v1/otp/validate', { ...common, schema: VALIDATE }, async (request): Promise<Static<typeof Validated>> => {
    const guess = toGuess(request.body)
    const { status, remaining } = await checkOtp(deps, callerOf(request).tenantId, guess)
    deps.observe?.onChecked(status)
    logger.debug({ ...toLogFields(request), message_id: guess.id, otp_status: status }, 'otp checked')
    return { challenge_id: guess.id, valid: status === 'verified', status, attempts_remaining: remaining }
  })
}

const Generated = Type.Object({
  challenge_id: RequestId,
  message_id: Type.String({ format: 'uuid', description: 'The message that carries the code.' }),
  request_id: RequestIdAlias,
  status: Type.Literal('pending'),
  expires_at: Time,
})

const Validated = Type.Object({
  challenge_id: RequestId,
  valid: Type.Boolean({ description: 'True once for a challenge: when `status` is `verified`.' }),
  status: Type.Enum(CHECK_STATUSES),
  attempts_remaining: Type.Integer({
    description: 'How many more codes may be tried; 0 once the challenge has ended.',
  }),
})

const ID = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11'

const GENERATE = {
  operationId: 'generateOtp',
  tags: ['otp'],
  summary: 'Send a one-time code',
  description:
    'Draws six digits and sends them; only their recipient gets to know them. The same idempotency key with the same payload gets the first answer again for 48 hours, with the header `Idempotent-Replayed: true`, and sends nothing. A recipient gets a limited number of codes in a time, 5 in 10 minutes unless the operator says otherwise. What the message says is erased when the challenge ends. Its words are yours where you have a template named `otp` for SMS, or `otp-email` for email, that tells the `code`; both are also given `minutes` and `app_name`. A mail never has the code in its subject.',
  headers: IdempotencyHeaders,
  body: Type.Unsafe<unknown>(OtpGenerate),
  response: answers(
    {
      202: {
        description: 'Stored safely, and on its way.',
        schema: Generated,
        example: {
          challenge_id: ID,
          message_id: ID,
          request_id: ID,
          status: 'pending',
          expires_at: '2030-01-31T12:05:00.000Z',
        },
      },
    },
    'VALIDATION_ERROR',
    'UNSUPPORTED_MEDIA_TYPE',
    'RECIPIENT_SUPPRESSED',
    'IDEMPOTENCY_MISMATCH',
    'RATE_LIMITED',
  ),
}

const VALIDATE = {
  operationId: 'validateOtp',
  tags: ['otp'],
  summary: 'Check a one-time code',
  description:
    'Whatever is compared counts as an attempt, before it is compared; a code of another length or with anything but digits is refused with 400 and counts as none. A challenge verifies once.',
  body: Type.Unsafe<unknown>(OtpValidate),
  response: answers(
    {
      200: {
        description: 'Whether the code is right, and where the challenge stands.',
        schema: Validated,
        example: { challenge_id: ID, valid: false, status: 'invalid', attempts_remaining: 2 },
      },
    },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'UNSUPPORTED_MEDIA_TYPE',
  ),
}
