/** Reads the requests of Twilio's Verify API, or refuses them with its codes. */
import type { FastifyRequest } from 'fastify'
import { parseEmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import type { MessageId } from '../../domain/ids.ts'
import type { Recipient } from '../../domain/message/message.ts'
import { parsePhoneNumber } from '../../domain/message/phone-number.ts'
import { CODE_LENGTH, isCode } from '../../domain/otp/code.ts'
import { type OtpTerms, parseOtpRequest } from '../../domain/requests/otp-request.ts'
import { parseSid } from '../../domain/twilio/sids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Conclusion } from '../../ports/challenges.ts'
import { parseIdempotencyKey } from '../http/idempotency-key.ts'
import { refuseAs } from './errors.ts'
import { formOf, given, refuseGiven } from './form.ts'

/** As Twilio's: ten minutes, and five checks. */
const TTL_SECONDS = 600
const MAX_CHECKS = 5

const REFUSED = {
  CustomCode: 60200,
  CustomMessage: 60200,
  SendDigits: 60200,
  AppHash: 60200,
  TemplateSid: 60200,
  TemplateCustomSubstitutions: 60200,
  Templates: 60200,
  ChannelConfiguration: 60200,
  Amount: 60200,
  Payee: 60200,
  RateLimits: 60200,
} as const

export function readVerification(request: FastifyRequest): OtpTerms {
  const form = formOf(request)
  refuseGiven(form, REFUSED, 'is not supported')
  const length = readCodeLength(given(form, 'CodeLength'))
  const channel = given(form, 'Channel')
  if (channel !== 'sms' && channel !== 'email') throw invalid('Channel', 'must be sms or email')
  const to = given(form, 'To') ?? ''
  const [name, locale] = [given(form, 'CustomFriendlyName'), given(form, 'Locale')]
  const terms = { to, channel, ttl_seconds: TTL_SECONDS, max_attempts: MAX_CHECKS } as const
  const parsed = parseOtpRequest({ ...terms, ...omitUndefined({ app_name: name, locale, code_length: length }) })
  if (parsed.kind === 'ok') return parsed.terms
  const [{ path, message } = { path: '', message: 'is not valid' }] = parsed.problems
  throw invalid(FIELDS[path] ?? path, message)
}

function readCodeLength(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const length = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  const { minimum, maximum } = CODE_LENGTH
  if (length >= minimum && length <= maximum) return length
  throw invalid('CodeLength', `must be ${minimum} to ${maximum}`)
}

const FIELDS: Readonly<Record<string, string>> = { '/to': 'To', '/app_name': 'CustomFriendlyName', '/locale': 'Locale' }

const invalid = (name: string, message: string): Error => refuseAs(60200, `Invalid parameter \`${name}\`: ${message}`)

/** A mailbox has one subject, however it is spelt. */
export const toSubjectText = (to: Recipient): Recipient =>
  to.includes('@') ? toComparableAddress(to as Parameters<typeof toComparableAddress>[0]) : to

/** Without a key each call is a new one. */
export function readKey({ headers }: FastifyRequest, fresh: () => string): string {
  const header = headers['idempotency-key']
  if (header === undefined) return fresh()
  const key = parseIdempotencyKey(String(header), undefined)
  if (typeof key === 'string') return key
  throw refuseAs(60200, `The header Idempotency-Key ${key.message}`)
}

/** `id` is undefined for a sid that cannot exist. */
export type Named = Readonly<{ kind: 'sid'; id: MessageId | undefined } | { kind: 'to'; to: Recipient }>

export type Check = Readonly<{ code: string; named: Named }>

export function readCheck(request: FastifyRequest): Check {
  const form = formOf(request)
  const code = given(form, 'Code') ?? ''
  if (!isCode(code)) throw invalid('Code', 'must have 4 to 10 digits')
  const sid = given(form, 'VerificationSid')
  if (sid !== undefined) return { code, named: { kind: 'sid', id: parseSid('VE', sid) } }
  const text = given(form, 'To') ?? ''
  const to = text.includes('@') ? parseEmailAddress(text) : parsePhoneNumber(text)
  if (to === undefined) throw invalid('To', 'must be the phone number or email address of a verification')
  return { code, named: { kind: 'to', to } }
}

const CONCLUSIONS = new Map<string | undefined, Conclusion>([
  ['approved', 'verified'],
  ['canceled', 'canceled'],
])

export function readConclusion(request: FastifyRequest): Conclusion {
  const conclusion = CONCLUSIONS.get(given(formOf(request), 'Status'))
  if (conclusion === undefined) throw invalid('Status', 'must be approved or canceled')
  return conclusion
}
