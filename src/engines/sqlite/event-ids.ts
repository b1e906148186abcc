import type { EventId, MessageId } from '../../domain/ids.ts'
export const toStoredEventId = (_: MessageId, id: EventId): Uint8Array => Buffer.from(id, 'hex')
export const fromStoredEventId = (_: MessageId, stored: Uint8Array): EventId =>
  Buffer.from(stored).toString('hex') as EventId
