/** Says what would become of a message if it were sent now, without sending, storing or counting anything. */
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Caller } from '../../domain/access/caller.ts'
import type { Scope } from '../../domain/access/scope.ts'
import { CHANNELS, type Origin } from '../../domain/message/message.ts'
import { Refusal, type RefusalCode } from '../../flows/errors.ts'
import { type PreflightDeps as LookDeps, type Preflight, preflight } from '../../flows/explain/preflight.ts'
import { otpWithoutEffect, withoutEffect } from '../../flows/explain/without-effect.ts'
import { codeCounterOf, type StartOtpDeps, startOtp, writeCode } from '../../flows/otp/start-otp.ts'
import type { Submission } from '../../flows/send/accept.ts'
import { admit } from '../../flows/send/admit.ts'
import { later } from '../../lib/time.ts'
import { allows, type Guard, missingScope } from '../http/auth.ts'
import { type Api, callerOf, originOf } from '../http/context.ts'
import { IdempotencyHeaders } from '../http/idempotency-key.ts'
import type { RenderingDeps } from '../http/large-templates.ts'
import { responses } from '../http/schemas.ts'
import { refuseFields, skipBodyValidation } from '../http/validation.ts'
import { channelOf } from '../send/batch.ts'
import { EMAIL } from '../send/email.ts'
import { readOtpRequest } from '../send/otp-request.ts'
import { SMS } from '../send/sms.ts'
import { type SubmissionDeps, toSubmission } from '../send/submission.ts'
import { PREFLIGHT_EXAMPLE, PREFLIGHT_REQUESTS } from './preflight-example.ts'
import { PreflightEmail, PreflightOtp, PreflightReport, PreflightSms } from './preflight-schemas.ts'
import { toInvalidReport, toReport } from './preflight-views.ts'

export type PreflightDeps = LookDeps &
  SubmissionDeps &
  Omit<StartOtpDeps, 'inTurn'> &
  RenderingDeps &
  Readonly<{ guard: Guard }>

/** As for an email. */
const BODY_LIMIT = 8 * 1024 * 1024

export function preflightRoutes(app: Api, deps: PreflightDeps): void {
  const options = {
    schema: PREFLIGHT,
    onRequest: deps.guard('sms:send', 'email:send', 'otp'),
    bodyLimit: BODY_LIMIT,
    validatorCompiler: skipBodyValidation,
    config: { answer: 'one' },
  } as const

  app.post('/v1/preflight', options, async (request): Promise<PreflightReport> => {
    const caller = callerOf(request)
    const call = { caller, body: request.body, origin: originOf(request), key: request.headers['idempotency-key'] }
    return deps.withRenderer(caller, (renderer) => look({ ...deps, renderer }, call))
  })
}

/** What the send refuses before it looks at the message. */
const UNREAD: ReadonlySet<RefusalCode> = new Set(['VALIDATION_ERROR', 'FORBIDDEN'])

type Call = Readonly<{ caller: Caller; body: unknown; origin: Origin; key: string | undefined }>

async function look(deps: PreflightDeps, call: Call): Promise<PreflightReport> {
  try {
    const { submission, found } = await find(deps, call)
    const { caller } = call
    const isKeyed = call.key !== undefined || fieldOf(call.body, 'idempotency_key') !== undefined
    return toReport({ found, submission, isKeyed, mayRead: allows(caller, 'messages:read'), now: deps.clock() })
  } catch (error) {
    if (error instanceof Refusal && UNREAD.has(error.code)) return toInvalidReport(error)
    throw error
  }
}

type Found = Readonly<{ submission: Submission; found: Preflight }>

/** A send without a key is refused, but a draft has none yet: it gets one that nobody uses. */
function find(deps: PreflightDeps, call: Call): Promise<Found> {
  const hasKey = call.key !== undefined || fieldOf(call.body, 'idempotency_key') !== undefined
  const keyed = hasKey ? call : { ...call, key: `preflight-${deps.ids.traceId()}` }
  const kind = fieldOf(call.body, 'kind') ?? 'message'
  if (kind === 'otp') return findCode(deps, keyed)
  if (kind !== 'message') throw refuseFields([{ path: '/kind', message: 'must be one of message, otp' }])
  return findMessage(deps, keyed)
}

async function findMessage(deps: PreflightDeps, call: Call): Promise<Found> {
  const submission = await toSubmissionOf(deps, call)
  const looking = withoutEffect(deps)
  return { submission, found: await preflight(deps, submission, { send: () => admit(looking, submission) }) }
}

function toSubmissionOf(deps: PreflightDeps, call: Call): Submission | Promise<Submission> {
  switch (channelOf(call.body)) {
    case 'sms':
      requireScope(call.caller, 'sms:send')
      return toSubmission(deps, SMS, { ...call, schema: SMS_BODY })
    case 'email':
      requireScope(call.caller, 'email:send')
      return toSubmission(deps, EMAIL, { ...call, schema: EMAIL_BODY })
    case undefined:
      throw refuseFields([{ path: '/channel', message: `must be one of ${CHANNELS.join(', ')}` }])
  }
}

async function findCode(deps: PreflightDeps, { caller, body, origin, key }: Call): Promise<Found> {
  requireScope(caller, 'otp')
  const { tenantId, accountId } = caller
  const terms = readOtpRequest(withoutKind(body), key)
  const request = { ...terms, ...origin, tenantId, accountId }
  const looking = otpWithoutEffect({ ...deps, inTurn: (_key, act) => act() })
  const written = await writeCode(looking, request, looking.drawCode(terms.shape), later(deps.clock(), terms.ttl))
  const { idempotencyKey } = terms
  const submission = {
    ...written,
    ...origin,
    tenantId,
    accountId,
    lane: 'otp',
    idempotencyKey,
    keyNamespace: 'otp',
  } as const
  const counters = [codeCounterOf(looking, request)]
  return {
    submission,
    found: await preflight(deps, submission, { counters, send: () => startOtp(looking, request) }),
  }
}

const fieldOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, name)
    ? (body as Readonly<Record<string, unknown>>)[name]
    : undefined

function withoutKind(body: unknown): object {
  const { kind: _, ...rest } = body as Readonly<Record<string, unknown>>
  return rest
}

/** The call needs the scope of any kind of message, and then that of its own. */
function requireScope(caller: Caller, scope: Scope): void {
  if (!allows(caller, scope)) throw missingScope([scope])
}

const [SMS_BODY, EMAIL_BODY] = [Compile(PreflightSms), Compile(PreflightEmail)]

const PREFLIGHT = {
  operationId: 'preflight',
  tags: ['messages'],
  summary: 'Check a message before it is sent',
  description:
    'Takes an item of `POST /v1/messages/batch`, or with `kind` `otp` the body of `POST /v1/otp/generate`, and says what the send would answer now and what would become of the message. It sends, stores and counts nothing, and reserves no idempotency key: without one, everything else is checked. The scopes are those of the send.',
  headers: IdempotencyHeaders,
  body: Type.Unsafe<unknown>(
    Type.Union([PreflightSms, PreflightEmail, PreflightOtp], {
      title: 'PreflightRequest',
      examples: PREFLIGHT_REQUESTS,
    }),
  ),
  response: responses(
    {
      200: {
        description: 'The report, also for a message that is not valid.',
        schema: PreflightReport,
        example: PREFLIGHT_EXAMPLE,
      },
    },
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'REQUEST_TIMEOUT',
  ),
}
