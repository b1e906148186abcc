/**
 * How events and keys are encoded on the broker: lines of text that any client can display, followed by the sealed
 * bytes.
 *
 * Every event lists the events before it with their sequences, so the newest one tells whether an event is in the
 * message's stream already, and where all the others are.
 */

import { type EventId, isHashed, type MessageId, withinMessage } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Encoded, Position, Recorded, Revision } from '../../ports/event-log.ts'
import { decodeEvent, encodeEvent, encodeMessage } from '../shared/codec.ts'
import type { Stored } from './jetstream.ts'

/** The earlier events of a message: sequence and key of each, oldest first. */
export type History = readonly (readonly [seq: number, key: string])[]

/** Sealed content, and the id of the key that opens it. With the first event only. */
export type Sealed = Readonly<{ kid: string; bytes: Uint8Array }>

export type StoredEvent = Stored &
  Readonly<{ id: EventId; history: History; facts: string; body: string; sealed?: Sealed | undefined }>

export type StoredKey = Readonly<{
  secret: Uint8Array
  searchable: string
  /** Only if the key named by the event was lost: the content again, sealed under this secret. */
  bytes?: Uint8Array | undefined
}>

const NEWLINE = 0x0a
/** Enough of a hash to distinguish an event from the few others of its message. */
const HASH_DIGITS = 16
const NOTHING = new Uint8Array()
const NOT_FIRST: First = { kid: undefined, contentBytes: undefined }

/** Distinguishes an event from the others of its message. */
const keyOf = (id: EventId): string => (isHashed(id) ? id.slice(0, HASH_DIGITS) : withinMessage(id))

/** The history including this event, for the next one. */
export const historyThrough = ({ history, seq, id }: Pick<StoredEvent, 'history' | 'seq' | 'id'>): History => [
  ...history,
  [seq, keyOf(id)],
]

export function includesEvent(history: History, id: EventId): boolean {
  const wanted = keyOf(id)
  return history.some(([, key]) => key === wanted)
}

export const toEncoded = (event: MessageEvent): Encoded => ({
  id: event.id,
  facts: encodeMessage(event.state),
  body: encodeEvent(event),
})

export function encodeStored({ id, facts, body }: Encoded, history: History, sealed?: Sealed): Uint8Array {
  return toBytes([id, JSON.stringify(history), facts, body, sealed?.kid ?? ''], sealed?.bytes)
}

/** What the first event of a message has besides: the id of its key, and how much sealed content comes with it. */
type First = Readonly<{ kid: string | undefined; contentBytes: number | undefined }>

/** An event alone, without what came before it. */
export function decodeEncoded(data: Uint8Array): Encoded & First {
  const { lines, rest } = fromBytes(data, 5)
  const [id = '', , facts = '', body = '', kid = ''] = lines
  const first = kid === '' ? NOT_FIRST : { kid, contentBytes: rest.length }
  return { id: id as EventId, facts, body, ...first }
}

export function decodeStored({ subject, seq, at, data }: Stored): StoredEvent {
  const { lines, rest } = fromBytes(data, 5)
  const [id = '', history = '[]', facts = '', body = '', kid = ''] = lines
  const sealed = kid === '' ? undefined : { kid, bytes: rest }
  return { subject, seq, at, data, id: id as EventId, history: JSON.parse(history) as History, facts, body, sealed }
}

export const toRecorded = ({ seq, id, facts, body }: Pick<StoredEvent, 'seq' | keyof Encoded>): Recorded => ({
  revision: seq as Revision,
  position: seq as Position,
  event: decodeEvent(id, facts, body),
})

export const encodeKey = ({ secret, searchable, bytes }: StoredKey): Uint8Array =>
  toBytes([searchable, Buffer.from(secret).toString('base64url')], bytes)

export function decodeKey(data: Uint8Array): StoredKey {
  const { lines, rest } = fromBytes(data, 2)
  const [searchable = '', secret = ''] = lines
  return { searchable, secret: Buffer.from(secret, 'base64url'), bytes: rest.length === 0 ? undefined : rest }
}

/** The searchable fields of a stored key. */
export function readSearchable(data: Uint8Array): string {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  return bytes.toString('utf8', 0, bytes.indexOf(NEWLINE))
}

/** One key of a block. */
export type BlockMember = Readonly<{ id: MessageId; key: StoredKey }>

/** All ids have this length, and all secrets in base64url. */
const [ID_LENGTH, SECRET_LENGTH] = [36, 43]

export const blockLine = (id: MessageId, { secret, searchable }: StoredKey): string =>
  `${id}${Buffer.from(secret).toString('base64url')}${searchable}`

export const encodeBlock = (lines: readonly string[]): Uint8Array => Buffer.from(lines.join('\n'))

/** The lines of a block; a destroyed key leaves an empty one. */
export const linesOf = (block: Uint8Array): readonly string[] =>
  Buffer.from(block.buffer, block.byteOffset, block.byteLength).toString().split('\n')

export const decodeBlock = (block: Uint8Array): readonly (BlockMember | undefined)[] =>
  linesOf(block).map((line) => toMember(line))

/** Undefined for the line of a destroyed key. */
export function toMember(line = ''): BlockMember | undefined {
  if (line === '') return undefined
  const secret = Buffer.from(line.slice(ID_LENGTH, ID_LENGTH + SECRET_LENGTH), 'base64url')
  const searchable = line.slice(ID_LENGTH + SECRET_LENGTH)
  return { id: line.slice(0, ID_LENGTH) as MessageId, key: { secret, searchable } }
}

const toBytes = (lines: readonly string[], rest: Uint8Array = NOTHING): Uint8Array =>
  Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), rest])

/** Our JSON contains no line breaks. */
function fromBytes(data: Uint8Array, count: number): Readonly<{ lines: readonly string[]; rest: Uint8Array }> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const lines: string[] = []
  let start = 0
  while (lines.length < count) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end < 0) throw new Error('malformed record on the broker: neither an event nor a key')
    lines.push(bytes.toString('utf8', start, end))
    start = end + 1
  }
  return { lines, rest: bytes.subarray(start) }
}
