/**
 * Amazon SES, for email. A send has no idempotency key, so a tag carries our reference and comes back in SNS
 * notifications: a mail whose answer was lost is identified by its first notification. SES has no lookup.
 */
import type { Mailbox } from '../../domain/email/mailbox.ts'
import { toReference } from '../../domain/message/attempt-reference.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { PacedQueue } from '../../lib/paced-queue.ts'
import type { CallbackBounds, CallbackRequest, EmailAttempt, Receipt } from '../../ports/provider.ts'
import { envelopeOf, toSender } from '../envelope.ts'
import { openHttp } from '../http.ts'
import { mailOnly, type OpenedProvider, type ProviderContext, type ProviderKind, validityOf } from '../kind.ts'
import { EXPIRED } from '../provider-errors.ts'
import { traceparentOf } from '../rest-api.ts'
import { Certificates, type Get, getter } from './certificates.ts'
import { type Client, openClient } from './client.ts'
import { isTooFast } from './errors.ts'
import { toReceipts } from './notifications.ts'
import { QUEUE_TIMEOUT, toOutcome } from './outcome.ts'
import { Settings } from './settings.ts'
import { readSns, type SnsDeps } from './sns.ts'

export const SES: ProviderKind<typeof Settings> = {
  description:
    'Email through Amazon SES. It reports through SNS: subscribe our callback URL to the topics over HTTPS, without raw message delivery. We confirm the subscription.',
  channels: ['email'],
  settings: Settings,
  sendsInThread: true,
  open: (settings, context) => openSes(settings, context),
}

const DEFAULT_RATE = 14
/** Neither an answer of SES nor a certificate is longer. */
const BODY_LIMIT = 64 * 1024

/** SNS names the type of a message in a header too. A message has at most 256 KB. */
const CALLBACKS: CallbackBounds = {
  maxBytes: 256 * 1024,
  mayBeGenuine: (headers) => headers.has('x-amz-sns-message-type'),
}

/** `get` reads a URL of SNS. */
export function openSes(settings: Settings, context: ProviderContext, get?: Get): OpenedProvider {
  const http = openHttp({ bodyLimit: BODY_LIMIT })
  const queue = new PacedQueue({ unitsPerSecond: settings.max_per_second ?? DEFAULT_RATE })
  const client = openClient(settings, http, context.clock)
  const topics = new Set(settings.topics)
  const hasReports = topics.size > 0
  const ses: Ses = { context, settings, sender: toSender(settings), queue, client, hasReports }
  const read = get ?? getter(http)
  const sns: SnsDeps = { ...context, topics, get: read, certificates: new Certificates({ ...context, get: read }) }
  return {
    name: context.name,
    capabilities: { channels: ['email'], reports: hasReports ? 'callback' : 'never' },
    send: mailOnly((attempt, signal) => send(ses, attempt, signal)),
    callbacks: CALLBACKS,
    readCallback: (request) => readCallback(sns, request),
    hasRoom: () => queue.hasRoom,
    async [Symbol.asyncDispose]() {
      queue[Symbol.dispose]()
      http[Symbol.dispose]()
    },
  }
}

type Ses = Readonly<{
  context: ProviderContext
  settings: Settings
  sender: Mailbox
  /** SES limits the rate of recipients, not of mails. */
  queue: PacedQueue
  client: Client
  hasReports: boolean
}>

async function send(ses: Ses, attempt: EmailAttempt, signal: AbortSignal): Promise<SendOutcome> {
  const { context, sender, queue, client, hasReports } = ses
  const { content, expiresAt } = attempt
  const envelope = envelopeOf(content, sender)
  if (!(await queue.take(signal, { units: envelope.to.length }))) return QUEUE_TIMEOUT
  if (expiresAt !== undefined && validityOf(expiresAt, context.clock()) === 0) return EXPIRED
  const result = await client.call({
    input: await toInput(ses, attempt),
    traceparent: traceparentOf(attempt),
    signal,
  })
  if (result.kind === 'unsigned') context.log('warn', 'ses: request could not be signed', { reason: result.reason })
  const outcome = toOutcome(result, hasReports)
  if (outcome.kind === 'deferred' && isTooFast(outcome)) queue.throttle(outcome.retryAfter)
  return outcome
}

/** `Destination` includes Bcc recipients; the raw mail does not. */
async function toInput({ context, settings, sender }: Ses, attempt: EmailAttempt) {
  const { from, to } = envelopeOf(attempt.content, sender)
  const { toMail } = await import('../mime.ts')
  const { raw } = await toMail(attempt, sender, context.clock())
  return omitUndefined({
    FromEmailAddress: from,
    Destination: { ToAddresses: [...to] },
    Content: { Raw: { Data: raw } },
    EmailTags: [{ Name: 'attempt', Value: toReference(attempt.ref) }],
    ConfigurationSetName: settings.configuration_set,
  })
}

async function readCallback(sns: SnsDeps, request: CallbackRequest): Promise<readonly Receipt[] | 'forged'> {
  const read = await readSns(sns, request)
  if (read === 'forged') return read
  return read === 'handled' ? [] : toReceipts(read)
}
