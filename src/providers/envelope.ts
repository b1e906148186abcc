/** Who sends a mail and whom it goes to, as servers are told apart from the mail itself. */
import type { EmailAddress } from '../domain/email/address.ts'
import type { Mailbox } from '../domain/email/mailbox.ts'
import type { EmailContent } from '../domain/message/message.ts'

export type Envelope = Readonly<{ from: EmailAddress; to: readonly EmailAddress[] }>

/** Whom it is for comes first; nobody is in it twice. `sender` stands in where the mail names none. */
export function envelopeOf(content: EmailContent, sender: Mailbox): Envelope {
  const copies = [...(content.cc ?? []), ...(content.bcc ?? [])].map(({ address }) => address)
  const to = [content.to, ...copies].map(toAscii)
  return { from: toAscii((content.from ?? sender).address), to: [...new Set(to)] }
}

/** Nothing else is in what was parsed; in what was not, whatever is taken for a space would break its header's line. */
export const toAscii = <Text extends string>(text: Text): Text => text.replace(/[^!-~]/g, '') as Text
