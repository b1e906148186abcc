/**
 * A provider carries messages the last mile. One file under `providers/` holds all we know of one
 * provider: how to send, how to read its receipts, how to ask it about an attempt.
 */
import type { EmailAddress } from '../domain/email/address.ts'
import type { AttemptId, AttemptRef, ProviderName, TenantId, TraceId } from '../domain/ids.ts'
import type { Channel, EmailContent, SmsContent } from '../domain/message/message.ts'
import type { SendOutcome } from '../domain/message/outcome.ts'
import type { Encoding } from '../domain/message/segments.ts'
import type { Instant } from '../lib/time.ts'

/** One attempt at one message. `id` is our reference, the same however often this attempt is asked about. */
export type Attempt = SmsAttempt | EmailAttempt

type Common = Readonly<{
  id: AttemptId
  ref: AttemptRef
  tenantId: TenantId
  expiresAt?: Instant
  traceId: TraceId
}>
export type SmsAttempt = Common &
  Readonly<{ channel: 'sms'; content: SmsContent; encoding: Encoding; segments: number }>
export type EmailAttempt = Common & Readonly<{ channel: 'email'; content: EmailContent }>

/**
 * What a provider reports of an attempt after its answer. `reportId` is the same when it reports twice. `refused` comes
 * instead of an answer that was not waited for any more: the provider certainly did not take the attempt.
 */
export type Receipt = Readonly<{
  ref: AttemptRef
  providerMessageId: string
  state: 'accepted' | 'delivered' | 'dropped' | 'bounced' | 'complaint' | 'refused'
  reportId: string
  code?: string
  detail?: string
  /** Whom of the message's recipients it is about, where the provider tells; else the one it is for. */
  about?: EmailAddress
  /** The provider tells that it is about somebody else than the one it is for. */
  copy?: true
  /** Mail to them is not to be tried again, and why. */
  suppresses?: 'hard_bounce' | 'complaint'
  /** It will not tell of the delivery: to hear nothing more is the good news. */
  noDeliveryReports?: true
  /** Anybody could have written it: it is believed only of those whom the message is known to be for. */
  unauthenticated?: true
}>

/** A provider's callback as it arrived: signatures are checked on these very bytes. */
export type CallbackRequest = Readonly<{ method: string; url: string; headers: Headers; body: Uint8Array }>

/** What a provider knows of an attempt. `absent` is certain: it never got it. */
export type LookupResult = Readonly<{ kind: 'found'; receipt: Receipt } | { kind: 'absent' } | { kind: 'undetermined' }>

/** What we know of an attempt besides its name: what the provider called it, where it told us. */
export type Known = Readonly<{ providerMessageId?: string }>

export type Capabilities = Readonly<{
  channels: readonly Channel[]
  /** How it reports what became of a message: it calls us, it tells on the connection we hold to it, or it does not. */
  reports: 'callback' | 'connection' | 'never'
  /** Whether it reaches users of whom no address is known. */
  users?: true
}>

/** How many connections a provider is to hold, and how many of them are up. */
export type Connections = Readonly<{ wanted: number; up: number }>

export interface Provider {
  readonly name: ProviderName
  readonly capabilities: Capabilities

  /** Hands over one message. Whatever the provider answers is an outcome; a throw is a bug of ours. */
  send(attempt: Attempt, signal: AbortSignal): Promise<SendOutcome>

  /** The receipts in a callback, or `'forged'` when the provider did not write it. */
  readCallback(request: CallbackRequest): Promise<readonly Receipt[] | 'forged'>

  /**
   * Asks what became of an attempt, where the provider can be asked. `found` must be this attempt and no other: by our
   * reference or by the provider's own id, never by what the message looks like.
   */
  lookup?(ref: AttemptRef, id: AttemptId, known?: Known): Promise<LookupResult>

  /** Whether a message would find its turn soon. While it would not, messages wait outside and use up no attempts. */
  hasRoom?(): boolean

  /** The connections it holds to send by, where it holds any; a process that does not send holds none. */
  connections?(): Connections
}
