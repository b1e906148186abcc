/** A mail in the JSON of the simulator's server. Those who share its secret have seen to addresses and headers. */
import { type Static, Type } from 'typebox'
import type { Mailbox } from '../../domain/email/mailbox.ts'
import type { Attachment, Unsubscribe } from '../../domain/message/message.ts'
import type { Letter } from './handover.ts'

const Text = Type.String()
export const MailboxJson = Type.Unsafe<Mailbox>(Type.Object({ address: Text, name: Type.Optional(Text) }))
const Mailboxes = Type.Optional(Type.Unsafe<readonly Mailbox[]>(Type.Array(MailboxJson)))
const AttachmentJson = Type.Object({
  filename: Text,
  content_type: Text,
  content: Text,
  content_id: Type.Optional(Text),
})
export const LetterJson = Type.Object({
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
})
type LetterJson = Static<typeof LetterJson>
type AttachmentJson = Static<typeof AttachmentJson>

export const toLetterJson = ({ replyTo, attachments, ...letter }: Letter): LetterJson => ({
  ...letter,
  ...(replyTo === undefined ? {} : { reply_to: replyTo }),
  ...(attachments === undefined ? {} : { attachments: attachments.map(toAttachmentJson) }),
})

export const toLetter = ({ reply_to: replyTo, attachments, ...letter }: LetterJson): Letter => ({
  ...letter,
  ...(replyTo === undefined ? {} : { replyTo }),
  ...(attachments === undefined ? {} : { attachments: attachments.map(toAttachment) }),
})

const toAttachmentJson = ({ filename, contentType, content, contentId }: Attachment): AttachmentJson => ({
  filename,
  content_type: contentType,
  content,
  ...(contentId === undefined ? {} : { content_id: contentId }),
})

const toAttachment = ({ filename, content, ...json }: AttachmentJson): Attachment => ({
  filename,
  contentType: json.content_type,
  content,
  ...(json.content_id === undefined ? {} : { contentId: json.content_id }),
})
