/** The fields of a request to send an email. `parseEmailRequest` checks the sizes of its parts. */
import { type Static, Type } from 'typebox'
import { MAX_ATTACHED_BYTES, MAX_ATTACHMENTS } from '../../domain/email/attachments.ts'
import { MAX_HTML_BYTES, MAX_SUBJECT_CHARACTERS } from '../../domain/email/checks.ts'
import { LONGEST_MAILBOX, MAX_RECIPIENTS, MAX_REPLY_TO } from '../../domain/email/people.ts'
import { namedObject } from '../http/schemas.ts'
import { CommonFields, templateInsteadOf } from './sending.ts'

const KB = 1024
const Mailbox = Type.String({
  description: 'An email address, with or without a name: `Acme <hello@acme.example>`.',
  maxLength: LONGEST_MAILBOX,
  examples: ['Acme <hello@acme.example>'],
})
const copies = (description: string) =>
  Type.Optional(
    Type.Array(Mailbox, {
      description: `${description} At most ${MAX_RECIPIENTS} different recipients together with \`to\`.`,
      maxItems: MAX_RECIPIENTS - 1,
    }),
  )

const Attachment = namedObject(
  'Attachment',
  {
    filename: Type.String({ description: '1 to 255 characters on one line.', examples: ['invoice.pdf'] }),
    content_type: Type.String({
      description: 'A media type without parameters; not `multipart/…` or `message/…`.',
      examples: ['application/pdf'],
    }),
    content: Type.String({ description: 'The file, in base64.', contentEncoding: 'base64' }),
    content_id: Type.Optional(
      Type.String({ description: 'Lets the html refer to the file, as `cid:logo`.', examples: ['logo'] }),
    ),
  },
  { additionalProperties: false },
)

const Unsubscribe = namedObject(
  'Unsubscribe',
  {
    url: Type.Optional(Type.String({ description: 'An https URL for one-click unsubscribe by POST (RFC 8058).' })),
    mailto: Type.Optional(Type.String({ description: 'An email address for unsubscribe requests.' })),
  },
  { additionalProperties: false, description: 'How recipients unsubscribe: the `List-Unsubscribe` header.' },
)

export const EmailFields = {
  to: Type.Optional(Type.String({ description: 'An email address.', examples: ['ana@example.com'] })),
  subject: Type.Optional(
    Type.String({ description: `1 to ${MAX_SUBJECT_CHARACTERS} characters.`, examples: ['Your parcel'] }),
  ),
  html: Type.Optional(
    Type.String({
      description: `At most ${MAX_HTML_BYTES / KB} KB. Html with scripts, \`javascript:\` URLs or event handlers is not sent.`,
      examples: ['<p>Your parcel is on its way.</p>'],
    }),
  ),
  text: Type.Optional(
    Type.String({
      description: `The plain-text part, at most ${MAX_HTML_BYTES / KB} KB. None is generated from the html.`,
    }),
  ),
  template: templateInsteadOf('`subject`, `html` and `text`'),
  from: Type.Optional({ ...Mailbox, description: 'The sender. Defaults to the sender of the provider.' }),
  reply_to: Type.Optional(
    Type.Union([Mailbox, Type.Array(Mailbox, { minItems: 1, maxItems: MAX_REPLY_TO })], {
      description: `One address, or up to ${MAX_REPLY_TO}.`,
    }),
  ),
  cc: copies('Recipients of a copy.'),
  bcc: copies('Recipients of a blind copy.'),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'Up to 50 additional headers. The headers that Pombo writes itself cannot be set.',
      maxProperties: 50,
      examples: [{ 'X-Order': '1138' }],
    }),
  ),
  attachments: Type.Optional(
    Type.Array(Attachment, {
      description: `At most ${MAX_ATTACHED_BYTES / KB / KB} MiB in total.`,
      maxItems: MAX_ATTACHMENTS,
    }),
  ),
  unsubscribe: Type.Optional(Unsubscribe),
  ...CommonFields,
}

export const EmailSend = namedObject('SendEmailRequest', EmailFields, {
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
