/** An attempt as the simulated carrier receives it. */
import type { AttemptId, AttemptRef, TenantId } from '../../domain/ids.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Instant } from '../../lib/time.ts'
import type { Attempt } from '../../ports/provider.ts'

/** The mail without Pombo's own fields. */
export type MailContent = Pick<EmailContent, (typeof MAIL_FIELDS)[number]>
const MAIL_FIELDS = [
  ...(['from', 'replyTo', 'cc', 'bcc', 'subject', 'html', 'text'] as const),
  ...(['headers', 'attachments', 'unsubscribe'] as const),
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
  const common = omitUndefined({ id, ref, tenantId, to: content.to, callback, expiresAt })
  const { channel } = content
  if (channel === 'email') return { ...common, channel, mail: toMailContent(content) }
  const { from, body } = content
  return { ...common, ...omitUndefined({ channel, body, from }) }
}

const toMailContent = (content: EmailContent): MailContent =>
  Object.fromEntries(
    MAIL_FIELDS.flatMap((key) => (content[key] === undefined ? [] : [[key, content[key]]])),
  ) as MailContent
