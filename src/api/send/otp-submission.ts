/** What a caller says to have a one-time code sent, or checked, and everything that may be wrong with it. */
import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Check } from 'typebox/value'
import { CHANNELS } from '../../domain/message/message.ts'
import {
  MAX_APP_NAME,
  OTP_ATTEMPTS,
  OTP_TTL,
  type OtpGuess,
  type OtpTerms,
  parseOtpGuess,
  parseOtpRequest,
} from '../../domain/requests/otp-request.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import type { Refusal } from '../../flows/errors.ts'
import { IdempotencyKey, parseIdempotencyKey } from '../http/idempotency-key.ts'
import { refuseFields, toProblems } from '../http/validation.ts'

const GenerateFields = {
  to: Type.String({
    description: 'A phone number in E.164; by `email`, an email address.',
    examples: ['+5511987654321', 'ann@example.com'],
  }),
  channel: Type.Optional(Type.Enum(CHANNELS, { description: 'How the code is sent: by `sms` unless said otherwise.' })),
  ttl_seconds: Type.Optional(Type.Integer({ ...OTP_TTL, description: 'How long the code is good for.' })),
  max_attempts: Type.Optional(Type.Integer({ ...OTP_ATTEMPTS, description: 'How many codes may be tried.' })),
  idempotency_key: Type.Optional(IdempotencyKey),
  app_name: Type.Optional(
    Type.String({ description: `Whose code it is, in 1 to ${MAX_APP_NAME} characters.`, examples: ['Acme'] }),
  ),
  locale: Type.Optional(Type.String({ description: 'A BCP 47 tag: the language of the text.', examples: ['pt-BR'] })),
}

export const OtpGenerate = Type.Object(GenerateFields, {
  additionalProperties: false,
  examples: [
    { to: '+5511987654321', app_name: 'Acme', idempotency_key: 'login-5b1f' },
    { to: 'ann@example.com', channel: 'email', app_name: 'Acme', idempotency_key: 'login-5b20' },
  ],
})

const ValidateFields = {
  challenge_id: Type.String({ description: 'A UUID, as generate answered it.' }),
  code: Type.String({ description: 'Six digits.', examples: ['012345'] }),
}

export const OtpValidate = Type.Object(ValidateFields, { additionalProperties: false })

const generate = Compile(OtpGenerate)
const validate = Compile(OtpValidate)

/** `header` is the idempotency key by header, where there is one. */
export function toTerms(body: unknown, header: string | undefined): OtpTerms & Readonly<{ idempotencyKey: string }> {
  const sound: Partial<Static<typeof OtpGenerate>> = soundOf(GenerateFields, body)
  const parsed = parseOtpRequest({ to: '', ...sound })
  const idempotencyKey = parseIdempotencyKey(header, sound.idempotency_key)
  if (generate.Check(body) && parsed.kind === 'ok' && typeof idempotencyKey === 'string') {
    return { ...parsed.terms, idempotencyKey }
  }
  const byMeaning = parsed.kind === 'ok' ? [] : parsed.problems
  throw refuseAll(toProblems(generate, body), [
    ...byMeaning,
    ...(typeof idempotencyKey === 'string' ? [] : [idempotencyKey]),
  ])
}

export function toGuess(body: unknown): OtpGuess {
  const sound: Partial<Static<typeof OtpValidate>> = soundOf(ValidateFields, body)
  const guess = parseOtpGuess({ challenge_id: '', code: '', ...sound })
  if (validate.Check(body) && 'id' in guess) return guess
  throw refuseAll(toProblems(validate, body), 'id' in guess ? [] : guess)
}

/** The fields that have the type they should have. */
const soundOf = (fields: Readonly<Record<string, TSchema>>, body: unknown): object =>
  Object.fromEntries(
    Object.entries(Object(body)).filter(([name, value]) =>
      Object.entries(fields).some(([known, schema]) => known === name && Check(schema, value)),
    ),
  )

/** Each bad field once: by its type if that is wrong already, and otherwise by what it says. */
function refuseAll(byType: readonly FieldProblem[], byMeaning: readonly FieldProblem[]): Refusal {
  // Of what is no object at all there is no more to say.
  const isHopeless = byType.some(({ path }) => path === '')
  const named = new Set(byType.map(({ path }) => path))
  return refuseFields([...byType, ...(isHopeless ? [] : byMeaning.filter(({ path }) => !named.has(path)))])
}
