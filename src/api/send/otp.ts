/** Generating and validating one-time codes. No response ever contains a code. */
import type { Logger } from 'pino'
import { type Static, Type } from 'typebox'
import { CHECK_STATUSES, type CheckOtpDeps, checkOtp } from '../../flows/otp/check-otp.ts'
import { type StartOtpDeps, startOtp } from '../../flows/otp/start-otp.ts'
import { KeyedMutex } from '../../lib/keyed-mutex.ts'
import { toIso } from '../../lib/time.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf, originOf, toLogFields } from '../http/context.ts'
import { IdempotencyHeaders } from '../http/idempotency-key.ts'
import type { RenderingDeps } from '../http/large-templates.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import { MESSAGE_ID, MessageIdText, namedObject, RequestIdAlias, responses, Time } from '../http/schemas.ts'
import { skipBodyValidation } from '../http/validation.ts'
import { type GuessLimits, WRONG_CODES } from './guess-limits.ts'
import { OtpGenerate, OtpValidate, readOtpGuess, readOtpRequest } from './otp-request.ts'
import { ACCEPTED, IDEMPOTENT } from './sending.ts'

export type OtpObserver = Readonly<{
  /** A new code was accepted for sending. */
  onCodeStarted: (channel: string) => void
  onChecked: (status: string) => void
}>

export type OtpDeps = Omit<StartOtpDeps, 'inTurn' | 'renderer'> &
  RenderingDeps &
  CheckOtpDeps &
  Readonly<{ guard: Guard; guesses: GuessLimits; logger: Logger; observe?: OtpObserver }>

export function otpRoutes(app: Api, deps: OtpDeps): void {
  const { guard, guesses, logger } = deps
  const turns = new KeyedMutex<string>()
  const inTurn: StartOtpDeps['inTurn'] = (key, act) => turns.run(key, act)
  const common = { onRequest: guard('otp'), validatorCompiler: skipBodyValidation }

  app.post(
    '/v1/otp/generate',
    { ...common, schema: GENERATE },
    async (request, reply): Promise<Static<typeof Generated>> => {
      const { tenantId, accountId } = callerOf(request)
      const terms = readOtpRequest(request.body, request.headers['idempotency-key'])
      const wanted = { ...terms, tenantId, accountId, ...originOf(request) }
      const started = await deps.withRenderer({ tenantId }, (renderer) =>
        startOtp({ ...deps, renderer, inTurn }, wanted),
      )
      const { id, replayed, limits, expiresAt } = started

      logger.debug({ ...toLogFields(request), message_id: id, replayed }, 'otp accepted')
      reply.code(202).headers(rateLimitHeaders(limits))
      if (replayed) reply.header('idempotent-replayed', 'true')
      else deps.observe?.onCodeStarted(terms.channel)
      return { challenge_id: id, message_id: id, request_id: id, status: 'pending', expires_at: toIso(expiresAt) }
    },
  )

  app.post('/v1/otp/validate', { ...common, schema: VALIDATE }, async (request): Promise<Static<typeof Validated>> => {
    const guess = readOtpGuess(request.body)
    const { tenantId } = callerOf(request)
    const check = () => checkOtp(deps, tenantId, guess)
    const { status, remaining } = await guesses.admit(tenantId, request.ip, check)
    deps.observe?.onChecked(status)
    logger.debug({ ...toLogFields(request), message_id: guess.id, otp_status: status }, 'otp checked')
    return { challenge_id: guess.id, valid: status === 'verified', status, attempts_remaining: remaining }
  })
}

const Generated = namedObject('OtpChallenge', {
  challenge_id: MessageIdText,
  message_id: Type.String({ format: 'uuid', description: 'The message with the code.' }),
  request_id: RequestIdAlias,
  status: Type.Literal('pending'),
  expires_at: Time,
})

const Validated = namedObject('OtpValidation', {
  challenge_id: MessageIdText,
  valid: Type.Boolean({ description: 'True only once per challenge, when `status` is `verified`.' }),
  status: Type.Enum(CHECK_STATUSES, { title: 'OtpValidationStatus' }),
  attempts_remaining: Type.Integer({
    description: 'How many more codes may be tried; 0 after the challenge has ended.',
  }),
})

const GENERATE = {
  operationId: 'generateOtp',
  tags: ['otp'],
  summary: 'Send a one-time code',
  description:
    `Generates a code, of six digits by default, and sends it to the recipient; the code is never in a response. ${IDEMPOTENT} ` +
    'The number of codes per recipient is limited, by default to 5 in 10 minutes. A recipient for whom too many wrong codes were tried, by default 10 in an hour, gets no codes until the hour is over. The content of the message is erased ' +
    'when the challenge ends. To change the text, save a template named `otp` (SMS) or `otp-email` (email) that uses ' +
    '`code`; it may also use `minutes` and `app_name`. The code is never in the subject of an email.',
  headers: IdempotencyHeaders,
  body: Type.Unsafe<unknown>(OtpGenerate),
  response: responses(
    {
      202: {
        description: ACCEPTED,
        schema: Generated,
        example: {
          challenge_id: MESSAGE_ID,
          message_id: MESSAGE_ID,
          request_id: MESSAGE_ID,
          status: 'pending',
          expires_at: '2030-01-31T12:05:00.000Z',
        },
      },
    },
    'VALIDATION_ERROR',
    'UNSUPPORTED_MEDIA_TYPE',
    'RECIPIENT_SUPPRESSED',
    'TEST_MODE_UNAVAILABLE',
    'IDEMPOTENCY_MISMATCH',
    'RATE_LIMITED',
    'TOO_MANY_ATTEMPTS',
    'SEND_QUOTA_EXCEEDED',
  ),
}

const VALIDATE = {
  operationId: 'validateOtp',
  tags: ['otp'],
  summary: 'Validate a one-time code',
  description:
    'Every comparison counts as an attempt. What cannot be the code, because of its length or its characters, is refused with 400 and does not count. A challenge can be verified once. Too many wrong codes for one recipient, over all its challenges, lock it out: by default 10 in an hour. Keep `challenge_id` in the session on your server, and give `to` if you know the recipient: then a code proves nothing about another one. ' +
    `Wrong codes are limited to ${WRONG_CODES.tenant.perSecond} a second for a tenant and ${WRONG_CODES.address.perSecond} a second for each address that it calls from. Right codes are not limited, and each makes room for two wrong ones.`,
  body: Type.Unsafe<unknown>(OtpValidate),
  response: responses(
    {
      200: {
        description: 'Whether the code is correct, and the state of the challenge.',
        schema: Validated,
        example: { challenge_id: MESSAGE_ID, valid: false, status: 'invalid', attempts_remaining: 2 },
      },
    },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'UNSUPPORTED_MEDIA_TYPE',
    'TOO_MANY_ATTEMPTS',
  ),
}
