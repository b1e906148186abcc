/**
 * The text of a frame: a line per event, in the order of their positions. Fields are separated by tabs; they are ids,
 * numbers or JSON, so none contains a tab or a line break.
 */
import type { MessageId } from '../../../domain/ids.ts'
import type { MessageEvent } from '../../../domain/message/events.ts'
import type { Content } from '../../../domain/message/message.ts'
import { owedReceipt } from '../../../domain/message/owed-receipts.ts'
import { toGist } from '../../../domain/message/searchable.ts'
import type { MessageState } from '../../../domain/message/state.ts'
import { encodeMessage, messageIdOf } from '../../shared/codec.ts'
import { encodeWith, seqOf } from '../messages/event-codec.ts'
import { encodeChanges } from '../messages/state-changes.ts'
import { decodeEarlierLine, isEarlierLine } from './earlier-frame.ts'
import { type FramedEvent, LARGE } from './framed-event.ts'

/** What a line begins with. */
const NEW = 'new'
const NEW_WITH_CALLBACK = 'new+callback'
const MORE = 'more'
const LAST = 'last'
const MORE_WITH_CALLBACK = 'more+callback'
const LAST_WITH_CALLBACK = 'last+callback'
/** Never with a callback: those who are owed receipts have no field for one. */
const MORE_WITH_RECEIPT = 'more+receipt'
const LAST_WITH_RECEIPT = 'last+receipt'

type Flags = Pick<FramedEvent, 'isFinal' | 'hasCallback' | 'owesReceipt'>

const PLAIN: Flags = { isFinal: false, hasCallback: false, owesReceipt: false }

const FLAGS: ReadonlyMap<string | undefined, Flags> = new Map<string, Flags>([
  [NEW, PLAIN],
  [NEW_WITH_CALLBACK, { ...PLAIN, hasCallback: true }],
  [MORE, PLAIN],
  [LAST, { ...PLAIN, isFinal: true }],
  [MORE_WITH_CALLBACK, { ...PLAIN, hasCallback: true }],
  [LAST_WITH_CALLBACK, { ...PLAIN, isFinal: true, hasCallback: true }],
  [MORE_WITH_RECEIPT, { ...PLAIN, owesReceipt: true }],
  [LAST_WITH_RECEIPT, { ...PLAIN, isFinal: true, owesReceipt: true }],
])

export const encodeNext = (seq: number, event: MessageEvent, previous: MessageState): string =>
  `${kindOf(event.state)}\t${event.state.id}\t${encode(seq, event, previous)}`

/** The event after its time and the length of its changes, with which it ends. */
function encode(seq: number, event: MessageEvent, previous: MessageState | undefined): string {
  const changes = encodeChanges(previous, event.state, event.at)
  return `${event.at}\t${changes.length}\t${encodeWith(seq, event, changes)}`
}

function kindOf(state: MessageState): string {
  if (owedReceipt(state) !== undefined) return isFinal(state) ? LAST_WITH_RECEIPT : MORE_WITH_RECEIPT
  if (state.callback === true) return isFinal(state) ? LAST_WITH_CALLBACK : MORE_WITH_CALLBACK
  return isFinal(state) ? LAST : MORE
}

/** Few events follow, if any. */
const isFinal = ({ endedAt, handoffState, noDeliveryReports }: MessageState): boolean =>
  endedAt !== undefined || handoffState === 'failed' || (handoffState === 'handed_off' && noDeliveryReports === true)

export function encodeFirst(seq: number, event: MessageEvent, content?: Content, json = ''): string {
  const kind = event.state.callback === true ? NEW_WITH_CALLBACK : NEW
  const line = `${kind}\t${encodeMessage(event.state)}\t${encode(seq, event, undefined)}`
  if (content === undefined) return line
  return json.length > LARGE ? `${line}\t${json}\t${JSON.stringify(toGist(content))}` : `${line}\t${json}`
}

export const joinLines = (lines: readonly string[]): string => lines.join('\n')

export const decodeFrame = (text: string): readonly FramedEvent[] =>
  text === '' ? [] : text.split('\n').map(decodeLine)

function decodeLine(line: string): FramedEvent {
  if (isEarlierLine(line)) return decodeEarlierLine(line)
  const [kind, subject = '', at, length, event = '', content, gist] = line.split('\t')
  const flags = FLAGS.get(kind)
  if (flags === undefined) throw new Error('a frame has a line of an unknown kind')
  const isNew = kind === NEW || kind === NEW_WITH_CALLBACK
  return {
    seq: seqOf(event),
    messageId: isNew ? messageIdOf(subject) : (subject as MessageId),
    at: Number(at),
    event,
    changes: event.slice(-1 - Number(length), -1),
    isFinal: flags.isFinal,
    hasCallback: flags.hasCallback,
    owesReceipt: flags.owesReceipt,
    facts: isNew ? subject : undefined,
    content,
    gist,
  }
}
