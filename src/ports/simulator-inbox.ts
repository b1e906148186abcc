/** The messages that simulated handsets and mailboxes have received. */
import type { Mailbox } from '../domain/email/mailbox.ts'
import type { TenantId } from '../domain/ids.ts'
import type { Channel, EmailContent, Recipient } from '../domain/message/message.ts'

export type Letter = Pick<
  EmailContent,
  'replyTo' | 'cc' | 'subject' | 'html' | 'text' | 'headers' | 'attachments' | 'source'
>

export type ReceivedMail = Readonly<{
  to: string
  from: Mailbox
  messageId: string
  receivedAt: number
  letter: Letter & Pick<EmailContent, 'bcc'>
  /** The RFC 5322 message as received. */
  raw: Uint8Array
}>

/** Undefined if this tenant received no email by that attempt. */
export type FindMail = (query: Readonly<{ tenantId: TenantId; attemptId: string }>) => Promise<ReceivedMail | undefined>

export type Received = Readonly<{
  channel: Channel
  to: string
  from?: string
  /** Emails only. */
  subject?: string
  body: string
  attemptId: string
  messageId: string
  receivedAt: number
}>

export type Inbox = Readonly<{
  /** Newest first. */
  list: (query: Readonly<{ tenantId: TenantId; to?: Recipient; limit: number }>) => Promise<readonly Received[]>
  mail: FindMail
}>
