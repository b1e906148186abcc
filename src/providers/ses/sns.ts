/**
 * Reads a callback of SNS. It is genuine if its topic is in the settings, it is at most an hour old, and it is signed
 * with a certificate from the SNS endpoint of its region. Only genuine subscriptions are confirmed.
 */
import { later, millis, parseInstant, seconds } from '../../lib/time.ts'
import type { CallbackRequest } from '../../ports/provider.ts'
import type { ProviderContext } from '../kind.ts'
import { type Certificates, type Get, parseSnsUrl } from './certificates.ts'
import { type Envelope, isSigned, parseEnvelope } from './sns-signature.ts'

export type SnsDeps = Pick<ProviderContext, 'clock' | 'log'> &
  Readonly<{ topics: ReadonlySet<string>; get: Get; certificates: Certificates }>

/** `id` is the same when SNS delivers it again. */
export type Notification = Readonly<{ id: string; message: string }>

export async function readSns(deps: SnsDeps, request: CallbackRequest): Promise<Notification | 'handled' | 'forged'> {
  const envelope = request.method === 'POST' ? parseEnvelope(request.body) : undefined
  if (envelope === undefined || !(await isGenuine(deps, envelope))) return 'forged'
  const { Type: type, TopicArn: topic, MessageId: id, Message: message } = envelope
  switch (type) {
    case 'Notification':
      return { id, message }
    case 'SubscriptionConfirmation':
      return confirm(deps, topic, envelope.SubscribeURL)
    case 'UnsubscribeConfirmation':
      deps.log('warn', 'sns: topic unsubscribed', { topic })
      return 'handled'
  }
}

/** The cheap checks come first: without a known topic nobody can make us fetch a certificate. */
async function isGenuine({ topics, clock, certificates }: SnsDeps, envelope: Envelope): Promise<boolean> {
  if (!topics.has(envelope.TopicArn) || !isRecent(envelope, clock)) return false
  const certificate = await certificates.of(envelope.SigningCertURL, envelope.TopicArn)
  return certificate !== undefined && isSigned(envelope, certificate)
}

/** Clocks differ. */
const SKEW = seconds(300)
/** SNS retries for an hour. */
const MAX_AGE = millis(seconds(3_600) + SKEW)

function isRecent({ Timestamp: timestamp }: Envelope, clock: SnsDeps['clock']): boolean {
  const at = parseInstant(timestamp)
  const now = clock()
  return at !== undefined && at >= later(now, millis(-MAX_AGE)) && at <= later(now, SKEW)
}

/** If SNS does not answer, the callback fails, and SNS retries it. */
async function confirm({ get, log }: SnsDeps, topic: string, subscribeUrl: string): Promise<'handled' | 'forged'> {
  const url = parseSnsUrl(subscribeUrl, topic)
  if (url === undefined) return 'forged'
  const answer = await get(url.href)
  if (answer === undefined) log('warn', 'sns: topic subscription could not be confirmed, subscribe again', { topic })
  else log('info', 'sns: topic subscription confirmed', { topic })
  return 'handled'
}
