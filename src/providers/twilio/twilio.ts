/**
 * Twilio, for SMS. A send has no idempotency key, so the status callback URL carries our reference: a message whose
 * answer was lost is identified by its first callback.
 */
import { type Static, Type } from 'typebox'
import type { SmsContent } from '../../domain/message/message.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { SmsAttempt } from '../../ports/provider.ts'
import { type HttpAnswer, isSuccess, openHttp, retryAfterOf, toFailedOutcome } from '../http.ts'
import { jsonOf, parser } from '../json.ts'
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
  validityOf,
} from '../kind.ts'
import { EXPIRED, forProvider, type Rejection, withOriginalCode } from '../provider-errors.ts'
import { type Account, NO_SENDER, traceparentOf, withoutMessageId } from '../rest-api.ts'
import { toTwilioError } from './errors.ts'
import { CALLBACKS, lookup, readCallback, Sid, toCallbackUrl, toFailure } from './reports.ts'

const BASE_URL = 'https://api.twilio.com'

const Settings = Type.Object(
  {
    account_sid: text('The account SID.', 'AC and 32 hexadecimal digits', '^AC[0-9a-fA-F]{32}$'),
    auth_token: secret('The auth token. It also verifies the signatures of callbacks.'),
    api_key: Type.Optional(
      Type.Object(
        {
          sid: text('The SID of the API key.', 'SK and 32 hexadecimal digits', '^SK[0-9a-fA-F]{32}$'),
          secret: secret('The secret of the API key.'),
        },
        { ...closed, description: 'An API key to send with, instead of the auth token.' },
      ),
    ),
    from: Type.Optional(
      text('The sender of messages that name none.', 'a sender id of 1 to 20 characters', '^\\S.{0,19}$'),
    ),
    messaging_service_sid: Type.Optional(
      text(
        'The messaging service that chooses the sender of messages that name none.',
        'MG and 32 hexadecimal digits',
        '^MG[0-9a-fA-F]{32}$',
      ),
    ),
    base_url: baseUrl(BASE_URL),
    callbacks,
  },
  closed,
)
type Settings = Static<typeof Settings>

export const TWILIO: ProviderKind<typeof Settings> = {
  description: 'SMS through Twilio. It has no flash SMS: the next provider of the route gets those.',
  channels: ['sms'],
  settings: Settings,
  open: openTwilio,
}

/** The longest answer is a message with a long text. */
const BODY_LIMIT = 256 * 1024

function openTwilio(settings: Settings, context: ProviderContext): OpenedProvider {
  const http = openHttp({ bodyLimit: BODY_LIMIT })
  const { account_sid: sid, auth_token: token, api_key: key, base_url: url = BASE_URL } = settings
  const credentials = Buffer.from(key === undefined ? `${sid}:${token}` : `${key.sid}:${key.secret}`)
  const account: Account = {
    http,
    url: `${url.replace(/\/$/, '')}/2010-04-01/Accounts/${sid}`,
    authorization: `Basic ${credentials.toString('base64')}`,
  }
  return {
    name: context.name,
    capabilities: { channels: ['sms'], reports: reportsTo(context) },
    callbacks: CALLBACKS,
    send: smsOnly((attempt, signal) => send({ ...context, settings, account }, attempt, signal)),
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
    traceparent: traceparentOf(attempt),
  }
  const request = { method: 'POST', url: `${account.url}/Messages.json`, headers, body: `${form}` } as const
  const result = await account.http.send(request, signal)
  if (result.kind !== 'answered') return toFailedOutcome(result)
  const failure = toFailure(attempt.ref, result)
  if (failure !== undefined) await reportAtOnce(twilio, failure)
  return toOutcome(result, clock)
}

const NO_FLASH = forProvider('FLASH_UNSUPPORTED', 'Twilio does not support flash SMS')

/** The request, or why there is none. */
function toForm({ settings, callbackUrl, clock }: Twilio, attempt: SmsAttempt): URLSearchParams | Rejection {
  const { content, expiresAt } = attempt
  const sender = senderOf(settings, content)
  const validity = expiresAt === undefined ? undefined : validityOf(expiresAt, clock())
  if (content.kind === 'flash_sms') return NO_FLASH
  if (sender === undefined) return NO_SENDER
  if (validity === 0) return EXPIRED
  return new URLSearchParams(
    omitUndefined({
      To: content.to,
      ...sender,
      Body: content.body,
      StatusCallback: callbackUrl === undefined ? undefined : toCallbackUrl(callbackUrl, attempt),
      ValidityPeriod: validity === undefined ? undefined : `${Math.min(validity, MAX_VALIDITY_SECONDS)}`,
    }),
  )
}

/** Twilio's maximum, which is also its default. */
const MAX_VALIDITY_SECONDS = 36_000

function senderOf({ from, messaging_service_sid: service }: Settings, content: SmsContent) {
  const sender = content.from ?? from
  if (sender !== undefined) return { From: sender }
  return service === undefined ? undefined : { MessagingServiceSid: service }
}

/** Twilio answers 201 (Twilio Docs, "Message resource"); compatible APIs answer any 2xx. */
function toOutcome(answer: HttpAnswer, clock: Clock): SendOutcome {
  const { status } = answer
  const json = jsonOf(answer)
  if (isSuccess(status)) {
    const created = parseCreated(json)
    if (created === undefined) return withoutMessageId('Twilio', status)
    return { kind: 'accepted', providerMessageId: created.sid }
  }
  const code = parseError(json)?.code
  const error = withOriginalCode(toTwilioError(status, code), code?.toString())
  return error.kind === 'deferred' ? { ...error, retryAfter: retryAfterOf(answer, clock()) } : error
}

const parseCreated = parser(Type.Object({ sid: Sid }))
const parseError = parser(Type.Object({ code: Type.Integer() }))
