/**
 * The simulator as a remote provider, like every real one. A call without an answer may have been received; receipts
 * arrive at our callback URL, signed with the shared secret.
 */
import type { AttemptId, ProviderName } from '../../domain/ids.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Millis, seconds } from '../../lib/time.ts'
import type { Attempt, CallbackBounds, CallbackRequest, LookupResult, Receipt } from '../../ports/provider.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type Http, type HttpAnswer, openHttp, retryAfterOf, toFailedOutcome } from '../http.ts'
import { jsonOf } from '../json.ts'
import { withWorker } from '../kind.ts'
import { byHttpStatus } from '../provider-errors.ts'
import { traceparentOf } from '../rest-api.ts'
import { toHandover } from './handover.ts'
import {
  parseAccepted,
  parseInbox,
  parseLookup,
  parseMail,
  parseReceipts,
  parseRefusal,
  toAttemptJson,
} from './json.ts'
import type { ReceivedMail } from './mail.ts'
import { isSigned, SIGNATURE_HEADER } from './signature.ts'
import type { Simulator } from './simulator.ts'
import type { InboxItem, InboxQuery, MailQuery } from './wire.ts'

export type RemoteSimulatorOptions = Readonly<{
  name: ProviderName
  /** The simulator's base URL. */
  url: string
  secret: string
  /** Our callback URL for this provider. */
  callbackUrl: string
  clock: Clock
  /** The timeout for lookups and inbox queries; a send ends with its signal. */
  timeout?: Millis
}>

/** The longest answer is the inbox. */
const INBOX_LIMIT = 64 * 1024 * 1024

/** The simulator reports up to 125 receipts at once. */
const CALLBACKS: CallbackBounds = {
  maxBytes: 256 * 1024,
  mayBeGenuine: (headers) => headers.has(SIGNATURE_HEADER),
}

export function openRemoteSimulator(options: RemoteSimulatorOptions): Simulator {
  const { name, url, secret, timeout = seconds(5) } = options
  const http = openHttp({ bodyLimit: INBOX_LIMIT })
  const base = url.replace(/\/$/, '')
  const remote: Remote = {
    ...options,
    http,
    url: base,
    attemptsUrl: `${base}/v1/attempts`,
    authorization: `Bearer ${secret}`,
    timeout,
  }
  return {
    name,
    capabilities: { channels: ['sms', 'email'], reports: 'callback', users: true, simulated: true },
    callbacks: CALLBACKS,
    send: (attempt, signal) => send(remote, attempt, signal),
    readCallback: async (request) => readCallback(secret, request),
    lookup: (_ref, id) => lookup(remote, id),
    inbox: (query) => inbox(remote, query),
    mail: (query) => mail(remote, query),
    async [Symbol.asyncDispose]() {
      http[Symbol.dispose]()
    },
  }
}

type Remote = Required<RemoteSimulatorOptions> & Readonly<{ http: Http; attemptsUrl: string; authorization: string }>

async function send(remote: Remote, attempt: Attempt, signal: AbortSignal): Promise<SendOutcome> {
  const { http, attemptsUrl, authorization, callbackUrl, clock } = remote
  const headers = { authorization, 'content-type': 'application/json', traceparent: traceparentOf(attempt) }
  const body = JSON.stringify(toAttemptJson(toHandover(attempt, withWorker(callbackUrl, attempt))))
  const result = await http.send({ method: 'POST', url: attemptsUrl, headers, body }, signal)
  return result.kind === 'answered' ? toOutcome(result, clock) : toFailedOutcome(result)
}

function toOutcome(answer: HttpAnswer, clock: Clock): SendOutcome {
  const { status } = answer
  const json = jsonOf(answer)
  if (status === 201) {
    const providerMessageId = parseAccepted(json)
    return providerMessageId === undefined ? toUnclear(status) : { kind: 'accepted', providerMessageId }
  }
  const refusal = parseRefusal(json) ?? toUnclear(status)
  const { code, detail } = refusal
  const isDeferred = byHttpStatus(status).kind === 'deferred'
  if (isDeferred) return { ...refusal, kind: 'deferred', retryAfter: retryAfterOf(answer, clock()) }
  if (status === 422) return { kind: 'rejected', blame: 'message', code, detail }
  // It did not process the message: the URL, the secret or the version is wrong.
  if (status >= 400 && status < 500) return { kind: 'rejected', blame: 'provider', code, detail }
  return toUnclear(status)
}

const toUnclear = (status: number) =>
  ({
    kind: 'unknown',
    code: `HTTP_${status}`,
    detail: `the simulator answered HTTP ${status}, which does not say whether it took the message`,
  }) as const

function readCallback(secret: string, { headers, body }: CallbackRequest): readonly Receipt[] | 'forged' {
  if (!isSigned(secret, body, headers.get(SIGNATURE_HEADER))) return 'forged'
  return parseReceipts(jsonOf({ body })) ?? 'forged'
}

async function lookup(remote: Remote, id: AttemptId): Promise<LookupResult> {
  return parseLookup(await ask(remote, `/v1/attempts/${id}`)) ?? { kind: 'undetermined' }
}

async function inbox(remote: Remote, { tenantId, to, limit }: InboxQuery): Promise<readonly InboxItem[]> {
  const query = new URLSearchParams(omitUndefined({ tenant: tenantId, limit: `${limit}`, to }))
  const items = parseInbox(await ask(remote, `/v1/inbox?${query}`))
  if (items === undefined) throw new Unavailable('the simulator did not return its inbox')
  return items
}

async function mail(remote: Remote, { tenantId, attemptId }: MailQuery): Promise<ReceivedMail | undefined> {
  const query = new URLSearchParams({ tenant: tenantId, attempt_id: attemptId })
  const found = parseMail(await ask(remote, `/v1/mails?${query}`))
  if (found === undefined) throw new Unavailable('the simulator did not return the mail')
  return found === 'absent' ? undefined : found
}

/** The JSON of a 200 answer, otherwise undefined. */
async function ask(remote: Remote, path: string): Promise<unknown> {
  const { http, url, authorization, timeout } = remote
  const request = { method: 'GET', url: `${url}${path}`, headers: { authorization } } as const
  const result = await http.send(request, AbortSignal.timeout(timeout))
  return result.kind === 'answered' && result.status === 200 ? jsonOf(result) : undefined
}
