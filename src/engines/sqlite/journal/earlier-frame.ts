/** The lines of a journal that was left by a crash of an earlier release. Their events hold whole states. */
import { type EventId, isHashed, type MessageId, withinMessage } from '../../../domain/ids.ts'
import { type EventTuple, messageIdOf } from '../../shared/codec.ts'
import type { StoredEvent } from '../messages/event-codec.ts'
import type { FramedEvent } from './framed-event.ts'

const KIND = /^(first|next|final)\t/

export const isEarlierLine = (line: string): boolean => KIND.test(line)

export function decodeEarlierLine(line: string): FramedEvent {
  const [kind, seq, eventId = '', subject = '', body = '', content, gist] = line.split('\t')
  const [cycle, attempt, at, trace, previousStatus, fact, state] = JSON.parse(body) as EventTuple
  const name = isHashed(eventId as EventId) ? eventId : withinMessage(eventId as EventId)
  // Every field counts as changed.
  const changes = { ...state }
  const stored: StoredEvent = [Number(seq), name, cycle, attempt, at, trace, previousStatus, fact, changes]
  const isNew = kind === 'first'
  return {
    seq: Number(seq),
    messageId: isNew ? messageIdOf(subject) : (subject as MessageId),
    at,
    event: JSON.stringify(stored),
    changes: JSON.stringify(changes),
    isFinal: kind === 'final',
    hasCallback: undefined,
    owesReceipt: false,
    facts: isNew ? subject : undefined,
    content,
    gist,
  }
}
