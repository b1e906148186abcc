/** Many messages in one call. Each is accepted or refused on its own, all at the same time. */
import type { Logger } from 'pino'
import { type TProperties, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TraceId } from '../domain/ids.ts'
import { CHANNELS, type Channel } from '../domain/message.ts'
import type { Submission } from '../flows/accept.ts'
import { type AdmitDeps, admit } from '../flows/admit.ts'
import { allows, type Guard, lacking, type Scope } from './auth.ts'
import { type Api, type Caller, callerOf, toLogFields, traceOf } from './context.ts'
import { EMAIL, EmailFields } from './email-submission.ts'
import type { HeavyDeps } from './heavy-bodies.ts'
import { IdempotencyKey } from './idempotency-key.ts'
import { toProblem, toRefusal } from './problem.ts'
import { answers, RequestId, shared } from './schemas.ts'
import { SMS, SmsFields } from './sms-submission.ts'
import { type SubmissionDeps, toSubmission } from './submission.ts'
import { compileValidator, refuseFields } from './validation.ts'

export type BatchDeps = AdmitDeps & SubmissionDeps & HeavyDeps & Readonly<{ guard: Guard; logger: Logger }>

const MAX_ITEMS = 1000
const BODY_LIMIT = 8 * 1024 * 1024

export function batchRoutes(app: Api, deps: BatchDeps): void {
  const onRequest = [deps.guard('sms:send', 'email:send'), deps.boundBody(BODY_LIMIT)]
  const options = { schema: BATCH, onRequest, bodyLimit: BODY_LIMIT, validatorCompiler: compileOuter }

  app.post('/v1/messages/batch', options, async (request, reply) => {
    const [caller, traceId] = [callerOf(request), traceOf(request)]

    async function acceptItem(item: unknown, index: number): Promise<string> {
      try {
        const { id } = await admit(deps, await toItem(deps, { caller, body: item, traceId }))
        return `{"index":${index},"request_id":"${id}","status":"accepted"}`
      } catch (error) {
        const refusal = toRefusal(error)
        if (refusal.code === 'INTERNAL_ERROR') deps.logger.error({ ...toLogFields(request), err: error }, 'item failed')
        return JSON.stringify({ index, error: toProblem(refusal) })
      }
    }

    const results = await Promise.all(request.body.items.map(acceptItem))
    reply.header('content-type', 'application/json; charset=utf-8')
    return `{"results":[${results.join(',')}]}`
  })
}

const inBatch = <Fields extends TProperties>(fields: Fields) =>
  Type.Object({ ...fields, idempotency_key: IdempotencyKey }, { additionalProperties: false })

const SmsItem = inBatch({ channel: Type.Optional(Type.Enum(['sms'])), ...SmsFields })
const EmailItem = inBatch({ channel: Type.Enum(['email']), ...EmailFields })
const [SMS_ITEM, EMAIL_ITEM] = [Compile(SmsItem), Compile(EmailItem)]

type Item = Readonly<{ caller: Caller; body: unknown; traceId: TraceId }>

/** An item is of the channel it says, and an SMS where it says none. */
function toItem(deps: BatchDeps, item: Item): Submission | Promise<Submission> {
  const channel = channelOf(item.body)
  switch (channel) {
    case 'sms':
      demand(item.caller, 'sms:send')
      return toSubmission(deps, SMS, { ...item, schema: SMS_ITEM })
    case 'email':
      demand(item.caller, 'email:send')
      return toSubmission(deps, EMAIL, { ...item, schema: EMAIL_ITEM })
    case undefined:
      throw refuseFields([{ path: '/channel', message: `must be one of ${CHANNELS.join(', ')}` }])
  }
}

function channelOf(body: unknown): Channel | undefined {
  if (typeof body !== 'object' || body === null || !('channel' in body)) return 'sms'
  return CHANNELS.find((channel) => channel === body.channel)
}

/** The call is for who may send by either channel; each item, for who may send by its own. */
function demand(caller: Caller, scope: Scope): void {
  if (!allows(caller, scope)) throw lacking([scope])
}

const SIZE = { minItems: 1, maxItems: MAX_ITEMS, description: `1 to ${MAX_ITEMS} messages.` }
const Outer = Type.Object({ items: Type.Array(Type.Unknown(), SIZE) }, { additionalProperties: false })

/** A bad item must not spoil the others, so only what is around them is checked for all. */
const compileOuter: typeof compileValidator = (route) => compileValidator({ ...route, schema: Outer })

const BATCH = {
  operationId: 'sendBatch',
  tags: ['messages'],
  summary: 'Send up to 1,000 messages',
  description:
    'Each item is accepted or refused on its own; the results are in the order of the items. An item is an SMS unless its `channel` is `email`.',
  body: Type.Object(
    { items: Type.Array(Type.Unsafe<unknown>(Type.Union([SmsItem, EmailItem])), SIZE) },
    { additionalProperties: false },
  ),
  response: answers(
    {
      200: {
        description: 'What became of each item.',
        example: { results: [{ index: 0, request_id: '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11', status: 'accepted' }] },
        schema: Type.Object({
          results: Type.Array(
            Type.Object({
              index: Type.Integer(),
              request_id: Type.Optional(RequestId),
              status: Type.Optional(Type.Literal('accepted')),
              error: Type.Optional(Type.Unsafe(shared('Refused'))),
            }),
          ),
        }),
      },
    },
    'VALIDATION_ERROR',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
  ),
}
