/**
 * Turns an SES notification into receipts, one per recipient. Notifications arrive in any order, one may name several
 * recipients, and a delivered mail may still bounce.
 */
import { type Static, Type } from 'typebox'
import { type EmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import { parseMailbox } from '../../domain/email/mailbox.ts'
import type { AttemptRef } from '../../domain/ids.ts'
import { parseReference } from '../../domain/message/attempt-reference.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Receipt } from '../../ports/provider.ts'
import { jsonOf, parser } from '../json.ts'
import { parseEvent } from './event.ts'
import type { Notification } from './sns.ts'

const Mail = Type.Object({
  messageId: Type.String({ minLength: 1, maxLength: 200 }),
  destination: Type.Array(Type.String()),
  tags: Type.Optional(Type.Unknown()),
  headers: Type.Optional(Type.Unknown()),
})
type Mail = Static<typeof Mail>

const parseMail = parser(Type.Object({ mail: Mail }))
const parseTags = parser(Type.Object({ attempt: Type.Array(Type.String()) }))
const parseHeaders = parser(Type.Array(Type.Object({ name: Type.String(), value: Type.String() })))

/** Empty if it is not about one of our mails, or an event that we ignore. */
export function toReceipts({ id, message }: Notification): readonly Receipt[] {
  const json = jsonOf({ body: Buffer.from(message) })
  const mail = parseMail(json)?.mail
  const ref = mail && findReference(mail)
  const event = parseEvent(json)
  if (ref === undefined || mail === undefined || event === undefined) return []
  const { report, id: eventId = id, recipients } = event
  const common = { ref, providerMessageId: mail.messageId, ...report }
  const reportId = `${mail.messageId}:${eventId}`
  if (recipients === undefined) return [{ ...common, reportId }]
  return matchRecipients(mail, recipients).map(({ index, about }) =>
    omitUndefined({
      ...common,
      // The index, because a report id must not contain an address.
      reportId: `${reportId}:${index}`,
      about,
      // The first is the recipient, the others are copies: see `envelopeOf`.
      copy: index === 0 ? undefined : (true as const),
    }),
  )
}

/** Events of a configuration set have our tag; those of an identity have our Message-ID among the headers. */
function findReference({ tags, headers }: Mail): AttemptRef | undefined {
  const [tag = ''] = parseTags(tags)?.attempt ?? []
  const header = parseHeaders(headers)?.find(({ name }) => name.toLowerCase() === 'message-id')?.value ?? ''
  return parseReference(tag) ?? parseReference(/^\s*<?([^@<>\s]+)@/.exec(header)?.[1] ?? '')
}

type Match = Readonly<{ index: number; about: EmailAddress }>

/**
 * Finds the reported recipients among those of the mail. A server that forwarded the mail may report an address we do not
 * know; if the mail had only one recipient, the report is about that one.
 */
function matchRecipients({ destination }: Mail, reported: readonly string[]): readonly Match[] {
  const recipients = destination.map(toAddress)
  return reported.flatMap((text) => {
    const address = toAddress(text)
    const found = address === undefined ? -1 : recipients.indexOf(address)
    const index = found === -1 && recipients.length === 1 ? 0 : found
    const about = recipients[index]
    return about === undefined ? [] : [{ index, about }]
  })
}

function toAddress(text: string): EmailAddress | undefined {
  const mailbox = parseMailbox(text)
  return mailbox && toComparableAddress(mailbox.address)
}
