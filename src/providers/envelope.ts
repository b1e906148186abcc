/** Senders and recipients of a mail: the envelope that servers get apart from the mail, and the default sender. */
import { Type } from 'typebox'
import type { EmailAddress } from '../domain/email/address.ts'
import { type Mailbox, parseMailbox } from '../domain/email/mailbox.ts'
import type { EmailContent } from '../domain/message/message.ts'

export type Envelope = Readonly<{ from: EmailAddress; to: readonly EmailAddress[] }>

/** The recipient comes first, then the copies; each address appears once. Bounces go to the sender unless given. */
export function envelopeOf(content: EmailContent, sender: Mailbox, bounceAddress?: EmailAddress): Envelope {
  const copies = [...(content.cc ?? []), ...(content.bcc ?? [])].map(({ address }) => address)
  const to = [content.to, ...copies].map(toAscii)
  return { from: bounceAddress ?? toAscii((content.from ?? sender).address), to: [...new Set(to)] }
}

/** Parsed addresses are ASCII already; in anything else a character read as a space could break the header line. */
export const toAscii = <Text extends string>(text: Text): Text => text.replace(/[^!-~]/g, '') as Text

/** The setting `from`. */
export const sender = (description: string) =>
  Type.Refine(
    Type.String({
      description,
      must: 'an address, or a name and an address as in Acme <no-reply@acme.example>',
      maxLength: 400,
    }),
    (value) => parseMailbox(value) !== undefined,
  )

export function toSender({ from }: Readonly<{ from: string }>): Mailbox {
  const mailbox = parseMailbox(from)
  if (mailbox === undefined) throw new Error('the setting "from" is not an email address')
  return mailbox
}
