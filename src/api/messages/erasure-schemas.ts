/** What callers say and hear of erasures by recipient. */
import { Type } from 'typebox'
import type { ErasureReceipt, ReceiptSignature, SignedReceipt } from '../../domain/message/erasure-receipt.ts'
import { IdempotencyHeaders } from '../http/idempotency-key.ts'
import { answers, nullable, RequestId, Time } from '../http/schemas.ts'
import { PageFields } from './message-search.ts'

const tags = ['erasures']
const To = Type.String({ description: 'A phone number in E.164, or an email address.', examples: ['+5511987654321'] })
const Count = (description: string) => Type.Integer({ minimum: 0, description, examples: [3] })

const Failure = Type.Object({
  message_id: RequestId,
  reason: Type.String({ examples: ['A store did not answer.'] }),
})

const Receipt = Type.Object({
  version: Type.Literal(1),
  erasure_id: Type.String(),
  tenant_id: Type.String(),
  account_id: Type.String(),
  recipient_hash: Type.String({
    description: 'The keyed hash of the address. `POST /v1/erasures/verify` compares it.',
  }),
  requested_at: Time,
  completed_at: Time,
  messages: Type.Object({ found: Count('Erased and failed.'), erased: Count('Erased.'), failed: Count('Not erased.') }),
  failures: Type.Array(Failure, { description: 'The first 1,000 of those that failed.' }),
  cleaned: Type.Array(Type.Object({ store: Type.String(), action: Type.String() })),
  remains: Type.Array(Type.Object({ where: Type.String(), what: Type.String(), until: Type.String() })),
})

const Signature = Type.Object({
  algorithm: Type.Literal('Ed25519'),
  public_key: Type.String({ description: '32 bytes in base64url.' }),
  value: Type.String({ description: 'Over the canonical JSON (RFC 8785) of `receipt`; 64 bytes in base64url.' }),
})

/** What was signed must come back with every field it has: a field that we do not know makes it another receipt. */
const SignedFields = {
  receipt: Type.Unsafe<ErasureReceipt>(Receipt),
  signature: Type.Unsafe<ReceiptSignature>(Signature),
}

export const ErasureView = Type.Object({
  id: Type.String({ format: 'uuid' }),
  status: Type.Enum(['running', 'completed']),
  erased: Count('Messages erased so far.'),
  failed: Count('Messages that could not be erased. While it runs, these are tried again.'),
  failures: Type.Array(Failure),
  requested_at: Time,
  updated_at: Time,
  completed_at: nullable(Time),
  receipt: Type.Union([Type.Unsafe<SignedReceipt>(Type.Object(SignedFields)), Type.Null()], {
    description: 'Once it is completed.',
  }),
})

export const CREATE_ERASURE = {
  operationId: 'createErasure',
  tags,
  summary: 'Erase everything that was sent to one recipient',
  description:
    'Starts a job that erases every message to the recipient that was accepted before this call, and every mail of ' +
    'which they got a copy. While one runs for the same recipient, that one is answered; it covers what was accepted ' +
    'before it was requested (`requested_at`), so to cover later messages ask again once it is completed. With an ' +
    '`Idempotency-Key` the same key names the same erasure, also when it is complete.',
  headers: IdempotencyHeaders,
  body: Type.Object({ to: To }, { additionalProperties: false }),
  response: answers(
    { 202: { description: 'It has begun; `Location` says where to follow it.', schema: ErasureView } },
    'VALIDATION_ERROR',
    'IDEMPOTENCY_MISMATCH',
  ),
}

export const LIST_ERASURES = {
  operationId: 'listErasures',
  tags,
  summary: 'Erasures by recipient',
  description: 'Newest first.',
  querystring: Type.Object(PageFields, { additionalProperties: false }),
  response: answers(
    {
      200: {
        description: 'A page of erasures.',
        schema: Type.Object({
          items: Type.Array(ErasureView),
          next_cursor: nullable(Type.String({ description: 'Null on the last page.' })),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}

export const GET_ERASURE = {
  operationId: 'getErasure',
  tags,
  summary: 'How far an erasure has come, and its receipt',
  description: 'The receipt says what was erased, what failed, which stores were cleaned, and what remains until when.',
  params: Type.Object({ id: Type.String({ description: 'The `id` of the erasure.' }) }),
  response: answers({ 200: { description: 'The erasure.', schema: ErasureView } }, 'NOT_FOUND'),
}

export const GET_PUBLIC_KEY = {
  operationId: 'getErasurePublicKey',
  tags,
  summary: 'The key that receipts are verified with',
  description:
    'Ed25519, derived from the master key: it changes only with that. Publish it, so that others can verify.',
  response: answers({
    200: {
      description: 'The public key.',
      schema: Type.Object({
        algorithm: Type.Literal('Ed25519'),
        public_key: Type.String({ description: '32 bytes in base64url.' }),
        jwk: Type.Object(
          { kty: Type.Literal('OKP'), crv: Type.Literal('Ed25519'), x: Type.String() },
          { description: 'The same as a JSON Web Key (RFC 8037).' },
        ),
      }),
    },
  }),
}

export const VERIFY_RECEIPT = {
  operationId: 'verifyErasureReceipt',
  tags,
  summary: 'Whether this gateway signed a receipt',
  description: 'With `to`, also whether the receipt is about that address.',
  body: Type.Object({ ...SignedFields, to: Type.Optional(To) }, { additionalProperties: false }),
  response: answers(
    {
      200: {
        description: 'What was found.',
        schema: Type.Object({
          valid: Type.Boolean({ description: 'Signed by this gateway, and not changed since.' }),
          recipient_matches: nullable(Type.Boolean({ description: 'Null where no address was given.' })),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}
