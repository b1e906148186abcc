/** A mail in the JSON of the simulator's server. Callers have validated addresses and headers. */
import { type Static, Type } from 'typebox'
import type { Mailbox } from '../../domain/email/mailbox.ts'
import type { Attachment, MailSource, Unsubscribe } from '../../domain/message/message.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { MailContent } from './handover.ts'

const Text = Type.String()
export const MailboxJson = Type.Unsafe<Mailbox>(Type.Object({ address: Text, name: Type.Optional(Text) }))
const Mailboxes = Type.Optional(Type.Unsafe<readonly Mailbox[]>(Type.Array(MailboxJson)))
const AttachmentJson = Type.Object({
  filename: Text,
  content_type: Text,
  content: Text,
  content_id: Type.Optional(Text),
})
export const MailContentJson = Type.Object({
  from: Type.Optional(MailboxJson),
  reply_to: Mailboxes,
  cc: Mailboxes,
  bcc: Mailboxes,
  subject: Text,
  html: Text,
  text: Type.Optional(Text),
  headers: Type.Optional(Type.Record(Text, Text)),
  attachments: Type.Optional(Type.Array(AttachmentJson)),
  unsubscribe: Type.Optional(
    Type.Unsafe<Unsubscribe>(Type.Object({ url: Type.Optional(Text), mailto: Type.Optional(Text) })),
  ),
  source: Type.Optional(Type.Unsafe<MailSource>(Type.Object({ raw: Text, attachments: Type.Array(Type.Object({})) }))),
})
type MailContentJson = Static<typeof MailContentJson>
type AttachmentJson = Static<typeof AttachmentJson>

export const toMailContentJson = ({ replyTo, attachments, ...content }: MailContent): MailContentJson =>
  omitUndefined({ ...content, reply_to: replyTo, attachments: attachments?.map(toAttachmentJson) })

export const toMailContent = ({ reply_to: replyTo, attachments, ...content }: MailContentJson): MailContent =>
  omitUndefined({ ...content, replyTo, attachments: attachments?.map(toAttachment) })

const toAttachmentJson = ({ filename, contentType, content, contentId }: Attachment): AttachmentJson =>
  omitUndefined({ filename, content_type: contentType, content, content_id: contentId })

const toAttachment = ({ filename, content, ...json }: AttachmentJson): Attachment =>
  omitUndefined({ filename, contentType: json.content_type, content, contentId: json.content_id })
