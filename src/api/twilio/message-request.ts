/** Reads a request of Twilio's API to send a message into a submission, or refuses it with the code that Twilio has for it. */
import type { FastifyRequest } from 'fastify'
import { urlProblem } from '../../domain/requests/endpoint-request.ts'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import { parseSmsRequest } from '../../domain/requests/sms-request.ts'
import type { TwilioTerms } from '../../domain/twilio/terms.ts'
import type { AcceptDeps, Submission } from '../../flows/send/accept.ts'
import { toHmacSha1State } from '../../lib/hmac-sha1.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { later, millis, seconds, toIso } from '../../lib/time.ts'
import { callerOf, originOf } from '../http/context.ts'
import { parseIdempotencyKey } from '../http/idempotency-key.ts'
import { toAccountSid } from './account-sid.ts'
import { authTokenOf } from './credentials.ts'
import { type RequestErrorCode, refuseAs } from './errors.ts'
import { formOf, given, refuseGiven } from './form.ts'

export type RequestDeps = AcceptDeps & Readonly<{ maxParts: number }>

/** They would change what is sent, or when. */
const REFUSED = {
  MediaUrl: 21620,
  ContentSid: 20422,
  SendAt: 35114,
  ScheduleType: 35114,
} as const

/** In seconds, as Twilio bounds it. */
const LONGEST_VALIDITY = 36_000

const MESSAGING_SERVICE_SID = /^MG[0-9a-f]{32}$/i

export function toSubmission(deps: RequestDeps, request: FastifyRequest): Submission {
  const form = formOf(request)
  const { tenantId, accountId } = callerOf(request)
  refuseGiven(form, REFUSED, 'is not supported')
  const callbackUrl = readCallbackUrl(form)
  const twilio = toTerms(request, form, callbackUrl)
  const sms = parseSmsRequest(
    omitUndefined({
      to: given(form, 'To'),
      message: given(form, 'Body'),
      sender_id: given(form, 'From'),
      expires_at: toDeadline(deps, twilio),
      callback_url: callbackUrl,
    }),
    deps.maxParts,
  )
  if (sms.kind === 'bad') throw toRefusal(form, sms.problems)
  return omitUndefined({
    tenantId,
    accountId,
    lane: 'transactional',
    content: { ...sms.content, twilio },
    form: sms.segmentation,
    idempotencyKey: readKey(request),
    ...originOf(request),
  } as const)
}

function toTerms(request: FastifyRequest, form: URLSearchParams, callbackUrl: string | undefined): TwilioTerms {
  const messagingServiceSid = given(form, 'MessagingServiceSid')
  if (messagingServiceSid !== undefined && !MESSAGING_SERVICE_SID.test(messagingServiceSid)) {
    throw refuseAs(21705, 'The Messaging Service SID must be MG and 32 hexadecimal digits')
  }
  return omitUndefined({
    accountSid: toAccountSid(callerOf(request)),
    messagingServiceSid,
    validityPeriod: readValidity(form),
    signing: callbackUrl === undefined ? undefined : toHmacSha1State(authTokenOf(request)),
  })
}

function readValidity(form: URLSearchParams): number | undefined {
  const text = given(form, 'ValidityPeriod')
  if (text === undefined) return undefined
  const period = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (period >= 1 && period <= LONGEST_VALIDITY) return period
  throw refuseAs(20422, `ValidityPeriod must be a whole number of seconds, from 1 to ${LONGEST_VALIDITY}`)
}

/** By the wall clock, as callers give deadlines. */
function toDeadline({ clock, ahead }: RequestDeps, { validityPeriod }: TwilioTerms): string | undefined {
  if (validityPeriod === undefined) return undefined
  return toIso(later(clock(), millis(seconds(validityPeriod) - (ahead?.() ?? 0))))
}

/** The fragment of a URL says how Twilio is to connect; Pombo has its own schedule. */
function readCallbackUrl(form: URLSearchParams): string | undefined {
  const url = given(form, 'StatusCallback')?.replace(/#.*$/s, '')
  const problem = url === undefined ? undefined : urlProblem(url)
  if (problem !== undefined) throw refuseAs(21609, `The StatusCallback URL ${problem}`)
  return url
}

/** Twilio has no idempotency key: this is the header of our own API. */
function readKey({ headers }: FastifyRequest): string | undefined {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  const key = parseIdempotencyKey(String(header), undefined)
  if (typeof key === 'string') return key
  throw refuseAs(20422, `The header Idempotency-Key ${key.message}`)
}

/** The first problem: Twilio reports one at a time. */
function toRefusal(form: URLSearchParams, problems: readonly FieldProblem[]): Error {
  const { path, message } = problems.find((problem) => problem.path === 'to') ??
    problems[0] ?? { path: '', message: 'is not valid' }
  if (path === 'to') return toRecipientRefusal(form)
  if (path === 'message') return toTextRefusal(form, message)
  const [code, name] = FIELDS[path] ?? [20422, path]
  return refuseAs(code, `The parameter ${name} ${message}`)
}

const FIELDS: Readonly<Record<string, readonly [RequestErrorCode, string]>> = {
  sender_id: [21212, 'From'],
  expires_at: [20422, 'ValidityPeriod'],
}

const toRecipientRefusal = (form: URLSearchParams): Error =>
  given(form, 'To') === undefined
    ? refuseAs(21604, "A 'To' phone number is required.")
    : refuseAs(21211, "The 'To' number is not a valid phone number in E.164 format.")

const toTextRefusal = (form: URLSearchParams, message: string): Error =>
  given(form, 'Body') === undefined
    ? refuseAs(21602, 'Message body is required.')
    : refuseAs(21617, `The message body ${message}`)
