/** An attempt as the simulated carrier receives it. */
import type { AttemptId, AttemptRef, TenantId } from '../../domain/ids.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import type { Instant } from '../../lib/time.ts'
import type { Attempt } from '../../ports/provider.ts'

/** The mail without Pombo's own fields. */
export type MailContent = Pick<EmailContent, (typeof MAIL_FIELDS)[number]>
const MAIL_FIELDS = [
  ...(['from', 'replyTo', 'cc', 'bcc', 'subject', 'html', 'text'] as const),
  ...(['headers', 'attachments', 'unsubscribe', 'source'] as const),
] as const

export type Handover = SmsHandover | MailHandover

/** Receipts are sent to `callback`. */
type Common = Readonly<{
  id: AttemptId
  ref: AttemptRef
  tenantId: TenantId
  to: string
  expiresAt?: Instant
  callback: string
}>
export type SmsHandover = Common & Readonly<{ channel: 'sms'; from?: string; body: string }>
export type MailHandover = Common & Readonly<{ channel: 'email'; mail: MailContent }>

export function toHandover(attempt: Attempt, callback: string): Handover {
  const { id, ref, tenantId, content, expiresAt } = attempt
  const { channel, to } = content
  const deadline = expiresAt === undefined ? {} : { expiresAt }
  if (channel === 'email')
    return { id, ref, tenantId, to, callback, channel, mail: toMailContent(content), ...deadline }
  const { from, body } = content
  const sender = from === undefined ? {} : { from }
  return { id, ref, tenantId, to, callback, channel, body, ...sender, ...deadline }
}

const toMailContent = (content: EmailContent): MailContent =>
  Object.fromEntries(
    MAIL_FIELDS.flatMap((key) => (content[key] === undefined ? [] : [[key, content[key]]])),
  ) as MailContent
