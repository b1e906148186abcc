/** Encodes an attempt as one token, which a provider returns with its reports. */
import { type AttemptRef, parseMessageId } from '../ids.ts'

export const toReference = ({ messageId, cycle, attempt }: AttemptRef): string => `${messageId}.${cycle}.${attempt}`

const REFERENCE = /^([0-9a-f-]{36})\.([1-9]\d{0,8})\.([1-9]\d{0,8})$/i

/** Undefined for a reference that is not ours. */
export function parseReference(text: string): AttemptRef | undefined {
  const [, id = '', cycle, attempt] = REFERENCE.exec(text) ?? []
  const messageId = parseMessageId(id)
  return messageId && { messageId, cycle: Number(cycle), attempt: Number(attempt) }
}
