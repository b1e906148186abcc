/** Converts mails to and from rows of the simulator's file: the raw source as a mailbox gets it, and its content. */
import type { EmailAddress } from '../../domain/email/address.ts'
import type { Mailbox } from '../../domain/email/mailbox.ts'
import type { MessageId, TraceId } from '../../domain/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Instant } from '../../lib/time.ts'
import type { EmailAttempt } from '../../ports/provider.ts'
import type { Handover, MailContent, MailHandover } from './handover.ts'
import { truncate } from './preview.ts'
import type { Cell, MailRow, StoredMail } from './wire.ts'

/** `raw` is the source. Bcc recipients are only in `letter`. */
export type ReceivedMail = Readonly<{
  to: string
  from: Mailbox
  messageId: MessageId
  receivedAt: Instant
  letter: MailContent
  raw: Uint8Array
}>

/** The sender of mails that name none. */
const SENDER: Mailbox = { address: 'pombo@sim.pombo.test' as EmailAddress }

export async function toMailRow(handover: MailHandover, now: Instant): Promise<MailRow> {
  // Loaded on demand: most simulators never receive a mail.
  const { toMail } = await import('../mime.ts')
  const { raw } = await toMail(toAttempt(handover), SENDER, now)
  const letter = await toLetter(handover.mail)
  const { from = SENDER, subject, html, text } = handover.mail
  return omitUndefined({
    row: toRow({ ...handover, from: from.address, body: truncate(text ?? '') }, now),
    subject,
    html: text === undefined ? html : undefined,
    letter: Buffer.from(JSON.stringify(letter)),
    raw,
  })
}

/** The attachments of a mail that arrived over SMTP are in its source, which the mailbox has anyway. */
async function toLetter({ source, ...mail }: MailContent): Promise<MailContent> {
  if (source === undefined) return mail
  const { attachmentsIn } = await import('../mime-source.ts')
  return { ...mail, attachments: await attachmentsIn(source) }
}

export function toReceivedMail({ letter, ...stored }: StoredMail): ReceivedMail {
  const content = JSON.parse(Buffer.from(letter).toString()) as MailContent
  return { ...stored, from: content.from ?? SENDER, letter: content }
}

type Flat = Omit<Handover, 'channel'> & Readonly<{ from?: string; body: string }>

export const toRow = ({ id, ref, tenantId, to, from, body, callback }: Flat, now: Instant): readonly Cell[] => [
  tenantId,
  to,
  from ?? null,
  body,
  id,
  ref.messageId,
  ref.cycle,
  ref.attempt,
  now,
  callback,
]

/** The trace id and the metadata do not matter here. */
const toAttempt = ({ id, ref, tenantId, to, mail }: MailHandover): EmailAttempt => ({
  channel: 'email',
  id,
  ref,
  tenantId,
  traceId: '' as TraceId,
  content: { ...mail, channel: 'email', kind: 'email', to: to as EmailAddress, metadata: {}, tags: [] },
})
