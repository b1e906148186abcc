/** A message in three parts: public fields, fields for search only, and sealed content. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Instant, Millis } from '../../lib/time.ts'
import type { RecipientId } from '../directory/recipient.ts'
import type { TemplateData } from '../directory/template-data.ts'
import type { UserAddress } from '../directory/user-address.ts'
import type { EmailAddress } from '../email/address.ts'
import type { Mailbox } from '../email/mailbox.ts'
import type { AccountId, BatchId, MessageId, TenantId, TraceId } from '../ids.ts'
import type { CodeHash } from '../otp/challenge.ts'
import type { CodeShape } from '../otp/code.ts'
import { type TwilioTerms, toAskedTerms } from '../twilio/terms.ts'
import type { Country } from './country.ts'
import type { PhoneNumber } from './phone-number.ts'
import { type ReceiptRequest, type ReceiptsWanted, toAskedReceipt } from './receipt-request.ts'
import type { Encoding } from './segments.ts'
import type { SenderId } from './sender-id.ts'
import type { SpanContext } from './trace.ts'

export const CHANNELS = ['sms', 'email'] as const
export const KINDS = ['sms', 'flash_sms', 'email'] as const
/** Highest priority first. */
export const LANES = ['otp', 'transactional', 'bulk'] as const
export type Channel = (typeof CHANNELS)[number]
export type Kind = (typeof KINDS)[number]
export type Lane = (typeof LANES)[number]

/** The fields that reveal nothing about a person. They never change. */
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
  /** The message has its own `callback_url`, which is part of the content. */
  callback?: true
  /** The size of the content in kilobytes, if large enough for the memory budget. */
  contentSize?: number
  /** The trace of the call that created it, propagated to the provider. */
  traceId: TraceId
  /** The `X-Request-Id` of that call. Missing in messages of earlier releases. */
  httpRequestId?: string
  /** Where the phone number of the recipient belongs. Missing in messages of earlier releases. */
  country?: Country
  /** The caller does not record its trace, so nothing of the message is exported. */
  unsampled?: true
  /** The batch that it was sent in. A repeated call leaves a message in its first batch. */
  batchId?: BatchId
  /** The name of the template that its text was made from. Missing in messages of earlier releases. */
  template?: NamedTemplate['name']
  /** The SMPP client that sent it expects delivery receipts; what they need is part of the content. */
  receipts?: ReceiptsWanted
}>

/** Where a call came from, as its message records it. `cause` is its span. */
export type Origin = Pick<Message, 'traceId' | 'httpRequestId' | 'unsampled' | 'batchId'> &
  Readonly<{ cause?: SpanContext }>

/** How it is transmitted: SMS parts in one of the SMS encodings, or one email. */
export type Form = Readonly<{ segments: number; encoding: Encoding | 'mime' }>
export const MAIL: Form = { segments: 1, encoding: 'mime' }

/** Everything the caller gave us, sealed with the message's own key. */
export type Content = SmsContent | EmailContent

type Common = Readonly<{
  /** The directory entry and the template that the caller named instead of an address or a text. */
  recipientId?: RecipientId
  /** The external id by which the caller named the recipient. */
  recipientExternalId?: string
  template?: NamedTemplate
  /** The one-time code, the caller's terms for it, and the hash that its challenge is armed with. */
  otp?: Readonly<{
    code: string
    ttl: Millis
    maxAttempts: number
    appName?: string
    locale?: string
    /** Missing for six digits. */
    shape?: CodeShape
    hash?: CodeHash
  }>
  metadata: Readonly<Record<string, string>>
  tags: readonly string[]
  expiresAt?: Instant
  callbackUrl?: string
  twilio?: TwilioTerms
  /** Of a message from an SMPP client. */
  receipt?: ReceiptRequest
}>

export type SmsContent = Common &
  Readonly<{ channel: 'sms'; kind: 'sms' | 'flash_sms'; to: SmsAddress; from?: SenderId; body: string }>

