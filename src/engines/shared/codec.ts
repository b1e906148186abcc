/**
 * How events and states are written down. Every event carries the whole state after it, so the
 * writing is short: places instead of names, and what never changes of a message only once. Both
 * ways are spelt out field by field, because they are walked several times for every message.
 */

import type { EventId, MessageId } from '../../domain/ids.ts'
import type { Fact, MessageEvent } from '../../domain/message/events.ts'
import type { Message } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'

/** Stands for what is missing: no field that may be missing is ever 0. New fields go last. */
const NONE = 0
type Maybe<Value> = NonNullable<Value> | typeof NONE

type MessagePlaces = readonly [
  id: Message['id'],
  tenantId: Message['tenantId'],
  accountId: Message['accountId'],
  channel: Message['channel'],
  kind: Message['kind'],
  lane: Message['lane'],
  segments: number,
  encoding: Message['encoding'],
  createdAt: Message['createdAt'],
  traceId: Message['traceId'],
  expiresAt: Maybe<Message['expiresAt']>,
  /** Missing in what was written before there were callbacks. */
  callback?: Maybe<Message['callback']>,
  weight?: Maybe<Message['weight']>,
]

type StatePlaces = readonly [
  cycle: number,
  attempt: number,
  attemptsBefore: number,
  phase: MessageState['phase'],
  handoffState: MessageState['handoffState'],
  providerState: MessageState['providerState'],
  updatedAt: MessageState['updatedAt'],
  expired: boolean,
  dead: boolean,
  erased: boolean,
  attemptedAt: Maybe<MessageState['attemptedAt']>,
  owner: Maybe<MessageState['owner']>,
  dueAt: Maybe<MessageState['dueAt']>,
  provider: Maybe<MessageState['provider']>,
  routeId: Maybe<MessageState['routeId']>,
  operatorId: Maybe<MessageState['operatorId']>,
  providerMessageId: Maybe<MessageState['providerMessageId']>,
  errorCode: Maybe<MessageState['errorCode']>,
  errorDetail: Maybe<MessageState['errorDetail']>,
  handedOffAt: Maybe<MessageState['handedOffAt']>,
  endedAt: Maybe<MessageState['endedAt']>,
  excluded: Maybe<MessageState['excluded']>,
  /** Missing in what was written before there was mail. */
  noDeliveryReports?: Maybe<MessageState['noDeliveryReports']>,
  /** Missing in what was written before waits for an account had an end. */
  waitingSince?: Maybe<MessageState['waitingSince']>,
  /** Missing in what was written before ended codes kept their recipients. */
  recipientKept?: Maybe<MessageState['recipientKept']>,
  avoided?: Maybe<MessageState['avoided']>,
]

type EventPlaces = readonly [
  cycle: number,
  attempt: number,
  at: MessageEvent['at'],
  trace: Maybe<MessageEvent['traceId']>,
  previousStatus: Maybe<MessageEvent['previousStatus']>,
  fact: Fact,
  state: StatePlaces,
]

export function encodeMessage(message: Message): string {
  const { id, tenantId, accountId, channel, kind, lane, segments, encoding, createdAt, traceId } = message
  const { expiresAt, callback, weight } = message
  const places: MessagePlaces = [
    id,
    tenantId,
    accountId,
    channel,
    kind,
    lane,
    segments,
    encoding,
    createdAt,
    traceId,
    expiresAt ?? NONE,
    callback ?? NONE,
    weight ?? NONE,
  ]
  return JSON.stringify(places)
}

/** The id of the message, without reading the rest. */
export const messageIdOf = (message: string): MessageId => message.slice(2, 38) as MessageId

export const encodeState = (state: MessageState): string => JSON.stringify(toPlaces(state))

export const decodeState = (message: string, state: string): MessageState =>
  toState(JSON.parse(message) as MessagePlaces, JSON.parse(state) as StatePlaces)

export function encodeEvent({ cycle, attempt, at, traceId, fact, previousStatus, state }: MessageEvent): string {
  const trace = traceId === state.traceId ? NONE : traceId
  const places: EventPlaces = [cycle, attempt, at, trace, previousStatus ?? NONE, fact, toPlaces(state)]
  return JSON.stringify(places)
}

export function decodeEvent(id: string, message: string, body: string): MessageEvent {
  const [cycle, attempt, at, trace, previousStatus, fact, places] = JSON.parse(body) as EventPlaces
  const state = toState(JSON.parse(message) as MessagePlaces, places)
  const traceId = trace === NONE ? state.traceId : trace
  const event = { id: id as EventId, cycle, attempt, at, traceId, fact, state }
  return previousStatus === NONE ? event : { ...event, previousStatus }
}

const toPlaces = (state: MessageState): StatePlaces => [
  state.cycle,
  state.attempt,
  state.attemptsBefore,
  state.phase,
  state.handoffState,
  state.providerState,
  state.updatedAt,
  state.expired,
  state.dead,
  state.erased,
  state.attemptedAt ?? NONE,
  state.owner ?? NONE,
  state.dueAt ?? NONE,
  state.provider ?? NONE,
  state.routeId ?? NONE,
  state.operatorId ?? NONE,
  state.providerMessageId ?? NONE,
  state.errorCode ?? NONE,
  state.errorDetail ?? NONE,
  state.handedOffAt ?? NONE,
  state.endedAt ?? NONE,
  state.excluded ?? NONE,
  state.noDeliveryReports ?? NONE,
  state.waitingSince ?? NONE,
  state.recipientKept ?? NONE,
  state.avoided ?? NONE,
]

function toState(message: MessagePlaces, places: StatePlaces): MessageState {
  const state: { -readonly [Field in keyof MessageState]: MessageState[Field] } = {
    id: message[0],
    tenantId: message[1],
    accountId: message[2],
    channel: message[3],
    kind: message[4],
    lane: message[5],
    segments: message[6],
    encoding: message[7],
    createdAt: message[8],
    traceId: message[9],
    cycle: places[0],
    attempt: places[1],
    attemptsBefore: places[2],
    phase: places[3],
    handoffState: places[4],
    providerState: places[5],
    updatedAt: places[6],
    expired: places[7],
    dead: places[8],
    erased: places[9],
  }
  if (message[10] !== NONE) state.expiresAt = message[10]
  if (message[11] === true) state.callback = true
  if (message[12] !== undefined && message[12] !== NONE) state.weight = message[12]
  if (places[10] !== NONE) state.attemptedAt = places[10]
  if (places[11] !== NONE) state.owner = places[11]
  if (places[12] !== NONE) state.dueAt = places[12]
  if (places[13] !== NONE) state.provider = places[13]
  if (places[14] !== NONE) state.routeId = places[14]
  if (places[15] !== NONE) state.operatorId = places[15]
  if (places[16] !== NONE) state.providerMessageId = places[16]
  if (places[17] !== NONE) state.errorCode = places[17]
  if (places[18] !== NONE) state.errorDetail = places[18]
  if (places[19] !== NONE) state.handedOffAt = places[19]
  if (places[20] !== NONE) state.endedAt = places[20]
  if (places[21] !== NONE) state.excluded = places[21]
  if (places[22] === true) state.noDeliveryReports = true
  if (places[23] !== undefined && places[23] !== NONE) state.waitingSince = places[23]
  if (places[24] === true) state.recipientKept = true
  if (places[25] !== undefined && places[25] !== NONE) state.avoided = places[25]
  return state
}
