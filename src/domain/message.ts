/** A message, in its three parts: what everyone may know, what only search may know, and what is sealed. */
import type { EmailAddress } from './email-address.ts'
import type { AccountId, MessageId, TenantId, TraceId } from './ids.ts'
import type { PhoneNumber } from './phone-number.ts'
import type { RecipientId } from './recipient.ts'
import type { Encoding } from './segments.ts'
import type { SenderId } from './sender-id.ts'
import type { TemplateData } from './template-data.ts'
import type { Instant, Millis } from './time.ts'
import type { UserAddress } from './user-address.ts'

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
  /** Its caller wants to be told what becomes of it, at an address that is part of the content. */
  callback?: true
  /** The trace of the call that created it, carried on to the provider. */
  traceId: TraceId
}>

/** What is sealed with the message's own key: everything the caller told us. */
export type Content = SmsContent
export type SmsContent = Readonly<{
  channel: 'sms'
  kind: 'sms' | 'flash_sms'
  to: SmsAddress
  from?: SenderId
  body: string
  /** Whom of the directory the caller named, and which text, where it gave no address or no text itself. */
  recipientId?: RecipientId
  /** What the caller called them, where it named them so. */
  recipientExternalId?: string
  template?: NamedTemplate
  /** The code it carries, and what the caller asked of it. */
  otp?: Readonly<{ code: string; ttl: Millis; maxAttempts: number; appName?: string; locale?: string }>
  metadata: Readonly<Record<string, string>>
  tags: readonly string[]
  expiresAt?: Instant
  callbackUrl?: string
}>

export type NamedTemplate = Readonly<{ name: string; locale?: string; data: TemplateData }>

/**
 * What the caller asked for, without what we made of it: a call that is repeated asks for the same,
 * though a template or a directory may say something else by then.
 */
export function toAsked(content: Content): object {
  const { otp, template, recipientId, recipientExternalId, body, to, expiresAt, ...rest } = content
  if (otp !== undefined) return { ...rest, to, otp: { ...otp, code: '' } }
  return {
    ...rest,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...toAskedRecipient(content),
    ...(template === undefined ? { body } : { template }),
  }
}

function toAskedRecipient({ to, recipientId, recipientExternalId }: Content): object {
  if (recipientExternalId !== undefined) return { recipientExternalId }
  return recipientId === undefined ? { to } : { recipientId }
}

export type SmsAddress = PhoneNumber | UserAddress
export type Recipient = SmsAddress | EmailAddress

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
