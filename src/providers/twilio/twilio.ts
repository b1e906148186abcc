/**
 * Twilio, for SMS. A send has no idempotency key, so our reference rides in the query of the address that
 * Twilio reports to: what was created, though its answer was lost, is known by its first report.
 */
import { type Static, Type } from 'typebox'
import type { SmsContent } from '../../domain/message/message.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { toTraceparent } from '../../domain/message/trace.ts'
import type { Clock } from '../../lib/clock.ts'
import type { SmsAttempt } from '../../ports/provider.ts'
import { type HttpAnswer, isSuccess, jsonOf, openHttp, retryAfterOf, toFailedOutcome } from '../http.ts'
import { parser } from '../json.ts'
import {
  baseUrl,
  callbacks,
  closed,
  type OpenedProvider,
  type ProviderContext,
  type ProviderKind,
  reportAtOnce,
  reportsTo,
  secret,
  smsOnly,
  text,
} from '../kind.ts'
import { forProvider, type Rejection, unknownOutcome } from '../provider-errors.ts'
import { EXPIRED, validityOf } from '../validity.ts'
import { toTwilioError } from './errors.ts'
import { type Account, lookup, readCallback, Sid, toCallbackUrl, toFailure } from './reports.ts'

const BASE_URL = 'https://api.twilio.com'

const Settings = Type.Object(
  {
    account_sid: text('The account.', 'AC and 32 hexadecimal digits', '^AC[0-9a-fA-F]{32}$'),
    auth_token: secret('Its auth token, which also signs what Twilio reports.'),
    api_key: Type.Optional(
      Type.Object(
        {
          sid: text('The key.', 'SK and 32 hexadecimal digits', '^SK[0-9a-fA-F]{32}$'),
          secret: secret('Its secret.'),
        },
        { ...closed, description: 'A key to send with, in place of the auth token.' },
      ),
    ),
    from: Type.Optional(
      text('The sender of messages that name none.', 'a sender id of 1 to 20 characters', '^\\S.{0,19}$'),
    ),
    messaging_service_sid: Type.Optional(
      text('The messaging service that chooses it instead.', 'MG and 32 hexadecimal digits', '^MG[0-9a-fA-F]{32}$'),
    ),
    base_url: baseUrl(BASE_URL),
    callbacks,
  },
  closed,
)
type Settings = Static<typeof Settings>

export const TWILIO: ProviderKind<typeof Settings> = {
  description: 'SMS by Twilio. It knows no flash SMS: the next provider of the route is asked for those.',
  channels: ['sms'],
  settings: Settings,
  open: openTwilio,
}

/** A message with a long text is the longest answer. */
const BODY_LIMIT = 256 * 1024

function openTwilio(settings: Settings, place: ProviderContext): OpenedProvider {
  const http = openHttp({ bodyLimit: BODY_LIMIT })
  const { account_sid: sid, auth_token: token, api_key: key, base_url: url = BASE_URL } = settings
  const credentials = Buffer.from(key === undefined ? `${sid}:${token}` : `${key.sid}:${key.secret}`)
  const account: Account = {
    http,
    url: `${url.replace(/\/$/, '')}/2010-04-01/Accounts/${sid}`,
    authorization: `Basic ${credentials.toString('base64')}`,
  }
  return {
    name: place.name,
    capabilities: { channels: ['sms'], reports: reportsTo(place) },
    send: smsOnly((attempt, signal) => send({ ...place, settings, account }, attempt, signal)),
    readCallback: async (request) => readCallback(token, request),
    lookup: (ref, _id, known = {}) => lookup(account, ref, known),
    async [Symbol.asyncDispose]() {
      http[Symbol.dispose]()
    },
  }
}

type Twilio = ProviderContext & Readonly<{ settings: Settings; account: Account }>

async function send(twilio: Twilio, attempt: SmsAttempt, signal: AbortSignal): Promise<SendOutcome> {
  const { account, clock } = twilio
  const form = toForm(twilio, attempt)
  if (!(form instanceof URLSearchParams)) return form
  const headers = {
    authorization: account.authorization,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    // The span of the attempt is named by its id: see observe/tracing-spans.ts.
    traceparent: toTraceparent(attempt.traceId, attempt.id.slice(0, 16)),
  }
  const request = { method: 'POST', url: `${account.url}/Messages.json`, headers, body: `${form}` } as const
  const result = await account.http.send(request, signal)
  if (result.kind !== 'answered') return toFailedOutcome(result)
  const failure = toFailure(attempt.ref, result)
  if (failure !== undefined) await reportAtOnce(twilio, failure)
  return toOutcome(result, clock)
}

const NO_SENDER = forProvider('INVALID_SENDER_ID', 'the message names no sender, and neither do the settings')
const NO_FLASH = forProvider('FLASH_UNSUPPORTED', 'Twilio knows no flash SMS')

/** What is asked of Twilio, or why it is not even asked. */
function toForm({ settings, callbackUrl, clock }: Twilio, attempt: SmsAttempt): URLSearchParams | Rejection {
  const { content, ref, expiresAt } = attempt
  const sender = senderOf(settings, content)
  const validity = expiresAt === undefined ? undefined : validityOf(expiresAt, clock())
  if (content.kind === 'flash_sms') return NO_FLASH
  if (sender === undefined) return NO_SENDER
  if (validity === 0) return EXPIRED
  return new URLSearchParams({
    To: content.to,
    ...sender,
    Body: content.body,
    ...(callbackUrl === undefined ? {} : { StatusCallback: toCallbackUrl(callbackUrl, ref) }),
    ...(validity === undefined ? {} : { ValidityPeriod: `${Math.min(validity, MOST_VALIDITY_SECONDS)}` }),
  })
}

/** What it also takes a message without one to have. */
const MOST_VALIDITY_SECONDS = 36_000

function senderOf({ from, messaging_service_sid: service }: Settings, content: SmsContent) {
  const sender = content.from ?? from
  if (sender !== undefined) return { From: sender }
  return service === undefined ? undefined : { MessagingServiceSid: service }
}

/** It answers 201 (Twilio Docs, "Message resource"); those that speak its API do so by any 2xx. */
function toOutcome(answer: HttpAnswer, clock: Clock): SendOutcome {
  const { status } = answer
  const json = jsonOf(answer)
  if (isSuccess(status)) {
    const created = parseCreated(json)
    return created === undefined ? toNameless(status) : { kind: 'accepted', providerMessageId: created.sid }
  }
  const error = toTwilioError(status, parseError(json)?.code)
  return error.kind === 'deferred' ? { ...error, retryAfter: retryAfterOf(answer, clock()) } : error
}

const toNameless = (status: number): SendOutcome =>
  unknownOutcome(`HTTP_${status}`, 'Twilio answered that it has a message, and not which one')

const parseCreated = parser(Type.Object({ sid: Sid }))
const parseError = parser(Type.Object({ code: Type.Integer() }))
