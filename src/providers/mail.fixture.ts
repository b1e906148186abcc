/** A mail to send and a sender, for tests. */
import { randomUUID } from 'node:crypto'
import type { EmailAddress } from '../domain/email/address.ts'
import type { Mailbox } from '../domain/email/mailbox.ts'
import type { AttemptId, MessageId, TenantId, TraceId } from '../domain/ids.ts'
import type { EmailContent } from '../domain/message/message.ts'
import type { EmailAttempt } from '../ports/provider.ts'

export const address = (text: string): EmailAddress => text as EmailAddress

export const SENDER: Mailbox = { address: address('no-reply@acme.example'), name: 'Acme' }

/** An attempt with a valid mail. */
export const someMailAttempt = (content: Partial<EmailContent> = {}): EmailAttempt => ({
  channel: 'email',
  id: randomUUID().replaceAll('-', '').repeat(2) as AttemptId,
  ref: { messageId: randomUUID() as MessageId, cycle: 1, attempt: 2 },
  tenantId: 'acme' as TenantId,
  traceId: '0af7651916cd43dd8448eb211c80319c' as TraceId,
  content: {
    channel: 'email',
    kind: 'email',
    to: address('maria.silva@example.org'),
    subject: 'Seu código é 402718',
    html: '<p>Não conte a ninguém: 402718</p>',
    text: 'Não conte a ninguém: 402718',
    metadata: {},
    tags: [],
    ...content,
  },
})

/** Texts that must appear nowhere but in the mail itself. */
export const privateWords = ({ to, subject, html, text = html }: EmailContent): readonly string[] => [
  to,
  to.slice(0, to.lastIndexOf('@')),
  subject,
  html,
  text,
  '402718',
]
