/** What a caller says to send one mail. How large its parts may be is for `parseEmailRequest` to say. */
import { type Static, Type } from 'typebox'
import type { EmailAddress } from '../../domain/email/address.ts'
import { MAX_ATTACHED_BYTES, MAX_ATTACHMENTS } from '../../domain/email/attachments.ts'
import { MAX_HTML_BYTES, MAX_SUBJECT_CHARACTERS } from '../../domain/email/checks.ts'
import { LONGEST_MAILBOX, MAX_RECIPIENTS, MAX_REPLY_TO } from '../../domain/email/people.ts'
import { MAIL } from '../../domain/message/message.ts'
import { type MailTexts, parseEmailRequest } from '../../domain/requests/email-request.ts'
import { BY_EMAIL } from '../../flows/send/compose.ts'
import type { Medium } from './submission.ts'
import { CommonFields, templateInPlaceOf } from './submission-fields.ts'

const KB = 1024
const Mailbox = Type.String({
  description: 'An address, or a name with one: `Acme <hello@acme.example>`.',
  maxLength: LONGEST_MAILBOX,
  examples: ['Acme <hello@acme.example>'],
})
const copies = (description: string) =>
  Type.Optional(
    Type.Array(Mailbox, {
      description: `${description} With \`to\` at most ${MAX_RECIPIENTS} recipients, each named once.`,
      maxItems: MAX_RECIPIENTS - 1,
    }),
  )

const Attachment = Type.Object(
  {
    filename: Type.String({ description: 'One line of 1 to 255 characters.', examples: ['invoice.pdf'] }),
    content_type: Type.String({
      description: 'Without parameters, and neither `multipart/…` nor `message/…`.',
      examples: ['application/pdf'],
    }),
    content: Type.String({ description: 'In base64.', contentEncoding: 'base64' }),
    content_id: Type.Optional(
      Type.String({ description: 'The html may show it as `cid:` and this.', examples: ['logo'] }),
    ),
  },
  { additionalProperties: false },
)

const Unsubscribe = Type.Object(
  {
    url: Type.Optional(Type.String({ description: 'An https URL that takes a POST: one click is enough (RFC 8058).' })),
    mailto: Type.Optional(Type.String({ description: 'An address to write to.' })),
  },
  {
    additionalProperties: false,
    description: 'Where the recipient can have no more of these: written into `List-Unsubscribe`.',
  },
)

export const EmailFields = {
  to: Type.Optional(Type.String({ description: 'An email address.', examples: ['ana@example.com'] })),
  subject: Type.Optional(
    Type.String({ description: `1 to ${MAX_SUBJECT_CHARACTERS} characters.`, examples: ['Your parcel'] }),
  ),
  html: Type.Optional(
    Type.String({
      description: `At most ${MAX_HTML_BYTES / KB} KB. Mail with scripts, \`javascript:\` URLs or event handlers is not sent.`,
      examples: ['<p>Your parcel is on its way.</p>'],
    }),
  ),
  text: Type.Optional(
    Type.String({
      description: `What is shown where html is not, at most ${MAX_HTML_BYTES / KB} KB. A mail goes out without such a part unless it is given.`,
    }),
  ),
  template: templateInPlaceOf('`subject`, `html` and `text`'),
  from: Type.Optional({ ...Mailbox, description: 'The sender; that of the provider unless given.' }),
  reply_to: Type.Optional(
    Type.Union([Mailbox, Type.Array(Mailbox, { minItems: 1, maxItems: MAX_REPLY_TO })], {
      description: `Where answers go: one, or up to ${MAX_REPLY_TO}.`,
    }),
  ),
  cc: copies('Who gets a copy.'),
  bcc: copies('Who gets a copy that the others do not see.'),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'Up to 50 more headers. Those that mail is made of are not for callers to set.',
      maxProperties: 50,
      examples: [{ 'X-Order': '1138' }],
    }),
  ),
  attachments: Type.Optional(
    Type.Array(Attachment, {
      description: `At most ${MAX_ATTACHED_BYTES / KB / KB} MiB together.`,
      maxItems: MAX_ATTACHMENTS,
    }),
  ),
  unsubscribe: Type.Optional(Unsubscribe),
  ...CommonFields,
}

export const EmailSend = Type.Object(EmailFields, {
  additionalProperties: false,
  examples: [
    {
      to: 'ana@example.com',
      subject: 'Your parcel',
      html: '<p>Your parcel is on its way.</p>',
      idempotency_key: 'order-1138-shipped',
    },
    {
      recipient_external_id: 'user-42',
      template: { name: 'order-shipped', data: { order: 1138 } },
      idempotency_key: 'order-1138-shipped',
    },
  ],
})
export type EmailSend = Static<typeof EmailSend>

export const EMAIL: Medium<EmailSend, EmailAddress, MailTexts> = {
  fields: EmailFields,
  parse: (_deps, request, composed) => {
    const email = parseEmailRequest(request, composed)
    return email.kind === 'bad' ? email : { kind: 'ok', content: email.content, form: MAIL }
  },
  wanted: BY_EMAIL,
  standIn: { to: 'stand-in@pombo.invalid' as EmailAddress, text: { subject: 'subject', html: 'html' } },
  garbled: { to: '', subject: '', html: '', recipient_id: '', recipient_external_id: '', template: { name: '' } },
}
