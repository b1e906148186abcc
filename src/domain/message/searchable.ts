/** Builds what the index may store about a message: the recipient masked and hashed, never in clear text. */

import { isUserAddress } from '../directory/user-address.ts'
import { maskEmailAddress } from '../email/address.ts'
import type { Content, EmailContent, Recipient, Searchable, SmsAddress } from './message.ts'
import { maskPhoneNumber } from './phone-number.ts'
import type { MessageState } from './state.ts'

/** A user id identifies a person only to the tenant. */
const maskSmsAddress = (to: SmsAddress): string => (isUserAddress(to) ? to : maskPhoneNumber(to))

/** Only this much of a text is indexed: the rest rarely distinguishes one email from another. */
const SEARCHED_CHARACTERS = 32 * 1024

/** The masked recipient. */
export const maskRecipient = (content: Content): string =>
  content.channel === 'email' ? maskEmailAddress(content.to) : maskSmsAddress(content.to)

type KeyOf = (recipient: Recipient) => string

/** `indexBodies` is the operator's setting; texts with a one-time code are never indexed. */
export function toSearchable(content: Content, keyOf: KeyOf, indexBodies: boolean): Searchable {
  const { tags, metadata, otp } = content
  const indexed = { to: maskRecipient(content), toKey: keyOf(content.to), tags, metadata }
  if (otp !== undefined) return indexed
  const mail = content.channel === 'email' ? { ...toMail(content), copyKeys: copyKeysOf(content, keyOf) } : {}
  return { ...indexed, ...mail, ...(indexBodies ? { body: textOf(content).slice(0, SEARCHED_CHARACTERS) } : {}) }
}

/** The distinct recipients of copies. */
function copyKeysOf({ to, cc = [], bcc = [] }: EmailContent, keyOf: KeyOf): readonly string[] {
  const keys = new Set([...cc, ...bcc].map(({ address }) => keyOf(address)))
  keys.delete(keyOf(to))
  return [...keys]
}

/** What lists show of a message, and what it is found by. Metadata and bodies may be long. */
export type SearchableSummary = Omit<Searchable, 'metadata' | 'body'>

export function toSummary({ metadata: _, body: __, ...summary }: Searchable): SearchableSummary {
  return summary
}

const toMail = ({ subject, recipientId }: EmailContent): Pick<Searchable, 'subject' | 'recipientId'> => ({
  subject,
  ...(recipientId === undefined ? {} : { recipientId }),
})

/** Whether all personal data is erased. After a one-time code has ended, the recipient is still known. */
export const isForgotten = ({ erased, recipientKept }: MessageState): boolean => erased && recipientKept !== true

/** The fields of the content that are used above. */
export function toGist(content: Content): Content {
  if (content.channel === 'sms') return content
  const { attachments, source, html, text, ...rest } = content
  const searched = (part: string): string => part.slice(0, SEARCHED_CHARACTERS)
  return { ...rest, html: searched(html), ...(text === undefined ? {} : { text: searched(text) }) }
}

const textOf = (content: Content): string => (content.channel === 'sms' ? content.body : (content.text ?? content.html))
