/** Events as the journal and the tables hold them: JSON tuples with the changes of the state (state-changes.ts). */
import { type EventId, isHashed, type MessageId, withinMessage } from '../../../domain/ids.ts'
import type { Fact, MessageEvent } from '../../../domain/message/events.ts'
import type { MessageState } from '../../../domain/message/state.ts'
import type { EventsPage, EventsQuery, Position, Recorded, Revision } from '../../../ports/event-log.ts'
import { type Maybe, type MessageTuple, NONE } from '../../shared/codec.ts'
import { type Changes, encodeChanges, StateFields } from './state-changes.ts'

export type StoredEvent = readonly [
  seq: number,
  /** The id of the event within its message. */
  name: string,
  cycle: number,
  attempt: number,
  at: MessageEvent['at'],
  trace: Maybe<MessageEvent['traceId']>,
  previousStatus: Maybe<MessageEvent['previousStatus']>,
  fact: Fact,
  changes: Changes,
]

/** `previous` is the state before the event, of a first event undefined. */
export const encodeEvent = (seq: number, event: MessageEvent, previous: MessageState | undefined): string =>
  encodeWith(seq, event, encodeChanges(previous, event.state, event.at))

/** With its changes as `encodeChanges` encodes them. */
export function encodeWith(seq: number, event: MessageEvent, changes: string): string {
  const { id, cycle, attempt, at, traceId, fact, previousStatus, state } = event
  const trace = traceId === state.traceId ? NONE : traceId
  const name = isHashed(id) ? id : withinMessage(id)
  const head = JSON.stringify([seq, name, cycle, attempt, at, trace, previousStatus ?? NONE, fact])
  return `${head.slice(0, -1)},${changes}]`
}

/** The position of an encoded event, without decoding the rest. */
export const seqOf = (event: string): number => Number.parseInt(event.slice(1), 10)

/** The time of one of these events. */
export const timeOf = (events: string, seq: number): number =>
  parseEvents(events).find(([position]) => position === seq)?.[4] ?? 0

/** The events of a message in the tables, oldest first: a JSON array. */
export const parseEvents = (events: string): readonly StoredEvent[] => JSON.parse(events) as readonly StoredEvent[]

export const joinEvents = (events: readonly string[]): string => `[${events.join(',')}]`

export const appendEvents = (events: string, more: readonly string[]): string =>
  `${events.slice(0, -1)},${more.join(',')}]`

/** Decodes all events of a message. */
export function decodeEvents(facts: string, events: string): readonly Recorded[] {
  const message = JSON.parse(facts) as MessageTuple
  const fields = new StateFields()
  return parseEvents(events).map((stored) => {
    const [seq, , , , at, , , , changes] = stored
    fields.apply(at, changes)
    return { revision: seq as Revision, position: seq as Position, event: toEvent(stored, fields.toState(message)) }
  })
}

/** Decodes some events of a message, and the state after all of them. Only the states that are asked for are made. */
export function decodePage(facts: string, events: readonly StoredEvent[], { limit, before }: EventsQuery): EventsPage {
  const message = JSON.parse(facts) as MessageTuple
  const fields = new StateFields()
  const [total, decoded] = [events.length, [] as MessageEvent[]]
  const end = Math.min(before ?? total, total)
  const first = Math.max(0, end - limit)
  for (const [index, stored] of events.entries()) {
    fields.apply(stored[4], stored[8])
    if (index >= first && index < end) decoded.push(toEvent(stored, fields.toState(message)))
  }
  return { events: decoded, first, total, state: fields.toState(message) }
}

function toEvent(stored: StoredEvent, state: MessageState): MessageEvent {
  const [, , cycle, attempt, at, trace, previousStatus, fact] = stored
  const traceId = trace === NONE ? state.traceId : trace
  const event = { id: eventIdOf(state.id, stored), cycle, attempt, at, traceId, fact, state }
  return previousStatus === NONE ? event : { ...event, previousStatus }
}

const HASH_LENGTH = 64

export const eventIdOf = (messageId: MessageId, [, name]: StoredEvent): EventId =>
  (name.length === HASH_LENGTH && !name.includes('.') ? name : `${messageId}.${name}`) as EventId

/** The state after all events. */
export function decodeState(facts: string, events: string): MessageState {
  const fields = new StateFields()
  applyAll(fields, events)
  return fields.toState(JSON.parse(facts) as MessageTuple)
}

/** The state after all events, and after further ones. */
export function decodeStates(
  facts: string,
  events: string,
  more: readonly string[],
): [before: MessageState, after: MessageState] {
  const message = JSON.parse(facts) as MessageTuple
  const fields = new StateFields()
  applyAll(fields, events)
  const before = fields.toState(message)
  applyAll(fields, joinEvents(more))
  return [before, fields.toState(message)]
}

function applyAll(fields: StateFields, events: string): void {
  for (const [, , , , at, , , , changes] of parseEvents(events)) fields.apply(at, changes)
}
