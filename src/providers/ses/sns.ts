/**
 * A call of our webhook by SNS. It is believed when it is about a topic that the operator named, is of the last
 * hour, and is signed by a certificate that the SNS of its region handed out. A subscription is confirmed only then.
 */
import { later, millis, parseInstant, seconds } from '../../lib/time.ts'
import type { CallbackRequest } from '../../ports/provider.ts'
import type { ProviderContext } from '../kind.ts'
import { type Certificates, type Get, parseSnsUrl } from './certificates.ts'
import { type Envelope, isSigned, parseEnvelope } from './sns-signature.ts'

export type SnsDeps = Pick<ProviderContext, 'clock' | 'tell'> &
  Readonly<{ topics: ReadonlySet<string>; get: Get; certificates: Certificates }>

/** `id` is the same when it is told again. */
export type Notification = Readonly<{ id: string; message: string }>

export async function readSns(deps: SnsDeps, request: CallbackRequest): Promise<Notification | 'seen to' | 'forged'> {
  const envelope = request.method === 'POST' ? parseEnvelope(request.body) : undefined
  if (envelope === undefined || !(await isGenuine(deps, envelope))) return 'forged'
  const { Type: type, TopicArn: topic, MessageId: id, Message: message } = envelope
  switch (type) {
    case 'Notification':
      return { id, message }
    case 'SubscriptionConfirmation':
      return confirm(deps, topic, envelope.SubscribeURL)
    case 'UnsubscribeConfirmation':
      deps.tell('warn', 'a topic of SNS reports here no more', { topic })
      return 'seen to'
  }
}

/** What costs nothing is looked at first: whoever does not know our topics can make us fetch nothing. */
async function isGenuine({ topics, clock, certificates }: SnsDeps, envelope: Envelope): Promise<boolean> {
  if (!topics.has(envelope.TopicArn) || !isRecent(envelope, clock)) return false
  const certificate = await certificates.of(envelope.SigningCertURL, envelope.TopicArn)
  return certificate !== undefined && isSigned(envelope, certificate)
}

/** Its clock may differ from ours. */
const SKEW = seconds(300)
/** SNS tries for no longer than an hour. */
const OLDEST = millis(seconds(3_600) + SKEW)

function isRecent({ Timestamp: timestamp }: Envelope, clock: SnsDeps['clock']): boolean {
  const at = parseInstant(timestamp)
  const now = clock()
  return at !== undefined && at >= later(now, millis(-OLDEST)) && at <= later(now, SKEW)
}

/** Should SNS not answer, this call fails, and it asks again. */
async function confirm({ get, tell }: SnsDeps, topic: string, subscribeUrl: string): Promise<'seen to' | 'forged'> {
  const url = parseSnsUrl(subscribeUrl, topic)
  if (url === undefined) return 'forged'
  const answer = await get(url.href)
  if (answer === undefined) tell('warn', 'SNS does not take the confirmation of a topic; subscribe again', { topic })
  else tell('info', 'a topic of SNS reports here from now on', { topic })
  return 'seen to'
}
