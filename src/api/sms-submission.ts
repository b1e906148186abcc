/** What a caller says to send one SMS, alone or in a batch, and how it becomes something to accept. */
import { type Static, Type } from 'typebox'
import { type FieldProblem, parseSmsRequest } from '../domain/sms-request.ts'
import type { TraceId } from '../domain/ids.ts'
import type { Submission } from '../flows/accept.ts'
import type { Clock } from '../ports/world.ts'
import type { Caller } from './context.ts'
import { IdempotencyKey } from './idempotency-key.ts'
import { refuseFields } from './validation.ts'

const Tag = Type.String({ minLength: 1, maxLength: 64 })
const Metadata = Type.Record(Type.String({ pattern: '^[\\s\\S]{1,64}$' }), Type.String({ maxLength: 512 }), {
  description: 'Up to 50 values of your own, shown and searchable. Names have at most 64 characters.',
  maxProperties: 50,
  additionalProperties: false,
})

export const SmsFields = {
  to: Type.String({ description: 'A phone number in E.164.', examples: ['+5511987654321'] }),
  message: Type.String({ description: '1 to 1600 characters.', examples: ['Your parcel is on its way.'] }),
  idempotency_key: Type.Optional(IdempotencyKey),
  sender_id: Type.Optional(Type.String({ description: '1 to 20 characters.', examples: ['Acme'] })),
  type: Type.Optional(Type.Enum(['sms', 'flash_sms'], { description: '`sms` unless said otherwise.' })),
  lane: Type.Optional(Type.Enum(['transactional', 'bulk'], { description: '`transactional` goes before `bulk`.' })),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Type.Array(Tag, { maxItems: 20 })),
  expires_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'The message is not sent after this time.' }),
  ),
  callback_url: Type.Optional(Type.String({ description: 'An http or https URL.', maxLength: 2048 })),
}

export const SmsSend = Type.Object(SmsFields, {
  additionalProperties: false,
  examples: [
    { to: '+5511987654321', message: 'Your parcel is on its way.', idempotency_key: 'order-1138-shipped' },
  ],
})
export type SmsSend = Static<typeof SmsSend>

export type SubmissionDeps = Readonly<{ clock: Clock; maxParts: number }>

export function toSubmission(
  { clock, maxParts }: SubmissionDeps,
  { tenantId, accountId }: Caller,
  request: SmsSend,
  idempotencyKey: string,
  traceId: TraceId,
): Submission {
  const { lane = 'transactional', callback_url: callbackUrl } = request
  const sms = parseSmsRequest(request, maxParts, clock())
  const badUrl = callbackUrl !== undefined && !isWebUrl(callbackUrl)
  if (sms.kind === 'bad' || badUrl) {
    const problems = sms.kind === 'bad' ? sms.problems.map(toPointer) : []
    throw refuseFields(badUrl ? [...problems, BAD_URL] : problems)
  }
  const { content, segmentation } = sms
  return { tenantId, accountId, lane, content, segmentation, idempotencyKey, traceId }
}

const toPointer = ({ path, message }: FieldProblem): FieldProblem => ({ path: `/${path}`, message })

const BAD_URL: FieldProblem = { path: '/callback_url', message: 'must be an http or https URL' }

/** What URL parsing would repair in silence, such as spaces and control characters, is refused. */
const isWebUrl = (text: string): boolean => /^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(text) && URL.canParse(text)
