/** The schemas of erasures by recipient. */
import { Type } from 'typebox'
import type { ErasureReceipt, ReceiptSignature, SignedReceipt } from '../../domain/message/erasure-receipt.ts'
import { audited } from '../access/audit.ts'
import { IdempotencyHeaders } from '../http/idempotency-key.ts'
import {
  MESSAGE_ID,
  MessageIdText,
  namedObject,
  nullable,
  PageQuery,
  pageOf,
  responses,
  Time,
} from '../http/schemas.ts'

const tags = ['erasures']
const To = Type.String({
  description: 'A phone number in E.164 format, or an email address.',
  examples: ['+5511987654321'],
})
const Count = (description: string) => Type.Integer({ minimum: 0, description, examples: [3] })

const Failure = namedObject('ErasureFailure', {
  message_id: MessageIdText,
  reason: Type.String({ examples: ['A store did not answer.'] }),
})

const Receipt = namedObject('ErasureReceipt', {
  version: Type.Literal(1),
  erasure_id: Type.String(),
  tenant_id: Type.String(),
  account_id: Type.String(),
  recipient_hash: Type.String({
    description: 'The keyed hash of the recipient. `POST /v1/erasures/verify` compares it with an address.',
  }),
  requested_at: Time,
  completed_at: Time,
  messages: namedObject('ErasureCounts', {
    found: Count('Erased and failed together.'),
    erased: Count('Erased.'),
    failed: Count('Not erased.'),
  }),
  failures: Type.Array(Failure, { description: 'The first 1,000 failures.' }),
  cleaned: Type.Array(namedObject('CleanedStore', { store: Type.String(), action: Type.String() })),
  remains: Type.Array(
    namedObject('RemainingData', { where: Type.String(), what: Type.String(), until: Type.String() }),
  ),
})

const Signature = namedObject('ReceiptSignature', {
  algorithm: Type.Literal('Ed25519'),
  public_key: Type.String({ description: '32 bytes in base64url.' }),
  value: Type.String({ description: 'Over the canonical JSON (RFC 8785) of `receipt`; 64 bytes in base64url.' }),
})

/** Unknown fields are allowed: the signature covers every field of the receipt. */
const SignedFields = {
  receipt: Type.Unsafe<ErasureReceipt>(Receipt),
  signature: Type.Unsafe<ReceiptSignature>(Signature),
}

const SIGNED: SignedReceipt = {
  receipt: {
    version: 1,
    erasure_id: MESSAGE_ID,
    tenant_id: 'acme',
    account_id: 'default',
    recipient_hash: 'p2Vv1kq7Y0m3Wb8d5cXzL6sT9uR4eN1hJfGaQiKoE2A',
    requested_at: '2030-01-31T12:00:00.000Z',
    completed_at: '2030-01-31T12:00:05.000Z',
    messages: { found: 3, erased: 3, failed: 0 },
    failures: [],
    cleaned: [{ store: 'log', action: 'The keys of the messages are destroyed.' }],
    remains: [],
  },
  signature: {
    algorithm: 'Ed25519',
    public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    value: 'E5T1kC0o2a3WqY8bXn7pVd4uLs9fRj6mZgHiQeKtPwAcBvNxDyFrGuJhOlMkSiTzUqWvYb1nX2mC3vL4kJ5hAg',
  },
}

const Signed = namedObject('SignedErasureReceipt', SignedFields)

export const ErasureView = namedObject('Erasure', {
  id: Type.String({ format: 'uuid' }),
  status: Type.Enum(['running', 'completed'], { title: 'ErasureStatus' }),
  erased: Count('Messages erased so far.'),
  failed: Count('Messages that could not be erased; they are retried while the erasure runs.'),
  failures: Type.Array(Failure),
  requested_at: Time,
  updated_at: Time,
  completed_at: nullable(Time),
  receipt: Type.Union([Type.Unsafe<SignedReceipt>(Signed), Type.Null()], {
    description: 'Null until the erasure is completed.',
  }),
})

export const CREATE_ERASURE = {
  ...audited('erasure.started'),
  operationId: 'createErasure',
  tags,
  summary: 'Erase everything sent to a recipient',
  description:
    'Starts an erasure of every message to the recipient that was accepted before this call, including emails they ' +
    'got as a copy. If an erasure for the recipient is already running, returns that one: it covers messages accepted ' +
    'before its `requested_at`, so to cover later ones call again after it is completed. The same `Idempotency-Key` ' +
    'always returns the same erasure.',
  headers: IdempotencyHeaders,
  body: namedObject('CreateErasureRequest', { to: To }, { additionalProperties: false }),
  response: responses(
    { 202: { description: 'The erasure is running; `Location` is its URL.', schema: ErasureView } },
    'VALIDATION_ERROR',
    'IDEMPOTENCY_MISMATCH',
  ),
}

export const LIST_ERASURES = {
  operationId: 'listErasures',
  tags,
  summary: 'List erasures',
  description: 'Newest first.',
  querystring: PageQuery,
  response: responses({ 200: { description: 'A page of erasures.', schema: pageOf(ErasureView) } }, 'VALIDATION_ERROR'),
}

export const GET_ERASURE = {
  operationId: 'getErasure',
  tags,
  summary: 'Get an erasure and its receipt',
  description:
    'The receipt lists what was erased, what failed, which stores were cleaned, and what remains until when.',
  params: Type.Object({ id: Type.String({ description: 'The `id` of the erasure.', examples: [MESSAGE_ID] }) }),
  response: responses({ 200: { description: 'The erasure.', schema: ErasureView } }, 'NOT_FOUND'),
}

export const GET_PUBLIC_KEY = {
  operationId: 'getErasurePublicKey',
  tags,
  summary: 'Get the public key that verifies receipts',
  description: 'An Ed25519 key, derived from the master key. Publish it so that others can verify your receipts.',
  response: responses({
    200: {
      description: 'The public key.',
      schema: namedObject('ErasurePublicKey', {
        algorithm: Type.Literal('Ed25519'),
        public_key: Type.String({ description: '32 bytes in base64url.' }),
        jwk: namedObject(
          'JsonWebKey',
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
  summary: 'Verify an erasure receipt',
  description: 'Checks the signature and, with `to`, whether the receipt is for that recipient.',
  body: namedObject(
    'VerifyErasureReceiptRequest',
    { ...SignedFields, to: Type.Optional(To) },
    { additionalProperties: false, examples: [SIGNED] },
  ),
  response: responses(
    {
      200: {
        description: 'The result.',
        schema: namedObject('ErasureReceiptVerification', {
          valid: Type.Boolean({ description: 'The receipt was signed by this gateway and is unchanged.' }),
          recipient_matches: nullable(Type.Boolean({ description: 'Null without `to`.' })),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}
