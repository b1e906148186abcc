/**
 * A provider delivers messages to recipients. Its folder under `providers/` contains everything specific to it:
 * sending, receipts, look-ups.
 */
import type { EmailAddress } from '../domain/email/address.ts'
import type { AttemptId, AttemptRef, ProviderName, TenantId, TraceId } from '../domain/ids.ts'
import type { Channel, EmailContent, SmsContent } from '../domain/message/message.ts'
import type { SendOutcome } from '../domain/message/outcome.ts'
import type { Encoding } from '../domain/message/segments.ts'
import type { SpanContext } from '../domain/message/trace.ts'
import type { Instant } from '../lib/time.ts'

/** One attempt at one message. `id` is our reference to it, and never changes. */
export type Attempt = SmsAttempt | EmailAttempt

type AttemptFields = Readonly<{
  id: AttemptId
  ref: AttemptRef
  tenantId: TenantId
  expiresAt?: Instant
  traceId: TraceId
  /** The caller does not record its trace. */
  unsampled?: true
  /** The worker that makes it, where another process may receive the reports; see `withWorker`. */
  worker?: string
}>
export type SmsAttempt = AttemptFields &
  Readonly<{ channel: 'sms'; content: SmsContent; encoding: Encoding; segments: number }>
export type EmailAttempt = AttemptFields & Readonly<{ channel: 'email'; content: EmailContent }>

/**
 * A provider's report on an attempt, after its response. `reportId` identifies repeated reports. `refused` comes
 * instead of a response we stopped waiting for: the provider certainly did not take the attempt.
 */
export type Receipt = Readonly<{
  ref: AttemptRef
  providerMessageId: string
  state: 'accepted' | 'delivered' | 'dropped' | 'bounced' | 'complaint' | 'refused'
  reportId: string
  code?: string
  detail?: string
  /** The recipient it is about, if the provider says so; otherwise the main recipient. */
  about?: EmailAddress
  /** The provider says that it is about a copy. */
  copy?: true
  /** No more email may be sent to the recipient, and why. */
  suppresses?: 'hard_bounce' | 'complaint'
  /** No delivery report will follow. */
  noDeliveryReports?: true
  /** Whose callback it came with: it counts only for attempts of that provider. */
  provider?: ProviderName
  /** Anyone could have sent it: it counts only for known recipients of the message. */
  unauthenticated?: true
  /** The span of the callback that it came with, where traces are exported. */
  cause?: SpanContext
}>

/** A provider's callback as received: signatures cover these exact bytes. */
export type CallbackRequest = Readonly<{ method: string; url: string; headers: Headers; body: Uint8Array }>

/** The result of a look-up. `absent` is certain: the provider never received the attempt. */
export type LookupResult = Readonly<{ kind: 'found'; receipt: Receipt } | { kind: 'absent' } | { kind: 'undetermined' }>

/** What we know about an attempt besides its id. */
export type KnownAttempt = Readonly<{ providerMessageId?: string }>

export type Capabilities = Readonly<{
  channels: readonly Channel[]
  /** How it reports deliveries: by callback, on our connection, or never. */
  reports: 'callback' | 'connection' | 'never'
  /** Whether it reaches users without a known address. */
  users?: true
  /** It delivers to nobody: messages in test mode go nowhere else. */
  simulated?: true
}>

/**
 * What a callback must look like before its body is read: until then nobody has shown who they are. `mayBeGenuine` only
 * looks at the headers.
 */
export type CallbackBounds = Readonly<{ maxBytes: number; mayBeGenuine: (headers: Headers) => boolean }>

/** The number of connections to keep, and how many are up. */
export type Connections = Readonly<{ wanted: number; up: number }>

export interface Provider {
  readonly name: ProviderName
  readonly capabilities: Capabilities
  /** The only tenants that may use it, if it is reserved: see `mayUse`. */
  readonly tenants?: readonly TenantId[]
  readonly callbacks?: CallbackBounds

  /** Sends one message. Every response is an outcome; a throw is a bug of ours. */
  send(attempt: Attempt, signal: AbortSignal): Promise<SendOutcome>

  /** The receipts in a callback, or `'forged'` if the provider did not send it. */
  readCallback(request: CallbackRequest): Promise<readonly Receipt[] | 'forged'>

  /**
   * Looks up an attempt, if the provider supports it. `found` must match this attempt by our reference or the
   * provider's id, never by its content.
   */
  lookup?(ref: AttemptRef, id: AttemptId, known?: KnownAttempt): Promise<LookupResult>

  /** Whether a call would start soon. While false, messages wait without using up attempts. */
  hasRoom?(): boolean

  /** The connections for sending, if it uses any; a process that does not send has none. */
  connections?(): Connections
}
