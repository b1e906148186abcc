/**
 * How events and states are written down. Every event carries the whole state after it, so the
 * writing is short: places instead of names, and what never changes of a message only once.
 */
import type { Fact, MessageEvent } from '../../domain/events.ts'
import type { EventId, MessageId } from '../../domain/ids.ts'
import type { Message } from '../../domain/message.ts'
import type { MessageState } from '../../domain/state.ts'

/** In the order they are written. New fields go last: older rows then simply lack them. */
const MESSAGE_FIELDS = [
  'id',
  'tenantId',
  'accountId',
  'channel',
  'kind',
  'lane',
  'segments',
  'encoding',
  'createdAt',
  'expiresAt',
  'traceId',
] as const satisfies readonly (keyof Message)[]

const STATE_FIELDS = [
  'cycle',
  'attempt',
  'attemptsBefore',
  'phase',
  'handoffState',
  'providerState',
  'updatedAt',
  'expired',
  'dead',
  'erased',
  'attemptedAt',
  'owner',
  'dueAt',
  'provider',
  'passedOver',
  'routeId',
  'operatorId',
  'providerMessageId',
  'errorCode',
  'errorDetail',
  'handedOffAt',
  'settledAt',
] as const satisfies readonly Exclude<keyof MessageState, keyof Message>[]

/** A field that is added to the domain and forgotten here breaks the build. */
type Forgotten =
  | Exclude<keyof Message, (typeof MESSAGE_FIELDS)[number]>
  | Exclude<keyof MessageState, keyof Message | (typeof STATE_FIELDS)[number]>
const _nothingForgotten: [Forgotten] extends [never] ? true : Forgotten = true
void _nothingForgotten

export const encodeMessage = (state: MessageState): string => JSON.stringify(places(state, MESSAGE_FIELDS))
/** The id of the message, without reading the rest. */
export const messageIdOf = (message: string): MessageId => message.slice(2, 38) as MessageId

export const encodeState = (state: MessageState): string => JSON.stringify(places(state, STATE_FIELDS))

export function decodeState(message: string, state: string): MessageState {
  return toState(JSON.parse(message) as unknown[], JSON.parse(state) as unknown[])
}

export function encodeEvent({ cycle, attempt, at, traceId, fact, previousStatus, state }: MessageEvent): string {
  const trace = traceId === state.traceId ? 0 : traceId
  return JSON.stringify([cycle, attempt, at, trace, previousStatus ?? 0, fact, places(state, STATE_FIELDS)])
}

export function decodeEvent(id: string, message: string, body: string): MessageEvent {
  const [cycle, attempt, at, trace, previousStatus, fact, fields] = JSON.parse(body) as EventPlaces
  const state = toState(JSON.parse(message) as unknown[], fields)
  return {
    id: id as EventId,
    cycle,
    attempt,
    at,
    traceId: trace === 0 ? state.traceId : trace,
    fact,
    ...(previousStatus === 0 ? {} : { previousStatus }),
    state,
  }
}

type EventPlaces = readonly [
  cycle: number,
  attempt: number,
  at: MessageEvent['at'],
  trace: MessageEvent['traceId'] | 0,
  previousStatus: NonNullable<MessageEvent['previousStatus']> | 0,
  fact: Fact,
  state: readonly unknown[],
]

/** Trailing fields that are missing are not written. */
function places(state: MessageState, fields: readonly (keyof MessageState)[]): unknown[] {
  const written: unknown[] = []
  for (const [place, field] of fields.entries()) {
    const value = state[field]
    if (value !== undefined) written[place] = value
  }
  return written
}

function toState(message: readonly unknown[], state: readonly unknown[]): MessageState {
  const read: Record<string, unknown> = {}
  fill(read, MESSAGE_FIELDS, message)
  fill(read, STATE_FIELDS, state)
  return read as MessageState
}

function fill(read: Record<string, unknown>, fields: readonly string[], values: readonly unknown[]): void {
  for (const [place, value] of values.entries()) {
    const field = fields[place]
    if (field !== undefined && value !== null) read[field] = value
  }
}
