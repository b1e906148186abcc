/** Sending up to 1,000 messages in one call. Each is accepted or refused on its own; items are processed in parallel. */
import type { Logger } from 'pino'
import { type TProperties, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Caller } from '../../domain/access/caller.ts'
import type { Scope } from '../../domain/access/scope.ts'
import { type BatchId, parseBatchId, type TenantId } from '../../domain/ids.ts'
import { CHANNELS, type Channel, type Origin } from '../../domain/message/message.ts'
import { type AdmitDeps, type Admitted, admit } from '../../flows/send/admit.ts'
import { LoopShare } from '../../lib/loop-share.ts'
import { allows, type Guard, missingScope } from '../http/auth.ts'
import { type Api, callerOf, originOf, toLogFields } from '../http/context.ts'
import { IdempotencyKey } from '../http/idempotency-key.ts'
import type { RenderingDeps } from '../http/large-templates.ts'
import { toProblem, toRefusal } from '../http/problem.ts'
import { BatchItemError, MESSAGE_ID, MessageIdText, namedObject, RequestIdAlias, responses } from '../http/schemas.ts'
import { compileValidator, refuseFields } from '../http/validation.ts'
import { BatchIdText } from '../messages/message-schemas.ts'
import { EMAIL } from './email.ts'
import { EmailFields } from './email-fields.ts'
import { SMS, SmsFields } from './sms.ts'
import { type SubmissionDeps, toSubmission } from './submission.ts'

export type BatchDeps = AdmitDeps & SubmissionDeps & RenderingDeps & Readonly<{ guard: Guard; logger: Logger }>

const MAX_ITEMS = 1000
const BODY_LIMIT = 8 * 1024 * 1024
/** That many of the largest rendered emails fit into the memory budget beside the largest call. */
const RENDERED_AT_ONCE = 8
/** In characters: a thousand of these take as much memory. */
const SMALL_CHARACTERS = 8 * 1024
/** All batches of the process share the event loop with everything else, in turns of tenants. */
const LOOP = new LoopShare<TenantId>()

export function batchRoutes(app: Api, deps: BatchDeps): void {
  const onRequest = deps.guard('sms:send', 'email:send')
  const config = { answer: 'batch' } as const
  const options = { schema: BATCH, onRequest, bodyLimit: BODY_LIMIT, validatorCompiler: compileOuter, config }

  app.post('/v1/messages/batch', options, async (request, reply) => {
    const caller = callerOf(request)
    const batchId = readBatchId(deps, caller, request.body)
    const origin = { ...originOf(request), batchId }

    const acceptItem: AcceptItem = async (item, index, onSmall) => {
      try {
        const { id } = await admitItem(deps, { caller, body: item, origin }, onSmall)
        return `{"index":${index},"id":"${id}","request_id":"${id}","status":"accepted"}`
      } catch (error) {
        const refusal = toRefusal(error)
        if (refusal.code === 'INTERNAL_ERROR')
          deps.logger.error({ ...toLogFields(request), err: error }, 'batch item failed')
        return JSON.stringify({ index, error: toProblem(refusal) })
      }
    }

    const results = await acceptAll(caller.tenantId, request.body.items, acceptItem)
    reply.header('content-type', 'application/json; charset=utf-8')
    // As bytes: for a string this long, Node reserves three times its length before it is written.
    return Buffer.from(`{"batch_id":"${batchId}","results":[${results.join(',')}]}`)
  })
}

type BatchBody = Readonly<{ batch_id?: string; items: readonly unknown[] }>

/** That of the keys unless the caller names one: a repeated call gets the same answer. */
function readBatchId({ ids }: BatchDeps, { tenantId, accountId }: Caller, { batch_id: id, items }: BatchBody): BatchId {
  const named = id === undefined ? undefined : parseBatchId(id)
  const keyOf = (item: unknown): unknown => (isObject(item) ? item['idempotency_key'] : undefined)
  return named ?? ids.keyedBatchId({ tenantId, accountId, keys: items.map(keyOf) })
}

const isObject = (item: unknown): item is Readonly<Record<string, unknown>> => typeof item === 'object' && item !== null

type AcceptItem = (item: unknown, index: number, onSmall?: () => void) => Promise<string>

/**
 * Accepts the items in pieces, so that a batch never blocks the event loop for long. The body limit bounds inline texts.
 * Templates are rendered a few at a time: the next one starts once one has been rendered and is small, or is stored.
 */
async function acceptAll(
  tenantId: TenantId,
  items: readonly unknown[],
  acceptItem: AcceptItem,
): Promise<readonly string[]> {
  const results: Promise<string>[] = []
  const rendered: number[] = []
  await LOOP.turn(tenantId)
  for (const [index, item] of items.entries()) {
    if (isRendered(item)) rendered.push(index)
    else {
      if (LOOP.isUsedUp) await LOOP.turn(tenantId)
      results[index] = acceptItem(item, index)
    }
  }
  const queue = rendered.values()
  const acceptRendered = async (): Promise<void> => {
    for (const index of queue) {
      if (LOOP.isUsedUp) await LOOP.turn(tenantId)
      const { promise: small, resolve: onSmall } = Promise.withResolvers<void>()
      const result = acceptItem(items[index], index, onSmall)
      results[index] = result
      await Promise.race([result, small])
    }
  }
  await Promise.all(Array.from({ length: RENDERED_AT_ONCE }, acceptRendered))
  return Promise.all(results)
}