export type EmailContent = Common &
  Readonly<{
    channel: 'email'
    kind: 'email'
    to: EmailAddress
    /** Missing when the provider's configured sender applies. */
    from?: Mailbox
    replyTo?: readonly Mailbox[]
    cc?: readonly Mailbox[]
    bcc?: readonly Mailbox[]
    subject: string
    html: string
    /** The plain-text alternative, if the caller gave one. */
    text?: string
    /** Names are unique case-insensitively; neither names nor values contain line breaks. */
    headers?: Readonly<Record<string, string>>
    attachments?: readonly Attachment[]
    unsubscribe?: Unsubscribe
    /** Of a mail that arrived over SMTP. It is sent as it came, and the texts are parsed from it. */
    source?: MailSource
  }>

/** A whole mail (RFC 5322), in base64, without Bcc and our own headers. Its attachments are only in there. */
export type MailSource = Readonly<{ raw: string; attachments: readonly AttachmentSummary[] }>
/** `size` is in bytes. */
export type AttachmentSummary = Readonly<{ filename: string; contentType: string; size: number }>

/** `content` is base64 without line breaks. With a `contentId` the HTML can show it as `cid:…`. */
export type Attachment = Readonly<{ filename: string; contentType: string; content: string; contentId?: string }>

/** How the recipient unsubscribes: with one click at `url` (RFC 8058), or by an email to `mailto`. */
export type Unsubscribe = Readonly<{ url?: string; mailto?: EmailAddress }>

export type NamedTemplate = Readonly<{ name: string; locale?: string; data: TemplateData }>

/**
 * What the caller requested, without what we derived from it: a repeated call requests the same, even if the template
 * or the directory has changed since.
 */
export function toAsked(content: Content): object {
  const { otp, template, recipientId, recipientExternalId, to, expiresAt, twilio, receipt, ...said } = content
  const [texts, rest] = splitTexts(said)
  if (otp !== undefined) {
    const { hash: _, ...terms } = otp
    return { ...rest, to, otp: { ...terms, code: '' } }
  }
  return {
    ...rest,
    ...omitUndefined({ expiresAt: isRelative(content) ? undefined : expiresAt }),
    ...toAskedRecipient(content),
    ...(twilio === undefined ? {} : { twilio: toAskedTerms(twilio) }),
    ...(receipt === undefined ? {} : { receipt: toAskedReceipt(receipt) }),
    ...(template === undefined ? texts : { template }),
  }
}

/** The deadline counts from the request. */
const isRelative = ({ twilio, receipt }: Content): boolean =>
  twilio?.validityPeriod !== undefined || receipt?.validityPeriod !== undefined

type Said<One extends Content> = Omit<
  One,
  'otp' | 'template' | 'recipientId' | 'recipientExternalId' | 'to' | 'expiresAt' | 'twilio' | 'receipt'
>

/** Splits off the texts, which a template may have produced. */
function splitTexts(said: Said<SmsContent> | Said<EmailContent>): readonly [texts: object, rest: object] {
  if (said.channel === 'sms') {
    const { body, ...rest } = said
    return [{ body }, rest]
  }
  const { subject, html, text, source, ...rest } = said
  // The key of a mail that arrived over SMTP is made from its texts, and its source may have other trace headers.
  return [source === undefined ? omitUndefined({ subject, html, text }) : {}, rest]
}

function toAskedRecipient({ to, recipientId, recipientExternalId }: Content): object {
  if (recipientExternalId !== undefined) return { recipientExternalId }
  return recipientId === undefined ? { to } : { recipientId }
}

/** The sender, by which routes can match. */
export const senderOf = ({ from }: Pick<Content, 'from'>): string | undefined =>
  typeof from === 'object' ? from.address : from

export type SmsAddress = PhoneNumber | UserAddress
export type Recipient = SmsAddress | EmailAddress

/**
 * What the index may store about a message. It is kept with the key and not in the log, so that shredding the key
 * removes it.
 */
export type Searchable = Readonly<{
  to: string
  /** A keyed hash, equal for equal recipients of one tenant. */
  toKey: string
  /** The same for each recipient of a copy. Missing in entries older than the index of copies. */
  copyKeys?: readonly string[]
  tags: readonly string[]
  metadata: Readonly<Record<string, string>>
  /** Of an email that carries no code: its subject, and the name of the recipient in the directory. */
  subject?: string
  recipientId?: RecipientId
  /** The body, only if the operator enabled searching bodies. */
  body?: string
}>
