/** Reads mails as clients send them over SMTP: what they say, and their bytes as they are sent on. */
import type { EmailAddress } from '../domain/email/address.ts'
import type { TenantId } from '../domain/ids.ts'
import type { EmailContent } from '../domain/message/message.ts'
import type { Instant } from '../lib/time.ts'

/** What a mail gets where it says nothing itself. */
export type MailDefaults = Readonly<{ from?: EmailAddress; at: Instant }>

export type ReadMail = Readonly<{
  kind: 'read'
  content: Pick<EmailContent, 'subject' | 'html' | 'text' | 'replyTo' | 'tags' | 'metadata'> &
    Required<Pick<EmailContent, 'from' | 'source'>>
  /** The address of the header `Sender`, which some mailboxes show beside `From`. */
  sender?: EmailAddress
  isBulk: boolean
  /** What tells whether this is the same mail as another; undefined if it says nothing that would. */
  identity?: string
}>

/** What is wrong with a mail that can never be sent. `detail` quotes nothing of it. */
export type UnreadableMail = Readonly<{ kind: 'unreadable'; flaw: MailFlaw; detail: string }>
export type MailFlaw = 'line_breaks' | 'sender' | 'too_large' | 'loop' | 'headers'

export interface MailReader {
  /** The mails of tenants take turns. */
  read(raw: Uint8Array, defaults: MailDefaults, of: TenantId): Promise<ReadMail | UnreadableMail>
}
