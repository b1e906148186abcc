/** What sending an SMS and sending an email have in common: fields, handler and response. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Type } from 'typebox'
import type { RefusalCode } from '../../flows/errors.ts'
import type { Accepted } from '../../flows/send/accept.ts'
import { type AdmitDeps, admit } from '../../flows/send/admit.ts'
import { type Instant, instant, toIso } from '../../lib/time.ts'
import { ExternalId, Locale, TemplateData, TemplateName } from '../directory/directory-schemas.ts'
import type { Guard } from '../http/auth.ts'
import { callerOf, originOf, toLogFields } from '../http/context.ts'
import { IdempotencyKey } from '../http/idempotency-key.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import { MessageIdText, namedObject, RequestIdAlias, Time } from '../http/schemas.ts'
import type { FindDeps } from '../messages/find-message.ts'
import { type BodySchema, type ChannelSpec, type SendBody, type SubmissionDeps, toSubmission } from './submission.ts'

const Tag = Type.String({ minLength: 1, maxLength: 64 })
const Metadata = Type.Record(Type.String({ pattern: '^[\\s\\S]{1,64}$' }), Type.String({ maxLength: 512 }), {
  title: 'Metadata',
  description: 'Up to 50 key-value pairs of your own, searchable. Keys have at most 64 characters.',
  maxProperties: 50,
  additionalProperties: false,
})

export const CommonFields = {
  recipient_id: Type.Optional(
    Type.String({ description: 'The id of a recipient in the directory, instead of `to`.', maxLength: 36 }),
  ),
  recipient_external_id: Type.Optional(
    Type.String({ ...ExternalId, description: 'The external id of a recipient in the directory, instead of `to`.' }),
  ),
  idempotency_key: Type.Optional(IdempotencyKey),
  lane: Type.Optional(
    Type.Enum(['transactional', 'bulk'], {
      title: 'SendLane',
      description: '`transactional` messages are sent before `bulk` ones. Defaults to `transactional`.',
    }),
  ),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Type.Array(Tag, { maxItems: 20 })),
  expires_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'The message is not sent after this time.' }),
  ),
  callback_url: Type.Optional(
    Type.String({ description: 'An http or https URL to POST webhooks about this message to.', maxLength: 2048 }),
  ),
}

/** A template, instead of these fields. */
export const templateInsteadOf = (fields: string) =>
  Type.Optional(
    namedObject(
      'TemplateReference',
      { name: TemplateName, data: Type.Optional(TemplateData), locale: Type.Optional(Locale) },
      {
        additionalProperties: false,
        description: `A template to render, instead of ${fields}. The default locale is the recipient's, if the directory has it.`,
      },
    ),
  )

/** `onAccepted` gets the time from the parsed request to the stored message. */
export type AcceptObserver = Readonly<{ onAccepted: (seconds: number) => void }>

export type SendDeps = AdmitDeps &
  SubmissionDeps &
  FindDeps &
  Readonly<{ guard: Guard; logger: Logger; observe?: AcceptObserver }>

/** `key` is the header Idempotency-Key. The response is serialized already. */
export type SendHandler = (request: FastifyRequest, reply: FastifyReply, key: string | undefined) => Promise<string>

/** `toResponse` builds the JSON by hand: its bytes are promised, and this is the hottest path of the API. */
export function sendHandler<Send extends SendBody, To, Text>(
  deps: SendDeps,
  channel: ChannelSpec<Send, To, Text>,
  schema: BodySchema<Send>,
  toResponse: (accepted: Accepted) => string,
): SendHandler {
  const { logger, observe } = deps
  return async (request, reply, key) => {
    const startedAt = performance.now()
    const call = { caller: callerOf(request), schema, body: request.body, key, origin: originOf(request) }
    const submission = toSubmission(deps, channel, call)
    const accepted = await admit(deps, submission instanceof Promise ? await submission : submission)
    observe?.onAccepted((performance.now() - startedAt) / 1000)

    if (logger.isLevelEnabled('debug')) {
      const fields = { ...toLogFields(request), message_id: accepted.id, replayed: accepted.replayed }
      logger.debug(fields, `${channel.wanted.channel} accepted`)
    }
    if (accepted.limits !== undefined) reply.headers(rateLimitHeaders(accepted.limits))
    if (accepted.replayed) reply.header('idempotent-replayed', 'true')
    reply.code(202).header('content-type', 'application/json; charset=utf-8')
    return toResponse(accepted)
  }
}

let lastIso = { at: instant(0), text: toIso(instant(0)) }

/** Under load many messages share a millisecond, and formatting it is the most expensive part of the response. */
export function toIsoCached(at: Instant): string {
  if (lastIso.at !== at) lastIso = { at, text: toIso(at) }
  return lastIso.text
}

export const AcceptedMessage = namedObject('SendAccepted', {
  id: MessageIdText,
  request_id: RequestIdAlias,
  status: Type.Literal('accepted'),
  created_at: Time,
  accepted_at: Time,
})

export const ACCEPTED = 'The message is stored durably and will be sent.'
export const IDEMPOTENT =
  'For 48 hours, the same idempotency key with the same payload returns the first response, with the header `Idempotent-Replayed: true`.'

export const SEND_ERRORS = [
  'VALIDATION_ERROR',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_MISMATCH',
  'NO_ROUTE_FOUND',
  'SENDER_NOT_ALLOWED',
  'TEST_MODE_UNAVAILABLE',
  'RATE_LIMITED',
  'SEND_QUOTA_EXCEEDED',
] as const satisfies readonly RefusalCode[]
