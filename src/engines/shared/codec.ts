/**
 * Encodes events and states. Every event carries the whole state after it, so the encoding is compact: tuples instead
 * of named fields, and the immutable fields of a message only once. Both directions are spelt out field by field,
 * because they run several times per message.
 */

import type { EventId, MessageId } from '../../domain/ids.ts'
import type { Fact, MessageEvent } from '../../domain/message/events.ts'
import type { Message } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'

/** Encodes an absent field: no optional field is ever 0. New fields go last. */
export const NONE = 0
export type Maybe<Value> = NonNullable<Value> | typeof NONE

export type MessageTuple = readonly [
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
  callback: Maybe<Message['callback']>,
  contentSize: Maybe<Message['contentSize']>,
  httpRequestId: Maybe<Message['httpRequestId']>,
  country: Maybe<Message['country']>,
  unsampled: Maybe<Message['unsampled']>,
  // Few messages have these, so others end before them.
  batchId?: Maybe<Message['batchId']>,
  template?: Maybe<Message['template']>,
  receipts?: Maybe<Message['receipts']>,
]

export type StateTuple = readonly [
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
  noDeliveryReports: Maybe<MessageState['noDeliveryReports']>,
  waitingSince: Maybe<MessageState['waitingSince']>,
  recipientKept: Maybe<MessageState['recipientKept']>,
  avoided: Maybe<MessageState['avoided']>,
]

export type EventTuple = readonly [
  cycle: number,
  attempt: number,
  at: MessageEvent['at'],
  trace: Maybe<MessageEvent['traceId']>,
  previousStatus: Maybe<MessageEvent['previousStatus']>,
  fact: Fact,
  state: StateTuple,
]

export function encodeMessage(message: Message): string {
  const { id, tenantId, accountId, channel, kind, lane, segments, encoding, createdAt, traceId } = message
  const { expiresAt, callback, contentSize, httpRequestId, country, unsampled, batchId, template, receipts } = message
  const tuple: MessageTuple = [
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
    contentSize ?? NONE,
    httpRequestId ?? NONE,
    country ?? NONE,
    unsampled ?? NONE,
  ]
  if (receipts !== undefined) return JSON.stringify([...tuple, batchId ?? NONE, template ?? NONE, receipts])
  if (template !== undefined) return JSON.stringify([...tuple, batchId ?? NONE, template])
  return JSON.stringify(batchId === undefined ? tuple : [...tuple, batchId])
}

/** The id of the message, without decoding the rest. */
export const messageIdOf = (message: string): MessageId => message.slice(2, 38) as MessageId

/** Whether the message has its own `callback_url`. */
export const hasCallback = (message: string): boolean => (JSON.parse(message) as MessageTuple)[11] === true

export const encodeState = (state: MessageState): string => JSON.stringify(toTuple(state))

export const decodeState = (message: string, state: string): MessageState =>
  toState(JSON.parse(message) as MessageTuple, JSON.parse(state) as StateTuple)

export function encodeEvent({ cycle, attempt, at, traceId, fact, previousStatus, state }: MessageEvent): string {
  const trace = traceId === state.traceId ? NONE : traceId
  const tuple: EventTuple = [cycle, attempt, at, trace, previousStatus ?? NONE, fact, toTuple(state)]
  return JSON.stringify(tuple)
}

export const decodeEvent = (id: string, message: string, body: string): MessageEvent =>
  toEvent(id, JSON.parse(message) as MessageTuple, JSON.parse(body) as EventTuple)

export function toEvent(id: string, message: MessageTuple, body: EventTuple): MessageEvent {
  const [cycle, attempt, at, trace, previousStatus, fact, fields] = body
  const state = toState(message, fields)
  const traceId = trace === NONE ? state.traceId : trace
  const event = { id: id as EventId, cycle, attempt, at, traceId, fact, state }
  return previousStatus === NONE ? event : { ...event, previousStatus }
}

const toTuple = (state: MessageState): StateTuple => [
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

export function toState(message: MessageTuple, fields: StateTuple): MessageState {
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
    cycle: fields[0],
    attempt: fields[1],
    attemptsBefore: fields[2],
    phase: fields[3],
    handoffState: fields[4],
    providerState: fields[5],
    updatedAt: fields[6],
    expired: fields[7],
    dead: fields[8],
    erased: fields[9],
  }
  if (message[10] !== NONE) state.expiresAt = message[10]
  if (message[11] === true) state.callback = true
  if (message[12] !== NONE) state.contentSize = message[12]
  // Tuples of earlier releases end before these.
  if (message[13]) state.httpRequestId = message[13]
  if (message[14]) state.country = message[14]
  if (message[15] === true) state.unsampled = true
  if (message[16]) state.batchId = message[16]
  if (message[17]) state.template = message[17]
  if (message[18]) state.receipts = message[18]
  if (fields[10] !== NONE) state.attemptedAt = fields[10]
  if (fields[11] !== NONE) state.owner = fields[11]
  if (fields[12] !== NONE) state.dueAt = fields[12]
  if (fields[13] !== NONE) state.provider = fields[13]
  if (fields[14] !== NONE) state.routeId = fields[14]
  if (fields[15] !== NONE) state.operatorId = fields[15]
  if (fields[16] !== NONE) state.providerMessageId = fields[16]
  if (fields[17] !== NONE) state.errorCode = fields[17]
  if (fields[18] !== NONE) state.errorDetail = fields[18]
  if (fields[19] !== NONE) state.handedOffAt = fields[19]
  if (fields[20] !== NONE) state.endedAt = fields[20]
  if (fields[21] !== NONE) state.excluded = fields[21]
  if (fields[22] === true) state.noDeliveryReports = true
  if (fields[23] !== NONE) state.waitingSince = fields[23]
  if (fields[24] === true) state.recipientKept = true
  if (fields[25] !== NONE) state.avoided = fields[25]
  return state
}
