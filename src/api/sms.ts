/** Sending one SMS, and asking what became of it. */
import { type Static, Type } from 'typebox'
import { toIso } from '../domain/time.ts'
import { type AcceptDeps, type Accepted, accept } from '../flows/accept.ts'
import type { Guard } from './auth.ts'
import { type Api, callerOf, traceOf } from './context.ts'
import { IdempotencyHeaders, readIdempotencyKey } from './idempotency-key.ts'
import { type FindDeps, find } from './find.ts'
import { answers, MessageRow, RequestId, Time, TimelineEvent } from './schemas.ts'
import { SmsSend, type SubmissionDeps, toSubmission } from './sms-submission.ts'
import { toRow, toShown, toTimelineEvent } from './views.ts'

export type SmsDeps = AcceptDeps & SubmissionDeps & FindDeps & Readonly<{ guard: Guard; observe?: AcceptObserver }>

/** Told how long each message took from its parsed request to its safe place in the log. */
export type AcceptObserver = Readonly<{ onAccepted(seconds: number): void }>

const SmsAccepted = Type.Object({
  request_id: RequestId,
  status: Type.Literal('accepted'),
  created_at: Time,
  accepted_at: Time,
  segments: Type.Integer(),
  encoding: Type.Enum(['gsm7', 'ucs2']),
})

const SmsStatus = Type.Object({ ...MessageRow.properties, events: Type.Array(TimelineEvent) })

const SEND = {
  operationId: 'sendSms',
  tags: ['sms'],
  summary: 'Send an SMS',
  description:
    'Answers once the message is stored safely. The same idempotency key with the same payload gets the first answer again for 48 hours, with the header `Idempotent-Replayed: true`.',
  headers: IdempotencyHeaders,
  body: SmsSend,
  response: answers(
    { 202: { description: 'Stored, and on its way', schema: SmsAccepted, example: EXAMPLE } },
    'VALIDATION_ERROR',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'IDEMPOTENCY_MISMATCH',
  ),
}
