/**
 * MessageBird, for SMS. A send has no idempotency key, but our reference comes back in every callback and lookup, so
 * they identify a message whose answer was lost.
 */
import { type Static, Type } from 'typebox'
import { toReference } from '../../domain/message/attempt-reference.ts'
import type { SmsContent } from '../../domain/message/message.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { Encoding } from '../../domain/message/segments.ts'
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
import { EXPIRED, type Rejection, withOriginalCode } from '../provider-errors.ts'
import { type Account, NO_SENDER, traceparentOf, withoutMessageId } from '../rest-api.ts'
import { toMessageBirdError } from './errors.ts'
import { CALLBACKS, lookup, readCallback, toFailure } from './reports.ts'

const BASE_URL = 'https://rest.messagebird.com'

const Settings = Type.Object(
  {
    access_key: secret('The access key of the account.'),
    signing_key: secret('The key that verifies the signatures of callbacks.'),
    originator: Type.Optional(
      text(
        'The sender of messages that name none.',
        'a number, or at most 11 letters and digits',
        '^(?:\\+?\\d{1,17}|[A-Za-z0-9][A-Za-z0-9 ]{0,10})$',
      ),
    ),
    base_url: baseUrl(BASE_URL),
    callbacks,
  },
  closed,
)
type Settings = Static<typeof Settings>

export const MESSAGEBIRD: ProviderKind<typeof Settings> = {
  description: 'SMS through MessageBird. Its callbacks are GET requests.',
  channels: ['sms'],
  settings: Settings,
  open: openMessageBird,
}

/** The longest answer is a page of the message list. */
const BODY_LIMIT = 4 * 1024 * 1024

function openMessageBird(settings: Settings, context: ProviderContext): OpenedProvider {
  const http = openHttp({ bodyLimit: BODY_LIMIT })
  const { access_key: key, signing_key: signingKey, base_url: url = BASE_URL } = settings
  const account: Account = { http, url: url.replace(/\/$/, ''), authorization: `AccessKey ${key}` }
  return {
    name: context.name,
    capabilities: { channels: ['sms'], reports: reportsTo(context) },
    callbacks: CALLBACKS,
    send: smsOnly((attempt, signal) => send({ ...context, settings, account }, attempt, signal)),
    readCallback: (request) => readCallback(signingKey, request, context.clock()),
    lookup: (ref, _id, known = {}) => lookup(account, ref, known),
    async [Symbol.asyncDispose]() {
      http[Symbol.dispose]()
    },
  }
}

type MessageBird = ProviderContext & Readonly<{ settings: Settings; account: Account }>

async function send(messageBird: MessageBird, attempt: SmsAttempt, signal: AbortSignal): Promise<SendOutcome> {
  const { account, clock } = messageBird
  const message = toMessage(messageBird, attempt)
  if ('kind' in message) return message
  const headers = {
    authorization: account.authorization,
    accept: 'application/json',
    'content-type': 'application/json',
    traceparent: traceparentOf(attempt),
  }
  const request = { method: 'POST', url: `${account.url}/messages`, headers, body: JSON.stringify(message) } as const
  const result = await account.http.send(request, signal)
  if (result.kind !== 'answered') return toFailedOutcome(result)
  const failure = toFailure(attempt.ref, result)
  if (failure !== undefined) await reportAtOnce(messageBird, failure)
  return toOutcome(result, clock)
}

/** By default MessageBird would replace characters that are not in GSM-7. */
const DATACODING = { gsm7: 'plain', ucs2: 'unicode' } as const satisfies Record<Encoding, string>
const TYPE = { sms: 'sms', flash_sms: 'flash' } as const satisfies Record<SmsContent['kind'], string>

type Message = Readonly<{
  originator: string
  recipients: readonly string[]
  body: string
  type: string
  datacoding: string
  reference: string
  reportUrl?: string
  validity?: number
}>

/** The request, or why there is none. */
function toMessage({ settings, callbackUrl, clock }: MessageBird, attempt: SmsAttempt): Message | Rejection {
  const { content, ref, encoding, expiresAt } = attempt
  const originator = content.from ?? settings.originator
  const validity = expiresAt === undefined ? undefined : validityOf(expiresAt, clock())
  if (originator === undefined) return NO_SENDER
  if (validity === 0) return EXPIRED
  return omitUndefined({
    originator: withoutPlus(originator),
    recipients: [withoutPlus(content.to)],
    body: content.body,
    type: TYPE[content.kind],
    datacoding: DATACODING[encoding],
    // Without a reference MessageBird sends no callbacks.
    reference: toReference(ref),
    // MessageBird appends its own query, and does not say what it does to one that is there.
    reportUrl: callbackUrl,
    validity,
  })
}

const withoutPlus = (number: string): string => number.replace(/^\+(?=\d+$)/, '')

function toOutcome(answer: HttpAnswer, clock: Clock): SendOutcome {
  const { status } = answer
  const json = jsonOf(answer)
  if (isSuccess(status)) {
    const created = parseCreated(json)
    if (created === undefined) return withoutMessageId('MessageBird', status)
    return { kind: 'accepted', providerMessageId: created.id }
  }
  const [first] = parseErrors(json)?.errors ?? []
  const given = first && omitUndefined({ code: first.code, parameter: first.parameter ?? undefined })
  const error = withOriginalCode(toMessageBirdError(status, given), first?.code.toString())
  return error.kind === 'deferred' ? { ...error, retryAfter: retryAfterOf(answer, clock()) } : error
}

const parseCreated = parser(Type.Object({ id: Type.String({ minLength: 1, maxLength: 200 }) }))
const parseErrors = parser(
  Type.Object({
    errors: Type.Array(
      Type.Object({
        code: Type.Integer(),
        parameter: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      }),
    ),
  }),
)
