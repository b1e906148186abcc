/** Parses a request to send or check a one-time code, and reports every problem. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import { isSingleLine } from '../../lib/single-line.ts'
import { type Millis, seconds } from '../../lib/time.ts'
import { parseLocale } from '../directory/locale.ts'
import { type EmailAddress, parseEmailAddress } from '../email/address.ts'
import { type MessageId, parseMessageId } from '../ids.ts'
import type { Channel, Recipient } from '../message/message.ts'
import { type PhoneNumber, parsePhoneNumber } from '../message/phone-number.ts'
import {
  CODE_LENGTH,
  type CodeAlphabet,
  type CodeShape,
  describeShape,
  isCode,
  mostAttemptsOf,
  toCodeShape,
} from '../otp/code.ts'
import type { FieldProblem } from './request-fields.ts'

/** In seconds, and in attempts. */
export const OTP_TTL = { minimum: 30, maximum: 3600, default: 300 } as const
export const OTP_ATTEMPTS = { minimum: 1, maximum: 10, default: 3 } as const
export const MAX_APP_NAME = 40

/** The fields as received, their JSON types and ranges already checked. */
export type OtpRequest = Readonly<{
  to: string
  channel?: Channel
  ttl_seconds?: number
  max_attempts?: number
  code_length?: number
  code_alphabet?: CodeAlphabet
  app_name?: string
  locale?: string
}>

/** The channel and the address of a code. */
export type OtpAddress = Readonly<{ channel: 'sms'; to: PhoneNumber } | { channel: 'email'; to: EmailAddress }>

/** `shape` is missing for six digits. */
export type OtpTerms = OtpAddress &
  Readonly<{ ttl: Millis; maxAttempts: number; shape?: CodeShape; appName?: string; locale?: string }>

type ParsedOtp =
  | Readonly<{ kind: 'ok'; terms: OtpTerms }>
  | Readonly<{ kind: 'bad'; problems: readonly FieldProblem[] }>

export function parseOtpRequest(request: OtpRequest): ParsedOtp {
  const { channel = 'sms', app_name: appName } = request
  const locale = request.locale === undefined ? undefined : parseLocale(request.locale)
  const address = parseAddress(channel, request.to)
  const shape = toCodeShape(omitUndefined({ length: request.code_length, alphabet: request.code_alphabet }))
  const maxAttempts = request.max_attempts ?? OTP_ATTEMPTS.default
  const problems: FieldProblem[] = []
  if (address === undefined) problems.push({ path: '/to', message: BAD_ADDRESS[channel] })
  if (maxAttempts > (mostAttemptsOf(shape) ?? maxAttempts)) problems.push(tooManyAttempts(shape))
  if (appName !== undefined && !isName(appName)) problems.push({ path: '/app_name', message: BAD_NAME })
  if (locale === undefined && request.locale !== undefined) problems.push({ path: '/locale', message: BAD_LOCALE })

  if (address === undefined || problems.length > 0) return { kind: 'bad', problems }
  const terms: OtpTerms = {
    ...address,
    ttl: seconds(request.ttl_seconds ?? OTP_TTL.default),
    maxAttempts,
    ...omitUndefined({ shape, appName: appName?.trim(), locale }),
  }
  return { kind: 'ok', terms }
}

const tooManyAttempts = (shape?: CodeShape): FieldProblem => ({
  path: '/max_attempts',
  message: `must be at most ${mostAttemptsOf(shape)} for a code of ${describeShape(shape)}`,
})

function parseAddress(channel: Channel, text: string): OtpAddress | undefined {
  if (channel === 'sms') {
    const to = parsePhoneNumber(text)
    return to && { channel, to }
  }
  const to = parseEmailAddress(text)
  return to && { channel, to }
}

const BAD_ADDRESS: Readonly<Record<Channel, string>> = {
  sms: 'must be a phone number in E.164 format, for example +15005550006, when channel is sms',
  email: 'must be an email address, for example ann@example.com, when channel is email',
}
const BAD_NAME = `must be 1 to ${MAX_APP_NAME} characters on one line`
const BAD_LOCALE = 'must be a BCP 47 language tag, for example pt-BR'

/** A line break in the name could imitate the last line of the text, which browsers trust. */
const isName = (text: string): boolean => text.trim() !== '' && text.length <= MAX_APP_NAME && isSingleLine(text)

/** `to` is the recipient that the caller expects the code to be for. */
export type OtpGuess = Readonly<{ id: MessageId; code: string; to?: Recipient }>

/** Refuses what is no code at all; whether it may be the code of this challenge is known later. */
export function parseOtpGuess(
  guess: Readonly<{ challenge_id: string; code: string; to?: string }>,
): OtpGuess | readonly FieldProblem[] {
  const { code } = guess
  const id = parseMessageId(guess.challenge_id)
  const to = guess.to === undefined ? undefined : parseRecipient(guess.to)
  const isRecipient = to !== undefined || guess.to === undefined
  if (id !== undefined && isCode(code) && isRecipient) return { id, code, ...omitUndefined({ to }) }
  return [
    ...(id === undefined ? [{ path: '/challenge_id', message: 'must be a UUID' }] : []),
    ...(isCode(code) ? [] : [{ path: '/code', message: BAD_CODE }]),
    ...(isRecipient ? [] : [{ path: '/to', message: BAD_RECIPIENT }]),
  ]
}

const parseRecipient = (text: string): Recipient | undefined =>
  text.includes('@') ? parseEmailAddress(text) : parsePhoneNumber(text)

const BAD_CODE = `must be ${CODE_LENGTH.minimum} to ${CODE_LENGTH.maximum} digits, or letters and digits`
const BAD_RECIPIENT = 'must be the phone number in E.164 format, or the email address, that the code was sent to'
