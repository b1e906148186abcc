/** A message id as a person types it. */
import { type MessageId, parseMessageId } from '../domain/ids.ts'
import { usageError } from './exit.ts'

export function readMessageId(text: string | undefined): MessageId {
  const id = parseMessageId(text ?? '')
  if (id === undefined) throw usageError('ID must be a whole message id, such as `pombo search` shows')
  return id
}
