/**
 * Event ids as the tables store them, beside their message: a hash as its 32 bytes, a readable id as the text after the
 * message's id. Text of 32 bytes gets a dot at its end, so the length tells which of the two it is.
 */
import { type EventId, isHashed, type MessageId, withinMessage } from '../../domain/ids.ts'

const HASH_BYTES = 32

export function toStoredEventId(id: EventId): Buffer {
  if (isHashed(id)) return Buffer.from(id, 'hex')
  const text = withinMessage(id)
  return Buffer.from(text.length === HASH_BYTES ? `${text}.` : text, 'latin1')
}

export function fromStoredEventId(messageId: MessageId, stored: Uint8Array): EventId {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  if (bytes.length === HASH_BYTES) return bytes.toString('hex') as EventId
  const text = bytes.toString('latin1')
  return `${messageId}.${text.endsWith('.') ? text.slice(0, -1) : text}` as EventId
}