const isRendered = (item: unknown): boolean => isObject(item) && Object.hasOwn(item, 'template')

const inBatch = <Fields extends TProperties>(name: string, fields: Fields) =>
  namedObject(name, { ...fields, idempotency_key: IdempotencyKey }, { additionalProperties: false })

const SmsItem = inBatch('BatchSms', { channel: Type.Optional(Type.Enum(['sms'])), ...SmsFields })
const EmailItem = inBatch('BatchEmail', { channel: Type.Enum(['email']), ...EmailFields })
const [SMS_ITEM, EMAIL_ITEM] = [Compile(SmsItem), Compile(EmailItem)]

type Item = Readonly<{ caller: Caller; body: unknown; origin: Origin }>

/** An item without a channel is an SMS. */
function admitItem(deps: BatchDeps, item: Item, onSmall: (() => void) | undefined): Promise<Admitted> {
  switch (channelOf(item.body)) {
    case 'sms':
      return onSmall === undefined
        ? admitSms(deps, item)
        : admitRendered(deps, item, onSmall, (own) => admitSms(own, item))
    case 'email':
      return admitRendered(deps, item, onSmall, (own) => admitEmail(own, item))
    case undefined:
      throw refuseFields([{ path: '/channel', message: `must be one of ${CHANNELS.join(', ')}` }])
  }
}

function admitSms(deps: BatchDeps, { caller, body, origin }: Item): Promise<Admitted> {
  requireScope(caller, 'sms:send')
  const submission = toSubmission(deps, SMS, { caller, schema: SMS_ITEM, body, origin })
  return submission instanceof Promise ? submission.then((one) => admit(deps, one)) : admit(deps, submission)
}

async function admitEmail(deps: BatchDeps, item: Item): Promise<Admitted> {
  requireScope(item.caller, 'email:send')
  return admit(deps, await toSubmission(deps, EMAIL, { ...item, schema: EMAIL_ITEM }))
}

/** Counts what the item's template renders, and says when it has turned out to be small. */
function admitRendered(
  deps: BatchDeps,
  { caller }: Item,
  onSmall: (() => void) | undefined,
  act: (deps: BatchDeps) => Promise<Admitted>,
): Promise<Admitted> {
  const onRendered = (characters: number): void => (characters <= SMALL_CHARACTERS ? onSmall?.() : undefined)
  return deps.withRenderer({ ...caller, smallUpTo: 0, onRendered }, (renderer) => act({ ...deps, renderer }))
}

/** An item without a channel is an SMS; undefined for one of an unknown channel. */
export function channelOf(body: unknown): Channel | undefined {
  if (typeof body !== 'object' || body === null || !('channel' in body)) return 'sms'
  return CHANNELS.find((channel) => channel === body.channel)
}

/** The call needs the scope of either channel; each item needs the scope of its own. */
function requireScope(caller: Caller, scope: Scope): void {
  if (!allows(caller, scope)) throw missingScope([scope])
}

const SIZE = { minItems: 1, maxItems: MAX_ITEMS, description: `1 to ${MAX_ITEMS} messages.` }
const BATCH_ID = Type.Optional(
  Type.String({
    ...BatchIdText,
    description:
      'Messages are listed by it. Several calls may share one, for example the parts of a large upload. By default a UUID that depends on the idempotency keys of the items.',
  }),
)
const Outer = Type.Object(
  { batch_id: BATCH_ID, items: Type.Array(Type.Unknown(), SIZE) },
  { additionalProperties: false },
)

/** Items are validated one by one: an invalid one must not fail the others. */
const compileOuter: typeof compileValidator = (route) => compileValidator({ ...route, schema: Outer })

const BATCH_EXAMPLE = 'orders-2030-01-31'
const ITEMS = [
  { to: '+5511987654321', message: 'Your parcel is on its way.', idempotency_key: 'order-1138-sms' },
  {
    channel: 'email',
    to: 'ana@example.com',
    subject: 'Your parcel',
    html: '<p>Your parcel is on its way.</p>',
    idempotency_key: 'order-1138-email',
  },
]

const BATCH = {
  operationId: 'sendBatch',
  tags: ['messages'],
  summary: 'Send up to 1,000 messages',
  description:
    'Each item is accepted or refused on its own; the results have the order of the items. An item is an SMS unless its `channel` is `email`. An item that repeats an earlier one stays in the batch of its first call.',
  body: namedObject(
    'SendBatchRequest',
    {
      batch_id: BATCH_ID,
      items: Type.Array(Type.Unsafe<unknown>(Type.Union([SmsItem, EmailItem], { title: 'BatchItem' })), SIZE),
    },
    { additionalProperties: false, examples: [{ batch_id: BATCH_EXAMPLE, items: ITEMS }] },
  ),
  response: responses(
    {
      200: {
        description: 'The result of each item.',
        example: {
          batch_id: BATCH_EXAMPLE,
          results: [{ index: 0, id: MESSAGE_ID, request_id: MESSAGE_ID, status: 'accepted' }],
        },
        schema: namedObject('SendBatchResult', {
          batch_id: Type.String(),
          results: Type.Array(
            namedObject('BatchItemResult', {
              index: Type.Integer(),
              id: Type.Optional(MessageIdText),
              request_id: Type.Optional(RequestIdAlias),
              status: Type.Optional(Type.Literal('accepted')),
              error: Type.Optional(BatchItemError),
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
