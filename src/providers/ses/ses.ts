/**
 * Amazon SES, for mail. A send has no idempotency key, so our reference rides in a tag, which comes back with what
 * SNS tells of the mail: what was taken, though its answer was lost, is known by the first report. SES cannot be asked.
 */

import type { Mailbox } from '../../domain/email/mailbox.ts'
import { toReference } from '../../domain/message/attempt-reference.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { toTraceparent } from '../../domain/message/trace.ts'
import type { CallbackRequest, EmailAttempt, Receipt } from '../../ports/provider.ts'
import { envelopeOf } from '../envelope.ts'
import { openHttp } from '../http.ts'
import { mailOnly, type OpenedProvider, type ProviderContext, type ProviderKind } from '../kind.ts'
import { toSender } from '../sender.ts'
import { EXPIRED, validityOf } from '../validity.ts'
import { Certificates, type Get, getter } from './certificates.ts'
import { type Client, openClient } from './client.ts'
import { isTooFast } from './errors.ts'
import { toReceipts } from './notifications.ts'
import { NO_TURN, toOutcome } from './outcome.ts'
import { SendQueue } from './send-queue.ts'
import { Settings } from './settings.ts'
import { readSns, type SnsDeps } from './sns.ts'

export const SES: ProviderKind<typeof Settings> = {
  description:
    'Mail by Amazon SES. It reports by SNS: subscribe our webhook to the topics, by HTTPS and without raw delivery; the subscription is confirmed by itself.',
  channels: ['email'],
  settings: Settings,
  sendsInThread: true,
  open: (settings, place) => openSes(settings, place),
}

const USUAL_RATE = 14
/** Neither an answer of SES nor a certificate is longer. */
const BODY_LIMIT = 64 * 1024

/** `get` reads an address of SNS. */
export function openSes(settings: Settings, place: ProviderContext, get?: Get): OpenedProvider {
  const http = openHttp({ bodyLimit: BODY_LIMIT })
  const turns = new SendQueue(settings.max_per_second ?? USUAL_RATE)
  const client = openClient(settings, http, place.clock)
  const topics = new Set(settings.topics)
  const isHeard = topics.size > 0
  const ses: Ses = { place, settings, sender: toSender(settings), turns, client, isHeard }
  const read = get ?? getter(http)
  const sns: SnsDeps = { ...place, topics, get: read, certificates: new Certificates({ ...place, get: read }) }
  return {
    name: place.name,
    capabilities: { channels: ['email'], reports: isHeard ? 'callback' : 'never' },
    send: mailOnly((attempt, signal) => send(ses, attempt, signal)),
    readCallback: (request) => readCallback(sns, request),
    hasRoom: () => turns.hasRoom,
    async [Symbol.asyncDispose]() {
      turns[Symbol.dispose]()
      http[Symbol.dispose]()
    },
  }
}

type Ses = Readonly<{
  place: ProviderContext
  settings: Settings
  sender: Mailbox
  turns: SendQueue
  client: Client
  isHeard: boolean
}>

async function send(ses: Ses, attempt: EmailAttempt, signal: AbortSignal): Promise<SendOutcome> {
  const { place, sender, turns, client, isHeard } = ses
  const { content, expiresAt, traceId, id } = attempt
  const envelope = envelopeOf(content, sender)
  if (!(await turns.take(envelope.to.length, signal))) return NO_TURN
  if (expiresAt !== undefined && validityOf(expiresAt, place.clock()) === 0) return EXPIRED
  const called = await client.call({
    input: await toInput(ses, attempt),
    // The span of the attempt is named by its id: see observe/tracing-spans.ts.
    traceparent: toTraceparent(traceId, id.slice(0, 16)),
    signal,
  })
  if (called.kind === 'unsigned') place.tell('warn', 'a call to SES could not be signed', { reason: called.reason })
  const outcome = toOutcome(called, isHeard)
  if (outcome.kind === 'deferred' && isTooFast(outcome)) turns.throttle(outcome.retryAfter)
  return outcome
}

/** Whom it goes to is told apart from the mail, which does not know of hidden copies. */
async function toInput({ place, settings, sender }: Ses, attempt: EmailAttempt) {
  const { from, to } = envelopeOf(attempt.content, sender)
  const { toMail } = await import('../mime.ts')
  const { raw } = await toMail(attempt, sender, place.clock())
  const { configuration_set: configurationSet } = settings
  return {
    FromEmailAddress: from,
    Destination: { ToAddresses: [...to] },
    Content: { Raw: { Data: raw } },
    EmailTags: [{ Name: 'attempt', Value: toReference(attempt.ref) }],
    ...(configurationSet === undefined ? {} : { ConfigurationSetName: configurationSet }),
  }
}

async function readCallback(sns: SnsDeps, request: CallbackRequest): Promise<readonly Receipt[] | 'forged'> {
  const read = await readSns(sns, request)
  if (read === 'forged') return read
  return read === 'seen to' ? [] : toReceipts(read)
}
