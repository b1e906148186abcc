/** An attempt as it reaches the simulated carrier. */
import type { AttemptId, AttemptRef, TenantId } from '../../domain/ids.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import type { Instant } from '../../lib/time.ts'
import type { Attempt } from '../../ports/provider.ts'

/** What a mailbox gets of a mail, and whom it is copied to. */
export type Letter = Pick<EmailContent, (typeof LETTER)[number]>
const LETTER = [
  ...(['from', 'replyTo', 'cc', 'bcc', 'subject', 'html', 'text'] as const),
  ...(['headers', 'attachments', 'unsubscribe'] as const),
] as const

export type Handover = SmsHandover | MailHandover

/** `callback` is where its receipts go. */
type Common = Readonly<{
  id: AttemptId
  ref: AttemptRef
  tenantId: TenantId
  to: string
  expiresAt?: Instant
  callback: string
}>
export type SmsHandover = Common & Readonly<{ channel: 'sms'; from?: string; body: string }>
export type MailHandover = Common & Readonly<{ channel: 'email'; letter: Letter }>

export function toHandover(attempt: Attempt, callback: string): Handover {
  const { id, ref, tenantId, content, expiresAt } = attempt
  const until = expiresAt === undefined ? {} : { expiresAt }
  const { channel, to } = content
  if (channel === 'email') return { id, ref, tenantId, to, callback, ...until, channel, letter: toLetter(content) }
  const { from, body } = content
  return { id, ref, tenantId, to, callback, ...until, channel, body, ...(from === undefined ? {} : { from }) }
}

/** Without what is ours about it. */
const toLetter = (content: EmailContent): Letter =>
  Object.fromEntries(LETTER.flatMap((key) => (content[key] === undefined ? [] : [[key, content[key]]]))) as Letter
