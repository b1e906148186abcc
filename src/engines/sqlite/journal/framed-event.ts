/** An event as it is read from a frame of the journal. */
import type { MessageId } from '../../../domain/ids.ts'

export type FramedEvent = Readonly<{
  seq: number
  messageId: MessageId
  at: number
  /** As event-codec.ts encodes it. */
  event: string
  /** What it changed in the state: a part of the event, see state-changes.ts. */
  changes: string
  /** The message has ended with it. */
  isFinal: boolean
  /** Whether the message has its own webhook; undefined in frames of an earlier release. */
  hasCallback: boolean | undefined
  /** The message owes its sender a delivery receipt, at least since this event. */
  owesReceipt: boolean
  /** The immutable fields of the message and its content come with its first event only. Both are JSON. */
  facts: string | undefined
  content: string | undefined
  /** What the index needs of large content. */
  gist: string | undefined
}>

/** Content with more characters than this is not kept in memory, and the index uses its gist. */
export const LARGE = 16 * 1024
