/**
 * What Twilio tells of a message after it took it: by its callbacks, and when it is asked.
 *
 * A message does not say which attempt it came from. It can be asked for by its name, once that is known;
 * one whose answer was lost is found in the list by recipient, text and time, and only where no other
 * message could be meant. That it is not in the list proves nothing.
 */
import { type Static, Type } from 'typebox'
import { parseReference, toReference } from '../../domain/attempt-reference.ts'
import type { AttemptRef } from '../../domain/ids.ts'
import type { SmsContent } from '../../domain/message.ts'
import { type Instant, instant, later, millis, seconds, toIso } from '../../domain/time.ts'
import { toTwilioReason } from '../../domain/twilio-errors.ts'
import type { CallbackRequest, Known, LookupResult, Receipt } from '../../ports/provider.ts'
import { type Http, jsonOf } from '../http.ts'
import { parser } from '../json.ts'
import type { Recent } from '../recent.ts'
import { readSigned } from './signature.ts'

/** `answered` are the messages of the last calls that were: none of them is one whose answer was lost. */
export type Account = Readonly<{ http: Http; url: string; authorization: string; answered: Recent }>

export const Sid = Type.String({ pattern: '^(?:SM|MM)[0-9a-fA-F]{32}$' })

const ATTEMPT = 'attempt'

export const toCallbackUrl = (callbackUrl: string, ref: AttemptRef): string =>
  `${callbackUrl}?${ATTEMPT}=${toReference(ref)}`

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

const UNDETERMINED: LookupResult = { kind: 'undetermined' }

export async function lookup(account: Account, ref: AttemptRef, known: Known): Promise<LookupResult> {
  const { providerMessageId, content, attemptedAt } = known
  const found =
    providerMessageId !== undefined
      ? parseReport(await ask(account, `/Messages/${providerMessageId}.json`))
      : content?.channel === 'sms' && attemptedAt && (await findSent(account, content, attemptedAt))
  const receipt = found ? toReceipt(ref, found) : undefined
  return receipt === undefined ? UNDETERMINED : { kind: 'found', receipt }
}

const parseList = parser(
  Type.Object({
    messages: Type.Array(
      Type.Object({ ...Report.properties, body: Type.String(), direction: Type.String(), date_created: Type.String() }),
    ),
    next_page_uri: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
)

/** Their clock may differ from ours, and they count in seconds. */
const SKEW = seconds(5)
/** How long after it began an attempt may still become a message. */
const LATEST = seconds(120)
const PAGE_SIZE = 1000

/** The only message that can have come of an attempt whose answer was lost. */
async function findSent(account: Account, { to, body }: SmsContent, attemptedAt: Instant) {
  const [first, last] = [later(attemptedAt, millis(-SKEW)), later(attemptedAt, LATEST)]
  const query = new URLSearchParams({ To: to, 'DateSent>': toIso(first).slice(0, 10), PageSize: `${PAGE_SIZE}` })
  const list = parseList(await ask(account, `/Messages.json?${query}`))
  // Those on further pages could be meant as well.
  if (list === undefined || list.next_page_uri) return undefined
  const [found, ...others] = list.messages.filter(
    (message) =>
      message.direction === 'outbound-api' &&
      message.body === body &&
      isBetween(instant(Date.parse(message.date_created)), first, last) &&
      !account.answered.has(message.sid),
  )
  return others.length === 0 ? found : undefined
}

const isBetween = (at: Instant, first: Instant, last: Instant): boolean => at >= first && at <= last

/** How long it may take to answer a question. */
const PATIENCE = seconds(10)

/** The JSON of a good answer; undefined when there is none. */
async function ask({ http, url, authorization }: Account, path: string): Promise<unknown> {
  const headers = { authorization, accept: 'application/json' }
  const result = await http.send({ method: 'GET', url: `${url}${path}`, headers }, AbortSignal.timeout(PATIENCE))
  return result.kind === 'answered' && result.status === 200 ? jsonOf(result) : undefined
}
