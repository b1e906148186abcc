/** Sending one SMS, and asking what became of it. */
import type { Logger } from 'pino'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { MessageId } from '../domain/ids.ts'
import { type Instant, instant, toIso } from '../domain/time.ts'
import type { Accepted } from '../flows/accept.ts'
import { type AdmitDeps, admit } from '../flows/admit.ts'
import type { Guard } from './auth.ts'
import { type Api, callerOf, toLogFields, traceOf } from './context.ts'
import { type FindDeps, findMessage } from './find-message.ts'
import { IdempotencyHeaders } from './idempotency-key.ts'
import { rateLimitHeaders } from './rate-limit.ts'
import { answers, MessageRow, RequestId, Time, TimelineEvent } from './schemas.ts'
import { SmsSend, type SubmissionDeps, toSubmission } from './sms-submission.ts'
import { leaveBody } from './validation.ts'
import { toRow, toShown, toTimelineEvent } from './views.ts'

/** Told how long each message took from its parsed request to its safe place in the log. */
export type AcceptObserver = Readonly<{ onAccepted: (seconds: number) => void }>

export type SmsDeps = AdmitDeps &
  SubmissionDeps &
  FindDeps &
  Readonly<{ guard: Guard; logger: Logger; observe?: AcceptObserver }>

const schema = Compile(SmsSend)
const BODY_LIMIT = 64 * 1024

export function smsRoutes(app: Api, deps: SmsDeps): void {
  const { guard, logger, observe } = deps

  app.post(
    '/v1/sms/send',
    { schema: SEND, onRequest: guard('sms:send'), bodyLimit: BODY_LIMIT, validatorCompiler: leaveBody },
    async (request, reply) => {
      const startedAt = performance.now()
      const { body, headers } = request
      const submitted = {
        caller: callerOf(request),
        schema,
        body,
        key: headers['idempotency-key'],
        traceId: traceOf(request),
      }
      const submission = toSubmission(deps, submitted)
      const accepted = await admit(deps, submission instanceof Promise ? await submission : submission)
      observe?.onAccepted((performance.now() - startedAt) / 1000)

      if (logger.isLevelEnabled('debug')) {
        logger.debug({ ...toLogFields(request), message_id: accepted.id, replayed: accepted.replayed }, 'sms accepted')
      }
      if (accepted.standings.length > 0) reply.headers(rateLimitHeaders(accepted.standings))
      if (accepted.replayed) reply.header('idempotent-replayed', 'true')
      reply.code(202).header('content-type', 'application/json; charset=utf-8')
      return toAnswer(accepted)
    },
  )

  app.get('/v1/sms/:request_id', { schema: STATUS, onRequest: guard('messages:read') }, async (request) => {
    const { state, content, events } = await findMessage(deps, callerOf(request), request.params.request_id)
    return { ...toRow(state, toShown(content)), events: events.map((event) => toTimelineEvent(deps.ids, event)) }
  })
}

/** Written by hand, because it is the one answer whose bytes are promised and whose cost counts. */
function toAnswer({ id, createdAt, segments, encoding }: Accepted): string {
  const at = toIsoAgain(createdAt)
  return `{"request_id":"${id}","status":"accepted","created_at":"${at}","accepted_at":"${at}","segments":${segments},"encoding":"${encoding}"}`
}

let lastWritten = { at: instant(0), text: toIso(instant(0)) }

/** Under load many messages share a millisecond, and writing it out is the dearest part of an answer. */
function toIsoAgain(at: Instant): string {
  if (lastWritten.at !== at) lastWritten = { at, text: toIso(at) }
  return lastWritten.text
}

const SmsAccepted = Type.Object({
  request_id: RequestId,
  status: Type.Literal('accepted'),
  created_at: Time,
  accepted_at: Time,
  segments: Type.Integer({ examples: [1] }),
  encoding: Type.Enum(['gsm7', 'ucs2']),
})

const ACCEPTED = JSON.parse(
  toAnswer({
    id: '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as MessageId,
    createdAt: instant(Date.UTC(2030, 0, 31, 12)),
    segments: 1,
    encoding: 'gsm7',
    replayed: false,
  }),
)

const SEND = {
  operationId: 'sendSms',
  tags: ['sms'],
  summary: 'Send an SMS',
  description:
    'Answers once the message is stored safely. The same idempotency key with the same payload gets the first answer again for 48 hours, with the header `Idempotent-Replayed: true`.',
  headers: IdempotencyHeaders,
  body: Type.Unsafe<unknown>(SmsSend),
  response: answers(
    { 202: { description: 'Stored safely, and on its way.', schema: SmsAccepted, example: ACCEPTED } },
    'VALIDATION_ERROR',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'IDEMPOTENCY_MISMATCH',
    'RATE_LIMITED',
  ),
}

const SmsStatus = Type.Object({ ...MessageRow.properties, events: Type.Array(TimelineEvent) })

const STATUS = {
  operationId: 'getSms',
  tags: ['sms'],
  summary: 'What became of an SMS',
  description: 'Its latest state, and everything that happened to it, oldest first.',
  params: Type.Object({ request_id: Type.String() }),
  response: answers({ 200: { description: 'The message.', schema: SmsStatus } }, 'NOT_FOUND'),
}
