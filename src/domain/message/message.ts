/** A message, in its three parts: what everyone may know, what only search may know, and what is sealed. */

import type { Instant, Millis } from '../../lib/time.ts'
import type { RecipientId } from '../directory/recipient.ts'
import type { TemplateData } from '../directory/template-data.ts'
import type { UserAddress } from '../directory/user-address.ts'
import type { EmailAddress } from '../email/address.ts'
import type { Mailbox } from '../email/mailbox.ts'
import type { AccountId, MessageId, TenantId, TraceId } from '../ids.ts'
import type { PhoneNumber } from './phone-number.ts'
import type { Encoding } from './segments.ts'
import type { SenderId } from './sender-id.ts'

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
  segments: Form['segments']
  encoding: Form['encoding']
  createdAt: Instant
  expiresAt?: Instant
  /** Its caller wants to be told what becomes of it, at an address that is part of the content. */
  callback?: true
  /** How heavy its content is, in kilobytes, where it is worth counting. */
  weight?: number
  /** The trace of the call that created it, carried on to the provider. */
  traceId: TraceId
}>

/** In what it travels: so many parts of an SMS in one of its alphabets, or one mail. */
export type Form = Readonly<{ segments: number; encoding: Encoding | 'mime' }>
export const MAIL: Form = { segments: 1, encoding: 'mime' }

/** What is sealed with the message's own key: everything the caller told us. */
export type Content = SmsContent | EmailContent

type Common = Readonly<{
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

export type SmsContent = Common &
  Readonly<{ channel: 'sms'; kind: 'sms' | 'flash_sms'; to: SmsAddress; from?: SenderId; body: string }>

export type EmailContent = Common &
  Readonly<{
    channel: 'email'
    kind: 'email'
    to: EmailAddress
    /** What the provider is set up with, where the caller named nobody. */
    from?: Mailbox
    replyTo?: readonly Mailbox[]
    cc?: readonly Mailbox[]
    bcc?: readonly Mailbox[]
    subject: string
    html: string
    /** What is shown where html is not. A mail whose caller gave none has no such part. */
    text?: string
    /** Names are unique whatever their case; neither names nor values can end a line. */
    headers?: Readonly<Record<string, string>>
    attachments?: readonly Attachment[]
    unsubscribe?: Unsubscribe
  }>

/** `content` is base64 without line breaks. With a `contentId` the html may show it, as `cid:…`. */
export type Attachment = Readonly<{ filename: string; contentType: string; content: string; contentId?: string }>

/** Where the recipient can have no more of these: with one click at `url` (RFC 8058), or by writing to `mailto`. */
export type Unsubscribe = Readonly<{ url?: string; mailto?: EmailAddress }>

export type NamedTemplate = Readonly<{ name: string; locale?: string; data: TemplateData }>

/**
 * What the caller asked for, without what we made of it: a call that is repeated asks for the same,
 * though a template or a directory may say something else by then.
 */
export function toAsked(content: Content): object {
  const { otp, template, recipientId, recipientExternalId, to, expiresAt, ...said } = content
  const [texts, rest] = splitTexts(said)
  if (otp !== undefined) return { ...rest, to, otp: { ...otp, code: '' } }
  return {
    ...rest,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...toAskedRecipient(content),
    ...(template === undefined ? texts : { template }),
  }
}

type Said<One extends Content> = Omit<
  One,
  'otp' | 'template' | 'recipientId' | 'recipientExternalId' | 'to' | 'expiresAt'
>

/** The texts, which a template may make, and all else. */
function splitTexts(said: Said<SmsContent> | Said<EmailContent>): readonly [texts: object, rest: object] {
  if (said.channel === 'sms') {
    const { body, ...rest } = said
    return [{ body }, rest]
  }
  const { subject, html, text, ...rest } = said
  return [{ subject, html, ...(text === undefined ? {} : { text }) }, rest]
}

function toAskedRecipient({ to, recipientId, recipientExternalId }: Content): object {
  if (recipientExternalId !== undefined) return { recipientExternalId }
  return recipientId === undefined ? { to } : { recipientId }
}

/** Whom it says it is from, in one word: routes go by it. */
export const senderOf = ({ from }: Pick<Content, 'from'>): string | undefined =>
  typeof from === 'object' ? from.address : from

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
  /** The same of everybody who got a copy of a mail. Missing in what was written before copies were noted. */
  copyKeys?: readonly string[]
  tags: readonly string[]
  metadata: Readonly<Record<string, string>>
  /** Of a mail, unless it carries a code: what it is about, and whom of the directory it is for. */
  subject?: string
  recipientId?: RecipientId
  /** The text itself, only where the operator asked for it to be searchable. */
  body?: string
}>
