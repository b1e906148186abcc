/** How a call that sends one message is served, whatever the channel: the same for each, but for its answer. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Type } from 'typebox'
import type { RefusalCode } from '../../flows/errors.ts'
import type { Accepted } from '../../flows/send/accept.ts'
import { type AdmitDeps, admit } from '../../flows/send/admit.ts'
import { type Instant, instant, toIso } from '../../lib/time.ts'
import type { Guard } from '../http/auth.ts'
import { callerOf, toLogFields, traceOf } from '../http/context.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import { RequestId, RequestIdAlias, Time } from '../http/schemas.ts'
import type { FindDeps } from '../messages/find-message.ts'
import { type AnyBody, type BodySchema, type Medium, type SubmissionDeps, toSubmission } from './submission.ts'

/** Told how long each message took from its parsed request to its safe place in the log. */
export type AcceptObserver = Readonly<{ onAccepted: (seconds: number) => void }>

export type SendDeps = AdmitDeps &
  SubmissionDeps &
  FindDeps &
  Readonly<{ guard: Guard; logger: Logger; observe?: AcceptObserver }>

/** `key` is the header that makes the call safe to repeat. The answer is written out already. */
export type Serve = (request: FastifyRequest, reply: FastifyReply, key: string | undefined) => Promise<string>

/** `toAnswer` writes by hand what the caller is told, because its bytes are promised and its cost counts. */
export function sendBy<Send extends AnyBody, To, Text>(
  deps: SendDeps,
  medium: Medium<Send, To, Text>,
  schema: BodySchema<Send>,
  toAnswer: (accepted: Accepted) => string,
): Serve {
  const { logger, observe } = deps
  return async (request, reply, key) => {
    const startedAt = performance.now()
    const submitted = { caller: callerOf(request), schema, body: request.body, key, traceId: traceOf(request) }
    const submission = toSubmission(deps, medium, submitted)
    const accepted = await admit(deps, submission instanceof Promise ? await submission : submission)
    observe?.onAccepted((performance.now() - startedAt) / 1000)

    if (logger.isLevelEnabled('debug')) {
      const fields = { ...toLogFields(request), message_id: accepted.id, replayed: accepted.replayed }
      logger.debug(fields, `${medium.wanted.channel} accepted`)
    }
    if (accepted.standings.length > 0) reply.headers(rateLimitHeaders(accepted.standings))
    if (accepted.replayed) reply.header('idempotent-replayed', 'true')
    reply.code(202).header('content-type', 'application/json; charset=utf-8')
    return toAnswer(accepted)
  }
}

let lastWritten = { at: instant(0), text: toIso(instant(0)) }

/** Under load many messages share a millisecond, and writing it out is the dearest part of an answer. */
export function toIsoAgain(at: Instant): string {
  if (lastWritten.at !== at) lastWritten = { at, text: toIso(at) }
  return lastWritten.text
}

/** What every answer to such a call says. */
export const Stored = Type.Object({
  id: RequestId,
  request_id: RequestIdAlias,
  status: Type.Literal('accepted'),
  created_at: Time,
  accepted_at: Time,
})

export const STORED = 'Stored safely, and on its way.'
export const REPEATED =
  'The same idempotency key with the same payload gets the first answer again for 48 hours, with the header `Idempotent-Replayed: true`.'

/** Why any of them may be refused. */
export const REFUSED = [
  'VALIDATION_ERROR',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_MISMATCH',
  'RATE_LIMITED',
] as const satisfies readonly RefusalCode[]
