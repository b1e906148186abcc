/** A message, in its three parts: what everyone may know, what only search may know, and what is sealed. */
import type { EmailAddress } from './email-address.ts'
import type { AccountId, MessageId, TenantId, TraceId } from './ids.ts'
import type { PhoneNumber } from './phone-number.ts'
import type { Encoding } from './segments.ts'
import type { SenderId } from './sender-id.ts'
import type { Instant } from './time.ts'

export const CHANNELS = ['sms', 'email'] as const
export const KINDS = ['sms', 'flash_sms', 'email'] as const
/** In order of precedence. */
export const LANES = ['otp', 'transactional', 'bulk'] as const
export type Channel = (typeof CHANNELS)[number]
export type Kind = (typeof KINDS)[number]
export type Lane = (typeof LANES)[number]

/** The facts of a message that say nothing about a person; they never change. */
export type Message = Readonly<{
  id: MessageId
  tenantId: TenantId
  accountId: AccountId
  channel: Channel
  kind: Kind
  lane: Lane
  segments: number
  encoding: Encoding
  createdAt: Instant
  expiresAt?: Instant
  /** The trace of the call that created it, carried on to the provider. */
  traceId: TraceId
}>

/** What is sealed with the message's own key: everything the caller told us. */
export type Content = SmsContent
export type SmsContent = Readonly<{
  channel: 'sms'
  kind: 'sms' | 'flash_sms'
  to: PhoneNumber
  from?: SenderId
  body: string
  metadata: Readonly<Record<string, string>>
  tags: readonly string[]
  expiresAt?: Instant
  callbackUrl?: string
}>

export type Recipient = PhoneNumber | EmailAddress

/**
 * What the index may know of a person's message. It is kept beside the key and not in the log, so
 * that shredding the key takes it along.
 */
export type Searchable = Readonly<{
  to: string
  /** A keyed hash of the recipient, equal for equal recipients of one tenant. */
  toKey: string
  tags: readonly string[]
  metadata: Readonly<Record<string, string>>
  /** The text itself, only where the operator asked for it to be searchable. */
  body?: string
}>
