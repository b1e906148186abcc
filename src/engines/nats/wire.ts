/**
 * How events and keys lie on the broker: lines of text, so that a person can read them with any
 * client, and after the last line what is sealed, as it is.
 *
 * Every event names those before it with their places. So the newest one tells whether an event is
 * in the message's stream already, and where all the others are.
 */

import type { EventId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Position, Recorded, Revision } from '../../ports/event-log.ts'
import { decodeEvent, encodeEvent, encodeMessage } from '../shared/codec.ts'
import type { Kept } from './jetstream.ts'

/** Earlier events of a message: the place and the mark of each, oldest first. */
export type Past = readonly (readonly [seq: number, mark: string])[]

/** What is sealed, and the name of the key that opens it. With the first event only. */
export type Sealed = Readonly<{ kid: string; bytes: Uint8Array }>

export type KeptEvent = Kept &
  Readonly<{ id: EventId; past: Past; facts: string; body: string; sealed?: Sealed | undefined }>

export type KeptKey = Readonly<{
  secret: Uint8Array
  searchable: string
  /** Only where the key the event names was lost: the content again, under this secret. */
  bytes?: Uint8Array | undefined
}>

const NEWLINE = 0x0a
/** Enough of an event's id to tell it from the few others of its message. */
const MARK_LENGTH = 16
const NOTHING = new Uint8Array()

export const markOf = (id: EventId): string => id.slice(0, MARK_LENGTH)

/** The past as the next event has to tell it. */
export const throughOf = ({ past, seq, id }: Pick<KeptEvent, 'past' | 'seq' | 'id'>): Past => [
  ...past,
  [seq, markOf(id)],
]

export const has = (past: Past, id: EventId): boolean => past.some(([, mark]) => mark === markOf(id))

export function encodeKept(event: MessageEvent, past: Past, sealed?: Sealed): Uint8Array {
  const lines = [event.id, JSON.stringify(past), encodeMessage(event.state), encodeEvent(event), sealed?.kid ?? '']
  return toBytes(lines, sealed?.bytes)
}

export function decodeKept(kept: Kept): KeptEvent {
  const { lines, rest } = fromBytes(kept.data, 5)
  const [id = '', past = '[]', facts = '', body = '', kid = ''] = lines
  return {
    ...kept,
    id: id as EventId,
    past: JSON.parse(past) as Past,
    facts,
    body,
    sealed: kid === '' ? undefined : { kid, bytes: rest },
  }
}

export const toRecorded = ({ seq, id, facts, body }: KeptEvent): Recorded => ({
  revision: seq as Revision,
  position: seq as Position,
  event: decodeEvent(id, facts, body),
})

export const encodeKey = ({ secret, searchable, bytes }: KeptKey): Uint8Array =>
  toBytes([searchable, Buffer.from(secret).toString('base64url')], bytes)

export function decodeKey(data: Uint8Array): KeptKey {
  const { lines, rest } = fromBytes(data, 2)
  const [searchable = '', secret = ''] = lines
  return { searchable, secret: Buffer.from(secret, 'base64url'), bytes: rest.length === 0 ? undefined : rest }
}

const toBytes = (lines: readonly string[], rest: Uint8Array = NOTHING): Uint8Array =>
  Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), rest])

/** JSON as we write it has no line breaks of its own. */
function fromBytes(data: Uint8Array, count: number): Readonly<{ lines: readonly string[]; rest: Uint8Array }> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const lines: string[] = []
  let start = 0
  while (lines.length < count) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end < 0) throw new Error('the broker holds something else where an event or a key should be')
    lines.push(bytes.toString('utf8', start, end))
    start = end + 1
  }
  return { lines, rest: bytes.subarray(start) }
}
