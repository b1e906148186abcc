/**
 * MessageBird, for SMS. A send has no idempotency key; our reference comes back with every report and with
 * every look-up, so that a message whose answer was lost is known by it.
 */
import { type Static, Type } from 'typebox'
import { toReference } from '../../domain/message/attempt-reference.ts'
import type { SmsContent } from '../../domain/message/message.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { Encoding } from '../../domain/message/segments.ts'
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
import { toMessageBirdError } from './errors.ts'
import { type Account, lookup, readCallback, toFailure } from './reports.ts'

const BASE_URL = 'https://rest.messagebird.com'

const Settings = Type.Object(
  {
    access_key: secret('The access key of the account.'),
    signing_key: secret('The key that signs what MessageBird reports.'),
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
  description: 'SMS by MessageBird. It reports by GET.',
  channels: ['sms'],
  settings: Settings,
  open: openMessageBird,
}

/** A page of the list is the longest answer. */
const BODY_LIMIT = 4 * 1024 * 1024

function openMessageBird(settings: Settings, place: ProviderContext): OpenedProvider {
  const http = openHttp({ bodyLimit: BODY_LIMIT })
  const { access_key: key, signing_key: signingKey, base_url: url = BASE_URL } = settings
  const account: Account = { http, url: url.replace(/\/$/, ''), authorization: `AccessKey ${key}` }
  return {
    name: place.name,
    capabilities: { channels: ['sms'], reports: reportsTo(place) },
    send: smsOnly((attempt, signal) => send({ ...place, settings, account }, attempt, signal)),
    readCallback: (request) => readCallback(signingKey, request, place.clock()),
    lookup: (ref, _id, known = {}) => lookup(account, ref, known),
    async [Symbol.asyncDispose]() {
      http[Symbol.dispose]()
    },
  }
}

type MessageBird = ProviderContext & Readonly<{ settings: Settings; account: Account }>

async function send(messageBird: MessageBird, attempt: SmsAttempt, signal: AbortSignal): Promise<SendOutcome> {
  const { account, clock } = messageBird
  const order = toOrder(messageBird, attempt)
  if ('kind' in order) return order
  const headers = {
    authorization: account.authorization,
    accept: 'application/json',
    'content-type': 'application/json',
    // The span of the attempt is named by its id: see observe/tracing-spans.ts.
    traceparent: toTraceparent(attempt.traceId, attempt.id.slice(0, 16)),
  }
  const request = { method: 'POST', url: `${account.url}/messages`, headers, body: JSON.stringify(order) } as const
  const result = await account.http.send(request, signal)
  if (result.kind !== 'answered') return toFailedOutcome(result)
  const failure = toFailure(attempt.ref, result)
  if (failure !== undefined) await reportAtOnce(messageBird, failure)
  return toOutcome(result, clock)
}

const NO_SENDER = forProvider('INVALID_SENDER_ID', 'the message names no sender, and neither do the settings')
/** Left to itself it would replace what GSM-7 does not have. */
const DATACODING = { gsm7: 'plain', ucs2: 'unicode' } as const satisfies Record<Encoding, string>
const TYPE = { sms: 'sms', flash_sms: 'flash' } as const satisfies Record<SmsContent['kind'], string>

type Order = Readonly<{
  originator: string
  recipients: readonly string[]
  body: string
  type: string
  datacoding: string
  reference: string
  reportUrl?: string
  validity?: number
}>

/** What is asked of MessageBird, or why it is not even asked. */
function toOrder({ settings, callbackUrl, clock }: MessageBird, attempt: SmsAttempt): Order | Rejection {
  const { content, ref, encoding, expiresAt } = attempt
  const originator = content.from ?? settings.originator
  const validity = expiresAt === undefined ? undefined : validityOf(expiresAt, clock())
  if (originator === undefined) return NO_SENDER
  if (validity === 0) return EXPIRED
  return {
    originator: withoutPlus(originator),
    recipients: [withoutPlus(content.to)],
    body: content.body,
    type: TYPE[content.kind],
    datacoding: DATACODING[encoding],
    // Without it there would be no report.
    reference: toReference(ref),
    ...(callbackUrl === undefined ? {} : { reportUrl: callbackUrl }),
    ...(validity === undefined ? {} : { validity }),
  }
}

const withoutPlus = (number: string): string => number.replace(/^\+(?=\d+$)/, '')

function toOutcome(answer: HttpAnswer, clock: Clock): SendOutcome {
  const { status } = answer
  const json = jsonOf(answer)
  if (isSuccess(status)) {
    const created = parseCreated(json)
    return created === undefined ? toNameless(status) : { kind: 'accepted', providerMessageId: created.id }
  }
  const [first] = parseErrors(json)?.errors ?? []
  const error = first && { code: first.code, ...(first.parameter ? { parameter: first.parameter } : {}) }
  const meaning = toMessageBirdError(status, error)
  return meaning.kind === 'deferred' ? { ...meaning, retryAfter: retryAfterOf(answer, clock()) } : meaning
}

const toNameless = (status: number): SendOutcome =>
  unknownOutcome(`HTTP_${status}`, 'MessageBird answered that it has a message, and not which one')

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
