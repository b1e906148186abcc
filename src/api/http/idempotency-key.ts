/** The idempotency key of a call: the header, bare or as a quoted string (RFC 9651), or a field of the body. */
import { Type } from 'typebox'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'

const MAX_CHARACTERS = 255
const PRINTABLE = '^[\\x20-\\x7e]+$'

export const IdempotencyKey = Type.String({
  description:
    'Makes the call safe to retry for 48 hours: the same key with the same payload returns the first response.',
  minLength: 1,
  maxLength: MAX_CHARACTERS,
  pattern: PRINTABLE,
  examples: ['order-1138-shipped'],
})

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      title: 'IdempotencyKey',
      description: 'An alternative to the field `idempotency_key`. Bare, or quoted as in RFC 9651.',
    }),
  ),
})

const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
const BARE = /^[\x20-\x21\x23-\x7e][\x20-\x7e]*$/

/** The key, or its problem. `field` must have passed its schema. */
export function parseIdempotencyKey(header: string | undefined, field: string | undefined): string | FieldProblem {
  const key = header === undefined ? undefined : readHeader(header)
  if (key === '') return bad(`must be 1 to ${MAX_CHARACTERS} printable ASCII characters in the header Idempotency-Key`)
  if (key !== undefined && field !== undefined && key !== field) return bad('differs from the header Idempotency-Key')
  return key ?? field ?? bad('is required, as a field or as the header Idempotency-Key')
}

/** Empty when the header contains no valid key. */
function readHeader(header: string): string {
  const key = QUOTED.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1') ?? BARE.exec(header)?.[0] ?? ''
  return key.length > MAX_CHARACTERS ? '' : key
}

const bad = (message: string): FieldProblem => ({ path: '/idempotency_key', message })
