/**
 * States as the changes from event to event: each event holds the fields that it changed, by their index in `StateTuple`
 * of shared/codec.ts, and a state is the changes of all events up to it, in order.
 */
import type { MessageState } from '../../../domain/message/state.ts'
import { type MessageTuple, NONE, type StateTuple, toState } from '../../shared/codec.ts'

export type Changes = Readonly<Record<number, StateTuple[number]>>

/** What a first event is compared with. Never to be changed: stored events leave out what is equal to it. */
const BLANK_STATE = {
  cycle: 1,
  attempt: 0,
  attemptsBefore: 0,
  phase: 'none',
  handoffState: 'queued',
  providerState: 'unknown',
  expired: false,
  dead: false,
  erased: false,
} as const satisfies Partial<MessageState>

const BLANK: readonly StateTuple[number][] = [
  ...[1, 0, 0, 'none', 'queued', 'unknown', NONE, false, false, false],
  ...new Array<typeof NONE>(16).fill(NONE),
] as StateTuple[number][]

const UPDATED_AT = 6

/** The fields of a state, event by event. */
export class StateFields {
  readonly #fields: StateTuple[number][] = [...BLANK]

  /** The changes of an event, and its time. */
  apply(at: number, changes: Changes): void {
    this.#fields[UPDATED_AT] = at as StateTuple[number]
    for (const index in changes) this.#fields[index] = changes[index] as StateTuple[number]
  }

  toState(message: MessageTuple): MessageState {
    return toState(message, this.#fields as unknown as StateTuple)
  }
}

/** The changes between two whole states, as earlier releases stored them; `previous` as below. */
export function changesBetween(previous: StateTuple | undefined, after: StateTuple, at: number): Changes {
  const before: readonly unknown[] = previous ?? BLANK
  const changes: Record<number, StateTuple[number]> = {}
  for (const [index, value] of after.entries()) {
    if (!isSame(value, index === UPDATED_AT ? at : before[index])) changes[index] = value
  }
  return changes
}

/** Some fields are lists of names. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (Array.isArray(one) && Array.isArray(other) && one.join(' ') === other.join(' '))

/**
 * Encodes the changes of an event as JSON; `previous` is the state before it, of a first event undefined. Spelt out,
 * because it runs for every event: a loop over the fields takes ten times as long.
 */
export function encodeChanges(previous: MessageState | undefined, after: MessageState, at: number): string {
  const before: Partial<MessageState> = previous ?? BLANK_STATE
  let json = ''
  if (after.cycle !== before.cycle) json += `,"0":${after.cycle}`
  if (after.attempt !== before.attempt) json += `,"1":${after.attempt}`
  if (after.attemptsBefore !== before.attemptsBefore) json += `,"2":${after.attemptsBefore}`
  if (after.phase !== before.phase) json += `,"3":"${after.phase}"`
  if (after.handoffState !== before.handoffState) json += `,"4":"${after.handoffState}"`
  if (after.providerState !== before.providerState) json += `,"5":"${after.providerState}"`
  if (after.updatedAt !== at) json += `,"6":${after.updatedAt}`
  if (after.expired !== before.expired) json += `,"7":${after.expired}`
  if (after.dead !== before.dead) json += `,"8":${after.dead}`
  if (after.erased !== before.erased) json += `,"9":${after.erased}`
  if (after.attemptedAt !== before.attemptedAt) json += `,"10":${after.attemptedAt ?? NONE}`
  if (after.owner !== before.owner) json += `,"11":${encode(after.owner)}`
  if (after.dueAt !== before.dueAt) json += `,"12":${after.dueAt ?? NONE}`
  if (after.provider !== before.provider) json += `,"13":${encode(after.provider)}`
  if (after.routeId !== before.routeId) json += `,"14":${encode(after.routeId)}`
  if (after.operatorId !== before.operatorId) json += `,"15":${encode(after.operatorId)}`
  if (after.providerMessageId !== before.providerMessageId) json += `,"16":${encode(after.providerMessageId)}`
  if (after.errorCode !== before.errorCode) json += `,"17":${encode(after.errorCode)}`
  if (after.errorDetail !== before.errorDetail) json += `,"18":${encode(after.errorDetail)}`
  if (after.handedOffAt !== before.handedOffAt) json += `,"19":${after.handedOffAt ?? NONE}`
  if (after.endedAt !== before.endedAt) json += `,"20":${after.endedAt ?? NONE}`
  if (after.excluded !== before.excluded) json += `,"21":${encode(after.excluded)}`
  if (after.noDeliveryReports !== before.noDeliveryReports) json += `,"22":${after.noDeliveryReports ?? NONE}`
  if (after.waitingSince !== before.waitingSince) json += `,"23":${after.waitingSince ?? NONE}`
  if (after.recipientKept !== before.recipientKept) json += `,"24":${after.recipientKept ?? NONE}`
  if (after.avoided !== before.avoided) json += `,"25":${encode(after.avoided)}`
  return json === '' ? '{}' : `{${json.slice(1)}}`
}

const encode = (value: string | readonly string[] | undefined): string => JSON.stringify(value ?? NONE)
