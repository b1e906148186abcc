/**
 * Delivery reports of Twilio, from callbacks and lookups.
 *
 * A lookup needs the message's SID. Twilio's message list does not contain our reference, and the same text to the same
 * number may be another message, so only a callback can identify an attempt whose answer was lost.
 */
import { type Static, Type } from 'typebox'
import type { AttemptRef } from '../../domain/ids.ts'
import { parseReference, toReference } from '../../domain/message/attempt-reference.ts'
import type {
  Attempt,
  CallbackBounds,
  CallbackRequest,
  KnownAttempt,
  LookupResult,
  Receipt,
} from '../../ports/provider.ts'
import { type HttpAnswer, isSuccess } from '../http.ts'
import { jsonOf, parser } from '../json.ts'
import { withWorker } from '../kind.ts'
import { type Account, getJson } from '../rest-api.ts'
import { toTwilioReason } from './errors.ts'
import { readSigned, SIGNATURE_HEADER } from './signature.ts'

export const Sid = Type.String({ pattern: '^(?:SM|MM)[0-9a-fA-F]{32}$' })

const ATTEMPT = 'attempt'

/** Makes Twilio retry a callback on any failure; by default it retries only connection timeouts. */
const RETRIES = '#rc=5&rp=all'

export function toCallbackUrl(callbackUrl: string, attempt: Pick<Attempt, 'ref' | 'worker'>): string {
  const url = withWorker(callbackUrl, attempt)
  return `${url}${url === callbackUrl ? '?' : '&'}${ATTEMPT}=${toReference(attempt.ref)}${RETRIES}`
}

/**
 * | Twilio                                         | Pombo     |
 * |------------------------------------------------|-----------|
 * | accepted, scheduled, queued, sending, sent     | accepted  |
 * | delivered, read, partially_delivered           | delivered |
 * | undelivered (by the carrier or the handset)    | bounced   |
 * | failed, canceled (by Twilio)                   | dropped   |
 */
const STATES = new Map<string, Receipt['state']>([
  ...['accepted', 'scheduled', 'queued', 'sending', 'sent'].map((status) => [status, 'accepted'] as const),
  ...['delivered', 'read', 'partially_delivered'].map((status) => [status, 'delivered'] as const),
  ['undelivered', 'bounced'],
  ['failed', 'dropped'],
  ['canceled', 'dropped'],
])

/** A report is a few hundred bytes. */
export const CALLBACKS: CallbackBounds = {
  maxBytes: 16 * 1024,
  mayBeGenuine: (headers) => headers.has(SIGNATURE_HEADER),
}

/** Signed callbacks that are not about one of our messages yield no receipt. */
export function readCallback(authToken: string, request: CallbackRequest): readonly Receipt[] | 'forged' {
  const params = readSigned(authToken, request)
  if (params === undefined) return 'forged'
  const ref = parseReference(new URL(request.url).searchParams.get(ATTEMPT) ?? '')
  const errorCode = Number(params.get('ErrorCode') ?? Number.NaN)
  const report = parseReport({
    sid: params.get('MessageSid'),
    status: params.get('MessageStatus'),
    error_code: Number.isInteger(errorCode) ? errorCode : null,
  })
  const receipt = ref && report && toReceipt(ref, report)
  return receipt === undefined ? [] : [receipt]
}

const Report = Type.Object({
  sid: Sid,
  status: Type.String(),
  error_code: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
})
const parseReport = parser(Report)

/** The report id contains our state, so several Twilio statuses with one meaning count as one report. */
function toReceipt(ref: AttemptRef, { sid, status, error_code: code }: Static<typeof Report>): Receipt | undefined {
  const state = STATES.get(status)
  if (state === undefined) return undefined
  const isFailure = state === 'bounced' || state === 'dropped'
  const reason = isFailure ? toTwilioReason(code ?? undefined) : {}
  return { ref, providerMessageId: sid, state, reportId: `${sid}:${state}`, ...reason }
}

/** The failure that an answer to a send reports. Twilio sends no callback for it. */
export function toFailure(ref: AttemptRef, answer: HttpAnswer): Receipt | undefined {
  const report = isSuccess(answer.status) ? parseReport(jsonOf(answer)) : undefined
  const receipt = report && toReceipt(ref, report)
  return receipt?.state === 'bounced' || receipt?.state === 'dropped' ? receipt : undefined
}

export async function lookup(
  account: Account,
  ref: AttemptRef,
  { providerMessageId }: KnownAttempt,
): Promise<LookupResult> {
  if (providerMessageId === undefined) return { kind: 'undetermined' }
  const found = parseReport(await getJson(account, `/Messages/${providerMessageId}.json`))
  const receipt = found && toReceipt(ref, found)
  return receipt === undefined ? { kind: 'undetermined' } : { kind: 'found', receipt }
}
