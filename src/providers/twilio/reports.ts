/**
 * What Twilio tells of a message after it took it: by its callbacks, and when it is asked.
 *
 * It can be asked for a message by its sid alone. Nothing in its list of messages names our attempt, and an equal
 * text to the same number may be another message, so an attempt whose answer was lost is known by its callback only.
 */
import { type Static, Type } from 'typebox'
import type { AttemptRef } from '../../domain/ids.ts'
import { parseReference, toReference } from '../../domain/message/attempt-reference.ts'
import { seconds } from '../../lib/time.ts'
import type { CallbackRequest, Known, LookupResult, Receipt } from '../../ports/provider.ts'
import { type Http, type HttpAnswer, isSuccess, jsonOf } from '../http.ts'
import { parser } from '../json.ts'
import { toTwilioReason } from './errors.ts'
import { readSigned } from './signature.ts'

export type Account = Readonly<{ http: Http; url: string; authorization: string }>

export const Sid = Type.String({ pattern: '^(?:SM|MM)[0-9a-fA-F]{32}$' })

const ATTEMPT = 'attempt'

/** Twilio repeats a callback only if the connection timed out, unless the fragment says to repeat it on any failure. */
const RETRIES = '#rc=5&rp=all'

export const toCallbackUrl = (callbackUrl: string, ref: AttemptRef): string =>
  `${callbackUrl}?${ATTEMPT}=${toReference(ref)}${RETRIES}`

/**
 * | Twilio                                    | here      |
 * |-------------------------------------------|-----------|
 * | accepted, scheduled, queued, sending, sent | accepted |
 * | delivered, read, partially_delivered      | delivered |
 * | undelivered: the carrier or the handset   | bounced   |
 * | failed, canceled: Twilio itself           | dropped   |
 */
const STATES = new Map<string, Receipt['state']>([
  ...['accepted', 'scheduled', 'queued', 'sending', 'sent'].map((status) => [status, 'accepted'] as const),
  ...['delivered', 'read', 'partially_delivered'].map((status) => [status, 'delivered'] as const),
  ['undelivered', 'bounced'],
  ['failed', 'dropped'],
  ['canceled', 'dropped'],
])

/** A callback of theirs that is no report on a message of ours tells nothing. */
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

/** Reports of one state are one report, also when Twilio has several words for it. */
function toReceipt(ref: AttemptRef, { sid, status, error_code: code }: Static<typeof Report>): Receipt | undefined {
  const state = STATES.get(status)
  if (state === undefined) return undefined
  const isBad = state === 'bounced' || state === 'dropped'
  const reason = isBad ? toTwilioReason(code ?? undefined) : {}
  return { ref, providerMessageId: sid, state, reportId: `${sid}:${state}`, ...reason }
}

/** The report that is in the answer to a send, where that says the message has failed: no callback tells of it. */
export function toFailure(ref: AttemptRef, answer: HttpAnswer): Receipt | undefined {
  const report = isSuccess(answer.status) ? parseReport(jsonOf(answer)) : undefined
  const receipt = report && toReceipt(ref, report)
  return receipt?.state === 'bounced' || receipt?.state === 'dropped' ? receipt : undefined
}

export async function lookup(account: Account, ref: AttemptRef, { providerMessageId }: Known): Promise<LookupResult> {
  if (providerMessageId === undefined) return { kind: 'undetermined' }
  const found = parseReport(await ask(account, `/Messages/${providerMessageId}.json`))
  const receipt = found && toReceipt(ref, found)
  return receipt === undefined ? { kind: 'undetermined' } : { kind: 'found', receipt }
}

/** How long it may take to answer a question. */
const PATIENCE = seconds(10)

/** The JSON of a good answer; undefined when there is none. */
async function ask({ http, url, authorization }: Account, path: string): Promise<unknown> {
  const headers = { authorization, accept: 'application/json' }
  const result = await http.send({ method: 'GET', url: `${url}${path}`, headers }, AbortSignal.timeout(PATIENCE))
  return result.kind === 'answered' && result.status === 200 ? jsonOf(result) : undefined
}
