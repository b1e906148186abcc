/** A mail on its way into the simulator's file, and out of it: its source, as a mailbox gets it, and what it was made of. */
import type { EmailAddress } from '../../domain/email/address.ts'
import type { Mailbox } from '../../domain/email/mailbox.ts'
import type { MessageId, TraceId } from '../../domain/ids.ts'
import type { Instant } from '../../lib/time.ts'
import type { EmailAttempt } from '../../ports/provider.ts'
import type { Handover, Letter, MailHandover } from './handover.ts'
import type { Cell, KeptMail, MailRow } from './wire.ts'
import { beginningOf } from './words.ts'

/** `raw` is the source. Who got hidden copies is in the letter alone. */
export type ReceivedMail = Readonly<{
  to: string
  from: Mailbox
  messageId: MessageId
  receivedAt: Instant
  letter: Letter
  raw: Uint8Array
}>

/** Whom a mail is from that names nobody. */
const SENDER: Mailbox = { address: 'pombo@sim.pombo.test' as EmailAddress }

export async function toMailRow(handover: MailHandover, now: Instant): Promise<MailRow> {
  // Most simulators never see a mail.
  const { toMail } = await import('../mime.ts')
  const { raw } = await toMail(toAttempt(handover), SENDER, now)
  const { from = SENDER, subject, html, text } = handover.letter
  return {
    row: toRow({ ...handover, from: from.address, body: beginningOf(text ?? '') }, now),
    subject,
    ...(text === undefined ? { html } : {}),
    letter: Buffer.from(JSON.stringify(handover.letter)),
    raw,
  }
}

export function toReceivedMail(kept: KeptMail): ReceivedMail {
  const letter = JSON.parse(Buffer.from(kept.letter).toString()) as Letter
  return { ...kept, from: letter.from ?? SENDER, letter }
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

/** As much of an attempt as there is to a mail. */
const toAttempt = ({ id, ref, tenantId, to, letter }: MailHandover): EmailAttempt => ({
  channel: 'email',
  id,
  ref,
  tenantId,
  traceId: '' as TraceId,
  content: { ...letter, channel: 'email', kind: 'email', to: to as EmailAddress, metadata: {}, tags: [] },
})
