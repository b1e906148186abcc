/** The requests to generate and to validate a one-time code. */
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { CODE_ALPHABETS, CODE_LENGTH } from '../../domain/otp/code.ts'
import {
  MAX_APP_NAME,
  OTP_ATTEMPTS,
  OTP_TTL,
  type OtpGuess,
  type OtpTerms,
  parseOtpGuess,
  parseOtpRequest,
} from '../../domain/requests/otp-request.ts'
import { Enums } from '../http/enums.ts'
import { IdempotencyKey, parseIdempotencyKey } from '../http/idempotency-key.ts'
import { MESSAGE_ID, namedObject } from '../http/schemas.ts'
import { bodyProblems, refuseFields } from '../http/validation.ts'

export const GenerateFields = {
  to: Type.String({
    description: 'A phone number in E.164 format; with the channel `email`, an email address.',
    examples: ['+5511987654321', 'ann@example.com'],
  }),
  channel: Type.Optional(Enums.Channel({ description: 'Defaults to `sms`.' })),
  ttl_seconds: Type.Optional(Type.Integer({ ...OTP_TTL, description: 'How long the code is valid.' })),
  max_attempts: Type.Optional(
    Type.Integer({
      ...OTP_ATTEMPTS,
      description: 'How many codes may be tried; at most 5 where the code is easier to guess than six digits.',
    }),
  ),
  code_length: Type.Optional(Type.Integer({ ...CODE_LENGTH, description: 'How many characters the code has.' })),
  code_alphabet: Type.Optional(
    Type.Enum(CODE_ALPHABETS, {
      title: 'OtpCodeAlphabet',
      description:
        'Defaults to `numeric`. `alphanumeric` is digits and capital letters, without vowels and without 0, 1 and L; the case of letters does not matter when the code is validated.',
    }),
  ),
  idempotency_key: Type.Optional(IdempotencyKey),
  app_name: Type.Optional(
    Type.String({
      description: `The name of your app in the message, 1 to ${MAX_APP_NAME} characters.`,
      examples: ['Acme'],
    }),
  ),
  locale: Type.Optional(
    Type.String({ description: 'The language of the message: a BCP 47 language tag.', examples: ['pt-BR'] }),
  ),
}

export const OtpGenerate = namedObject('GenerateOtpRequest', GenerateFields, {
  additionalProperties: false,
  examples: [
    { to: '+5511987654321', app_name: 'Acme', idempotency_key: 'login-5b1f' },
    { to: 'ann@example.com', channel: 'email', app_name: 'Acme', idempotency_key: 'login-5b20' },
  ],
})
type OtpGenerate = Static<typeof OtpGenerate>

const ValidateFields = {
  challenge_id: Type.String({ description: 'The `challenge_id` that generate returned.', examples: [MESSAGE_ID] }),
  code: Type.String({ description: 'The code as the person has entered it, without spaces.', examples: ['012345'] }),
  to: Type.Optional(
    Type.String({
      description:
        'The recipient that the code must have been sent to. For another one the answer is that of a wrong code, and an attempt is used.',
      examples: ['+5511987654321', 'ann@example.com'],
    }),
  ),
}

export const OtpValidate = namedObject('ValidateOtpRequest', ValidateFields, { additionalProperties: false })

const GENERATE = { schema: Compile(OtpGenerate), fields: GenerateFields }
const VALIDATE = { schema: Compile(OtpValidate), fields: ValidateFields }

/** `header` is the header Idempotency-Key. */
export function readOtpRequest(
  body: unknown,
  header: string | undefined,
): OtpTerms & Readonly<{ idempotencyKey: string }> {
  const read = (fields: Partial<OtpGenerate>) => ({
    parsed: parseOtpRequest({ to: '', ...fields }),
    idempotencyKey: parseIdempotencyKey(header, fields.idempotency_key),
  })
  if (GENERATE.schema.Check(body)) {
    const { parsed, idempotencyKey } = read(body)
    if (parsed.kind === 'ok' && typeof idempotencyKey === 'string') return { ...parsed.terms, idempotencyKey }
  }
  const problems = bodyProblems<OtpGenerate>(GENERATE, body, (fields) => {
    const { parsed, idempotencyKey } = read(fields)
    return [
      ...(parsed.kind === 'ok' ? [] : parsed.problems),
      ...(typeof idempotencyKey === 'string' ? [] : [idempotencyKey]),
    ]
  })
  throw refuseFields(problems)
}

export function readOtpGuess(body: unknown): OtpGuess {
  const read = (fields: Partial<Static<typeof OtpValidate>>) => parseOtpGuess({ challenge_id: '', code: '', ...fields })
  if (VALIDATE.schema.Check(body)) {
    const guess = read(body)
    if ('id' in guess) return guess
  }
  throw refuseFields(
    bodyProblems(VALIDATE, body, (fields) => {
      const guess = read(fields)
      return 'id' in guess ? [] : guess
    }),
  )
}
