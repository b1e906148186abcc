/** How lists identify a message: `+1 ••• 0100` or `a•••@example.com`, and `3f1c9f0e`. */
import type { Message } from '../api/client.ts'
import { COMMON_TEXTS } from '../texts/common.ts'

/** The API masks numbers as `+*******0100`, and says which calling code they have. */
const PHONE = /^\+\*+(\d*)$/
const EMAIL = /^([^*]*)\*+(@.+)$/

/** Missing in older gateways; null in older messages. */
export type Addressed = Pick<Message, 'to'> & Partial<Pick<Message, 'calling_code' | 'country'>>

/** Ids of users are not masked. */
export function toRecipient({ to, calling_code: code }: Addressed): string {
  if (to === null) return COMMON_TEXTS.erasedRecipient
  const [, digits] = PHONE.exec(to) ?? []
  if (digits !== undefined) return `+${code ? `${code} ` : ''}••• ${digits}`.trimEnd()
  return to.replace(EMAIL, '$1•••$2')
}

const SHORT_ID = 8

export const toShortId = (id: string): string => id.slice(0, SHORT_ID)
