/** Whom mail is from that names nobody, as the settings of a provider say it. */
import { Type } from 'typebox'
import { type Mailbox, parseMailbox } from '../domain/email/mailbox.ts'

export const sender = (description: string) =>
  Type.Refine(
    Type.String({
      description,
      must: 'an address, or a name and an address as in Acme <no-reply@acme.example>',
      maxLength: 400,
    }),
    (value) => parseMailbox(value) !== undefined,
  )

/** As the schema has it, the text is a mailbox. */
export function toSender({ from }: Readonly<{ from: string }>): Mailbox {
  const mailbox = parseMailbox(from)
  if (mailbox === undefined) throw new Error('the setting from is no address')
  return mailbox
}
