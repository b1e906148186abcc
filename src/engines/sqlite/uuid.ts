/** Message ids are stored as sixteen bytes. */
import type { MessageId } from '../../domain/ids.ts'

export const toBytes = (id: MessageId): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

/** From `lower(hex(id))`. */
export function toUuid(hex: unknown): MessageId {
  const text = String(hex)
  const parts = [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)]
  return parts.join('-') as MessageId
}
