/** The mailboxes of an email besides its recipient: from, reply-to, cc and bcc. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { EmailContent } from '../message/message.ts'
import type { Bad } from '../requests/request-fields.ts'
import { type EmailAddress, parseEmailAddress, toComparableAddress } from './address.ts'
import { type Mailbox, parseMailbox } from './mailbox.ts'

/** Including the recipient. */
export const MAX_RECIPIENTS = 50
export const MAX_REPLY_TO = 10
/** An address, and a display name with every character escaped, plus punctuation. */
export const LONGEST_MAILBOX = 500

export const ADDRESS = { parse: parseEmailAddress, wrong: 'must be an email address, for example ana@example.com' }
const MAILBOX = 'must be an email address, or a name with one: Acme <hello@acme.example>'

/** The fields as received. */
export type PeopleFields = Readonly<{
  from?: string
  reply_to?: string | readonly string[]
  cc?: readonly string[]
  bcc?: readonly string[]
}>

type People = Pick<EmailContent, 'from' | 'replyTo' | 'cc' | 'bcc'>

/** `to` is the recipient, if known. */
export function readPeople(fields: PeopleFields, to: EmailAddress | undefined, bad: Bad): People {
  const { from: sender, reply_to: answers = [], cc: copied = [], bcc: hidden = [] } = fields
  const from = sender === undefined ? undefined : readMailbox(sender, 'from', bad)
  const replyTo =
    typeof answers === 'string' ? [readMailbox(answers, 'reply_to', bad)] : readMailboxes(answers, 'reply_to', bad)
  const [cc, bcc] = [readMailboxes(copied, 'cc', bad), readMailboxes(hidden, 'bcc', bad)]
  if (1 + cc.length + bcc.length > MAX_RECIPIENTS) bad(cc.length > 0 ? 'cc' : 'bcc', TOO_MANY)
  refuseTwice(to, { cc, bcc }, bad)
  return omitUndefined({ from, replyTo: valid(replyTo), cc: valid(cc), bcc: valid(bcc) })
}

const TOO_MANY = `makes more than ${MAX_RECIPIENTS} recipients, those of to, cc and bcc together`

type Read = Mailbox | undefined

function readMailbox(text: string, path: string, bad: Bad): Read {
  return (text.length <= LONGEST_MAILBOX ? parseMailbox(text) : undefined) ?? bad(path, MAILBOX)
}

const readMailboxes = (texts: readonly string[], path: string, bad: Bad): readonly Read[] =>
  texts.map((text, index) => readMailbox(text, `${path}/${index}`, bad))

/** A recipient named twice would get the email twice, or learn of a hidden copy. */
function refuseTwice(to: EmailAddress | undefined, lists: Readonly<Record<string, readonly Read[]>>, bad: Bad): void {
  const seen = new Set(to === undefined ? [] : [toComparableAddress(to)])
  for (const [path, boxes] of Object.entries(lists)) {
    for (const [index, box] of boxes.entries()) {
      if (box === undefined) continue
      const address = toComparableAddress(box.address)
      if (seen.has(address)) bad(`${path}/${index}`, 'is already a recipient')
      seen.add(address)
    }
  }
}

/** JSON pointers to the fields that name one of these addresses, which are in the form of `toComparableAddress`. */
export function fieldsNaming(content: EmailContent, addresses: ReadonlySet<EmailAddress>): readonly string[] {
  const { to, cc = [], bcc = [] } = content
  const named = [
    { path: recipientField(content), address: to },
    ...cc.map(({ address }, index) => ({ path: `/cc/${index}`, address })),
    ...bcc.map(({ address }, index) => ({ path: `/bcc/${index}`, address })),
  ]
  return named.filter(({ address }) => addresses.has(toComparableAddress(address))).map(({ path }) => path)
}

function recipientField({ recipientId, recipientExternalId }: EmailContent): string {
  if (recipientExternalId !== undefined) return '/recipient_external_id'
  return recipientId === undefined ? '/to' : '/recipient_id'
}

/** An empty list counts as missing; invalid mailboxes were reported before. */
function valid(boxes: readonly Read[]): readonly Mailbox[] | undefined {
  const found = boxes.filter((box) => box !== undefined)
  return found.length === 0 ? undefined : found
}
