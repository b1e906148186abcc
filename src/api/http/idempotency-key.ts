/** The idempotency key of a call: by header, bare or as a quoted string (RFC 9651), or by a field of the body. */
import { Type } from 'typebox'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'

const MAX_CHARACTERS = 255
const PRINTABLE = '^[\\x20-\\x7e]+$'

export const IdempotencyKey = Type.String({
  description: 'Makes the call safe to repeat for 48 hours: the same key and payload get the first answer again.',
  minLength: 1,
  maxLength: MAX_CHARACTERS,
  pattern: PRINTABLE,
  examples: ['order-1138-shipped'],
})

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({ description: 'In place of the field `idempotency_key`. Bare, or quoted as in RFC 9651.' }),
  ),
})

const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
const BARE = /^[\x20-\x21\x23-\x7e][\x20-\x7e]*$/

/** The key, or what is wrong with it. The field was checked against its schema, or is undefined. */
export function parseIdempotencyKey(header: string | undefined, field: string | undefined): string | FieldProblem {
  const named = header === undefined ? undefined : readHeader(header)
  if (named === '') return bad(`must be 1 to ${MAX_CHARACTERS} printable ASCII characters in the header too`)
  if (named !== undefined && field !== undefined && named !== field) {
    return bad('is not the same as the header Idempotency-Key')
  }
  return named ?? field ?? bad('is required, here or as the header Idempotency-Key')
}

/** Empty when there is no key in it. */
function readHeader(header: string): string {
  const key = QUOTED.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1') ?? BARE.exec(header)?.[0] ?? ''
  return key.length > MAX_CHARACTERS ? '' : key
}

const bad = (message: string): FieldProblem => ({ path: '/idempotency_key', message })
