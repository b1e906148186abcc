/** What the index may know of a message: the recipient masked and hashed, never in the clear. */
import type { Content, Searchable } from './message.ts'
import { maskPhoneNumber } from './phone-number.ts'

/** `toKey` is the keyed hash of the recipient; `indexBodies` is the operator's wish to search texts too. */
export function toSearchable(content: Content, toKey: string, indexBodies: boolean): Searchable {
  const { to, tags, metadata, body } = content
  return { to: maskPhoneNumber(to), toKey, tags, metadata, ...(indexBodies ? { body } : {}) }
}
