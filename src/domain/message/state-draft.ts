/**
 * A mutable copy of a state, for `fold` alone. Fields are spelt out, because this runs for every event and removing
 * fields from a copy any other way takes many times as long.
 */
import type { MessageState } from './state.ts'

export type Draft = { -readonly [Field in keyof MessageState]: MessageState[Field] }

export type OptionalField = {
  [Field in keyof MessageState]-?: undefined extends MessageState[Field] ? Field : never
}[keyof MessageState]

/** A record, so that the compiler reports a missing one. */
const OPTIONAL: Readonly<Record<OptionalField, true>> = {
  expiresAt: true,
  callback: true,
  contentSize: true,
  httpRequestId: true,
  country: true,
  unsampled: true,
  batchId: true,
  template: true,
  receipts: true,
  attemptedAt: true,
  owner: true,
  dueAt: true,
  provider: true,
  excluded: true,
  avoided: true,
  waitingSince: true,
  routeId: true,
  operatorId: true,
  providerMessageId: true,
  errorCode: true,
  errorDetail: true,
  handedOffAt: true,
  noDeliveryReports: true,
  endedAt: true,
  recipientKept: true,
}
const OPTIONAL_FIELDS = Object.keys(OPTIONAL) as readonly OptionalField[]

/** A copy without some optional fields. */
export function without(state: MessageState, fields: readonly OptionalField[]): Draft {
  if (!fields.some((field) => state[field] !== undefined)) return { ...state }
  const copy = requiredOf(state)
  for (const field of OPTIONAL_FIELDS) {
    if (state[field] !== undefined && !fields.includes(field)) copyField(copy, state, field)
  }
  return copy
}

function copyField<Field extends OptionalField>(copy: Draft, state: MessageState, field: Field): void {
  copy[field] = state[field] as Draft[Field]
}

const requiredOf = (state: MessageState): Draft => ({
  id: state.id,
  tenantId: state.tenantId,
  accountId: state.accountId,
  channel: state.channel,
  kind: state.kind,
  lane: state.lane,
  segments: state.segments,
  encoding: state.encoding,
  createdAt: state.createdAt,
  traceId: state.traceId,
  cycle: state.cycle,
  attempt: state.attempt,
  attemptsBefore: state.attemptsBefore,
  phase: state.phase,
  handoffState: state.handoffState,
  providerState: state.providerState,
  expired: state.expired,
  dead: state.dead,
  erased: state.erased,
  updatedAt: state.updatedAt,
})
