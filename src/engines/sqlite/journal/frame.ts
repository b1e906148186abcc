/**
 * The text of a frame: a line per event, in the order of their positions. Fields are separated by tabs; they are ids,
 * numbers or JSON, so none contains a tab or a line break.
 */
import type { EventId, MessageId } from '../../../domain/ids.ts'
import type { MessageEvent } from '../../../domain/message/events.ts'
import type { Content } from '../../../domain/message/message.ts'
import { toGist } from '../../../domain/message/searchable.ts'
import type { MessageState } from '../../../domain/message/state.ts'
import { encodeEvent, encodeMessage, messageIdOf } from '../../shared/codec.ts'

/** An event as a frame holds it. `facts` and what follows come with the first event of a message only. */
export type FramedEvent = Readonly<{
  seq: number
  messageId: MessageId
  eventId: EventId
  /** As shared/codec.ts encodes it. */
  body: string
  /** The message has ended with it. */
  isFinal: boolean
  facts?: string
  /** JSON, and for large content what the index needs of it. */
  content?: string
  gist?: string
}>

/** Content with more characters than this is not kept in memory, and the index uses its gist. */
export const LARGE = 16 * 1024

const FIRST = 'first'
const NEXT = 'next'
const FINAL = 'final'

export const encodeNext = (seq: number, event: MessageEvent): string =>
  `${isFinal(event.state) ? FINAL : NEXT}\t${seq}\t${event.id}\t${event.state.id}\t${encodeEvent(event)}`

/** Few events follow, if any. */
const isFinal = ({ endedAt, handoffState, noDeliveryReports }: MessageState): boolean =>
  endedAt !== undefined || handoffState === 'failed' || (handoffState === 'handed_off' && noDeliveryReports === true)

export function encodeFirst(seq: number, event: MessageEvent, content?: Content, json = ''): string {
  const line = `${FIRST}\t${seq}\t${event.id}\t${encodeMessage(event.state)}\t${encodeEvent(event)}`
  if (content === undefined) return line
  return json.length > LARGE ? `${line}\t${json}\t${JSON.stringify(toGist(content))}` : `${line}\t${json}`
}

export const joinLines = (lines: readonly string[]): string => lines.join('\n')

export const decodeFrame = (text: string): readonly FramedEvent[] =>
  text === '' ? [] : text.split('\n').map(decodeLine)

function decodeLine(line: string): FramedEvent {
  const [kind, seq, eventId = '', subject = '', body = '', content, gist] = line.split('\t')
  const event = { seq: Number(seq), eventId: eventId as EventId, body, isFinal: kind === FINAL }
  if (kind === NEXT || kind === FINAL) return { ...event, messageId: subject as MessageId }
  if (kind !== FIRST) throw new Error('a frame has a line of an unknown kind')
  const first = { ...event, messageId: messageIdOf(subject), facts: subject }
  if (content === undefined) return first
  return gist === undefined ? { ...first, content } : { ...first, content, gist }
}
