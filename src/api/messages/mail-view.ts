/** The fields of an email in responses. */
import { type Static, Type } from 'typebox'
import type { Mailbox } from '../../domain/email/mailbox.ts'
import type { AttachmentSummary } from '../../domain/message/message.ts'
import type { Letter } from '../../ports/simulator-inbox.ts'
import { namedObject, nullable } from '../http/schemas.ts'

export const MailboxText = Type.String({ examples: ['Acme <no-reply@acme.example>'] })

/** The form in which callers write mailboxes. */
export function toMailboxText({ address, name }: Mailbox): string {
  if (name === undefined) return address
  const isPlain = !/[()<>[\]:;@\\,."]/.test(name)
  return `${isPlain ? name : `"${name.replace(/["\\]/g, '\\$&')}"`} <${address}>`
}

export const MailFields = {
  reply_to: Type.Array(MailboxText),
  cc: Type.Array(MailboxText),
  subject: Type.String(),
  html: Type.String(),
  text: nullable(Type.String()),
  headers: Type.Record(Type.String(), Type.String(), { description: 'The headers that the caller added.' }),
  attachments: Type.Array(
    namedObject('AttachmentSummary', {
      filename: Type.String(),
      content_type: Type.String(),
      size: Type.Integer({ description: 'In bytes.' }),
    }),
  ),
}
const Fields = Type.Object(MailFields)

export const toMailFields = (letter: Letter): Static<typeof Fields> => ({
  reply_to: (letter.replyTo ?? []).map(toMailboxText),
  cc: (letter.cc ?? []).map(toMailboxText),
  subject: letter.subject,
  html: letter.html,
  text: letter.text ?? null,
  headers: { ...letter.headers },
  attachments: attachmentsOf(letter).map(({ filename, contentType, size }) => ({
    filename,
    content_type: contentType,
    size,
  })),
})

const attachmentsOf = ({ attachments = [], source }: Letter): readonly AttachmentSummary[] =>
  source?.attachments ??
  attachments.map((attachment) => ({ ...attachment, size: Buffer.byteLength(attachment.content, 'base64') }))
