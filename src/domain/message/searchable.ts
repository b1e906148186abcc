/** What the index may know of a message: the recipient masked and hashed, never in the clear. */

import { isUserAddress } from '../directory/user-address.ts'
import { maskEmailAddress } from '../email/address.ts'
import type { Content, EmailContent, Recipient, Searchable, SmsAddress } from './message.ts'
import { maskPhoneNumber } from './phone-number.ts'
import type { MessageState } from './state.ts'

/** A user's number says nothing of the person to those who may not ask the tenant. */
export const maskSmsAddress = (to: SmsAddress): string => (isUserAddress(to) ? to : maskPhoneNumber(to))

/** So much of a text is searched; what comes after it hardly ever tells one mail from another. */
const SEARCHED_CHARACTERS = 32 * 1024

/** The recipient as anyone may see it. */
export const maskRecipient = (content: Content): string =>
  content.channel === 'email' ? maskEmailAddress(content.to) : maskSmsAddress(content.to)

/** The keyed hash of a recipient. */
type KeyOf = (recipient: Recipient) => string

/** `indexBodies` is the operator's wish to search texts too, which those that carry a code are exempt from. */
export function toSearchable(content: Content, keyOf: KeyOf, indexBodies: boolean): Searchable {
  const { tags, metadata, otp } = content
  const known = { to: maskRecipient(content), toKey: keyOf(content.to), tags, metadata }
  if (otp !== undefined) return known
  const mail = content.channel === 'email' ? { ...toMail(content), copyKeys: copyKeysOf(content, keyOf) } : {}
  return { ...known, ...mail, ...(indexBodies ? { body: textOf(content).slice(0, SEARCHED_CHARACTERS) } : {}) }
}

/** Everybody besides its recipient whom a mail goes to, once each. */
function copyKeysOf({ to, cc = [], bcc = [] }: EmailContent, keyOf: KeyOf): readonly string[] {
  const keys = new Set([...cc, ...bcc].map(({ address }) => keyOf(address)))
  keys.delete(keyOf(to))
  return [...keys]
}

const toMail = ({ subject, recipientId }: EmailContent): Pick<Searchable, 'subject' | 'recipientId'> => ({
  subject,
  ...(recipientId === undefined ? {} : { recipientId }),
})

/** Whether nothing of the person may be known any more. Where only a code has ended, its recipient still is. */
export const isForgotten = ({ erased, recipientKept }: MessageState): boolean => erased && recipientKept !== true

/** As much of a content as the above looks at. */
export function toGist(content: Content): Content {
  if (content.channel === 'sms') return content
  const { attachments, html, text, ...rest } = content
  const searched = (part: string): string => part.slice(0, SEARCHED_CHARACTERS)
  return { ...rest, html: searched(html), ...(text === undefined ? {} : { text: searched(text) }) }
}

const textOf = (content: Content): string => (content.channel === 'sms' ? content.body : (content.text ?? content.html))
