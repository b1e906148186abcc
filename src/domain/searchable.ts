/** What the index may know of a message: the recipient masked and hashed, never in the clear. */
import type { Content, Searchable, SmsAddress } from './message.ts'
import { maskPhoneNumber } from './phone-number.ts'
import { isUserAddress } from './user-address.ts'

/** A user's number says nothing of the person to those who may not ask the tenant. */
export const maskSmsAddress = (to: SmsAddress): string => (isUserAddress(to) ? to : maskPhoneNumber(to))

/**
 * `toKey` is the keyed hash of the recipient; `indexBodies` is the operator's wish to search texts too,
 * which those that carry a code are exempt from.
 */
export function toSearchable(content: Content, toKey: string, indexBodies: boolean): Searchable {
  const { to, tags, metadata, body, otp } = content
  return { to: maskSmsAddress(to), toKey, tags, metadata, ...(indexBodies && otp === undefined ? { body } : {}) }
}
