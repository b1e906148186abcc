/**
 * The receipts in a notification of SES, one for each recipient it is about. Nothing comes in order, one notification
 * may be about several recipients, and a mail that was delivered may bounce after all.
 */
import { type Static, Type } from 'typebox'
import { type EmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import { parseMailbox } from '../../domain/email/mailbox.ts'
import type { AttemptRef } from '../../domain/ids.ts'
import { parseReference } from '../../domain/message/attempt-reference.ts'
import type { Receipt } from '../../ports/provider.ts'
import { jsonOf } from '../http.ts'
import { parser } from '../json.ts'
import { parseNews } from './event.ts'
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

/** None where it is not about a mail of ours, or says nothing that matters. */
export function toReceipts({ id, message }: Notification): readonly Receipt[] {
  const json = jsonOf({ body: Buffer.from(message) })
  const mail = parseMail(json)?.mail
  const ref = mail && findReference(mail)
  const news = parseNews(json)
  if (ref === undefined || mail === undefined || news === undefined) return []
  const { said, name = id, recipients } = news
  const common = { ref, providerMessageId: mail.messageId, ...said }
  const reportId = `${mail.messageId}:${name}`
  if (recipients === undefined) return [{ ...common, reportId }]
  // By their places: an address has no business in the name of a report.
  return placesOf(mail, recipients).map(({ place, about }) => ({
    ...common,
    reportId: `${reportId}:${place}`,
    about,
    // Whom it is for is the first of them: see `envelopeOf`.
    ...(place === 0 ? {} : { copy: true }),
  }))
}

/** Tags come with what a configuration set publishes; what an identity tells has our Message-ID among the headers. */
function findReference({ tags, headers }: Mail): AttemptRef | undefined {
  const [tag = ''] = parseTags(tags)?.attempt ?? []
  const header = parseHeaders(headers)?.find(({ name }) => name.toLowerCase() === 'message-id')?.value ?? ''
  return parseReference(tag) ?? parseReference(/^\s*<?([^@<>\s]+)@/.exec(header)?.[1] ?? '')
}

type Place = Readonly<{ place: number; about: EmailAddress }>

/**
 * Which of those whom the mail went to are meant. A server that passed the mail on may name somebody else; that can
 * only be about the one it went to, or about nobody we know.
 */
function placesOf({ destination }: Mail, recipients: readonly string[]): readonly Place[] {
  const addressees = destination.map(toAddress)
  return recipients.flatMap((recipient) => {
    const meant = toAddress(recipient)
    const found = meant === undefined ? -1 : addressees.indexOf(meant)
    const place = found === -1 && addressees.length === 1 ? 0 : found
    const about = addressees[place]
    return about === undefined ? [] : [{ place, about }]
  })
}

function toAddress(text: string): EmailAddress | undefined {
  const mailbox = parseMailbox(text)
  return mailbox && toComparableAddress(mailbox.address)
}
