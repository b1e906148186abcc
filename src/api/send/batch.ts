/** Many messages in one call. Each is accepted or refused on its own, all at the same time as far as there is room. */
import type { Logger } from 'pino'
import { type TProperties, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TraceId } from '../../domain/ids.ts'
import { CHANNELS, type Channel } from '../../domain/message/message.ts'
import type { Scope } from '../../domain/requests/scope.ts'
import { type AdmitDeps, type Admitted, admit } from '../../flows/send/admit.ts'
import { allows, type Guard, lacking } from '../http/auth.ts'
import { type Api, type Caller, callerOf, toLogFields, traceOf } from '../http/context.ts'
import { IdempotencyKey } from '../http/idempotency-key.ts'
import type { BodiesDeps } from '../http/large-bodies.ts'
import type { TextsDeps } from '../http/large-texts.ts'
import { toProblem, toRefusal } from '../http/problem.ts'
import { answers, RequestId, RequestIdAlias, shared } from '../http/schemas.ts'
import { compileValidator, refuseFields } from '../http/validation.ts'
import { EMAIL, EmailFields } from './email-submission.ts'
import { SMS, SmsFields } from './sms-submission.ts'
import { type SubmissionDeps, toSubmission } from './submission.ts'

export type BatchDeps = AdmitDeps & SubmissionDeps & BodiesDeps & TextsDeps & Readonly<{ guard: Guard; logger: Logger }>

const MAX_ITEMS = 1000
const BODY_LIMIT = 8 * 1024 * 1024
/** So many of the largest mails that templates make find room beside the largest call. */
const AT_ONCE = 8
/** In characters: a thousand of these are as much. */
const SMALL = 8 * 1024

export function batchRoutes(app: Api, deps: BatchDeps): void {
  const onRequest = [deps.guard('sms:send', 'email:send'), deps.boundBody(BODY_LIMIT)]
  const options = { schema: BATCH, onRequest, bodyLimit: BODY_LIMIT, validatorCompiler: compileOuter }

  app.post('/v1/messages/batch', options, async (request, reply) => {
    const [caller, traceId] = [callerOf(request), traceOf(request)]

    const acceptItem: AcceptItem = async (item, index, onSmall) => {
      try {
        const { id } = await admitItem(deps, { caller, body: item, traceId, onSmall })
        return `{"index":${index},"id":"${id}","request_id":"${id}","status":"accepted"}`
      } catch (error) {
        const refusal = toRefusal(error)
        if (refusal.code === 'INTERNAL_ERROR') deps.logger.error({ ...toLogFields(request), err: error }, 'item failed')
        return JSON.stringify({ index, error: toProblem(refusal) })
      }
    }

    const results = await acceptAll(request.body.items, acceptItem)
    reply.header('content-type', 'application/json; charset=utf-8')
    return `{"results":[${results.join(',')}]}`
  })
}

type AcceptItem = (item: unknown, index: number, onSmall?: () => void) => Promise<string>

/** What a call brings it bounds; what templates make of it goes a few at a time, unless it turns out to be small. */
async function acceptAll(items: readonly unknown[], acceptItem: AcceptItem): Promise<readonly string[]> {
  const results: Promise<string>[] = []
  const places = [...items.keys()]
  const mails = places.filter((index) => isOfTemplate(items[index])).values()
  const acceptMails = async (): Promise<void> => {
    for (const index of mails) {
      const { promise: small, resolve: onSmall } = Promise.withResolvers<void>()
      const result = acceptItem(items[index], index, onSmall)
      results[index] = result
      await Promise.race([result, small])
    }
  }
  for (const index of places) if (!isOfTemplate(items[index])) results[index] = acceptItem(items[index], index)
  await Promise.all(Array.from({ length: AT_ONCE }, acceptMails))
  return Promise.all(results)
}

/** The text of an SMS is never much. */
const isOfTemplate = (item: unknown): boolean =>
  channelOf(item) === 'email' && Object.hasOwn(item as object, 'template')

const inBatch = <Fields extends TProperties>(fields: Fields) =>
  Type.Object({ ...fields, idempotency_key: IdempotencyKey }, { additionalProperties: false })

const SmsItem = inBatch({ channel: Type.Optional(Type.Enum(['sms'])), ...SmsFields })
const EmailItem = inBatch({ channel: Type.Enum(['email']), ...EmailFields })
const [SMS_ITEM, EMAIL_ITEM] = [Compile(SmsItem), Compile(EmailItem)]

type Item = Readonly<{ caller: Caller; body: unknown; traceId: TraceId; onSmall: (() => void) | undefined }>

/** An item is of the channel it says, and an SMS where it says none. */
async function admitItem(deps: BatchDeps, { onSmall, ...item }: Item): Promise<Admitted> {
  const channel = channelOf(item.body)
  const onFilled = (characters: number): void => (characters <= SMALL ? onSmall?.() : undefined)
  switch (channel) {
    case 'sms':
      demand(item.caller, 'sms:send')
      return admit(deps, await toSubmission(deps, SMS, { ...item, schema: SMS_ITEM }))
    case 'email':
      demand(item.caller, 'email:send')
      return deps.withTexts({ ...item.caller, light: 0, onFilled }, async (renderer) =>
        admit(deps, await toSubmission({ ...deps, renderer }, EMAIL, { ...item, schema: EMAIL_ITEM })),
      )
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

const ID = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11'

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
        example: { results: [{ index: 0, id: ID, request_id: ID, status: 'accepted' }] },
        schema: Type.Object({
          results: Type.Array(
            Type.Object({
              index: Type.Integer(),
              id: Type.Optional(RequestId),
              request_id: Type.Optional(RequestIdAlias),
              status: Type.Optional(Type.Literal('accepted')),
              error: Type.Optional(Type.Unsafe(shared('Refused'))),
            }),
          ),
        }),
      },
    },
    'VALIDATION_ERROR',
    'REQUEST_TIMEOUT',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
  ),
}
