/**
 * Which spans the events of a message make. A span is made whole by the event that ends it, so none is
 * ever open. Events know neither recipient nor body; details of errors stay out, as providers write them.
 */

import type { TraceId } from '../domain/ids.ts'
import type { Fact, FactKind, MessageEvent } from '../domain/message/events.ts'
import { isHandoffOver, toStatus } from '../domain/message/states.ts'
import { type Instant, instant } from '../lib/time.ts'
import type { Ids } from '../ports/world.ts'

export type Span = Readonly<{
  traceId: TraceId
  /** Sixteen hexadecimal digits. */
  id: string
  /** The id of the span it is part of; only the first of a message has none. */
  parent?: string
  name: string
  /** Whether it is a call to somebody else. */
  isCall: boolean
  start: Instant
  end: Instant
  failed: boolean
  code?: string
  attributes: Readonly<Record<string, string | number>>
}>

type Operation = 'accept' | 'attempt' | 'outcome' | 'receipt' | 'resend'

/** What a fact becomes, and whether it tells of a failure. */
const OPERATIONS: Readonly<Record<FactKind, readonly [Operation | 'none', 'failed'?]>> = {
  MessageCreated: ['accept'],
  MessageValidated: ['none'],
  ValidationFailed: ['outcome', 'failed'],
  HandoffAttempted: ['none'],
  HandoffAccepted: ['outcome'],
  HandoffUnknown: ['outcome', 'failed'],
  RetryScheduled: ['outcome', 'failed'],
  HandoffFailed: ['outcome', 'failed'],
  DeadLettered: ['outcome', 'failed'],
  MessageExpired: ['outcome', 'failed'],
  ResendRequested: ['resend'],
  ProviderAccepted: ['receipt'],
  ProviderDelivered: ['receipt'],
  ProviderBounced: ['receipt', 'failed'],
  ProviderDropped: ['receipt', 'failed'],
  ProviderComplaint: ['receipt', 'failed'],
  ProviderTimedOut: ['receipt', 'failed'],
  MessageErased: ['none'],
}

/** How many attempts are remembered whose first outcome was not the last word. */
const MEMORY = 10_000

/**
 * The first outcome of an attempt makes the span of the attempt, a later one a moment within it. Where
 * the first is forgotten (by a restart, or because another process wrote it), the attempt is told
 * again, with the end known since.
 */
export function openSpans(ids: Pick<Ids, 'attemptId'>): (event: MessageEvent) => Span | undefined {
  const told = new Set<string>()

  return (event) => {
    const { cycle, attempt, fact, state } = event
    const [operation] = OPERATIONS[fact.kind]
    if (operation === 'none') return undefined
    // The random half of the UUID: whoever knows the message can name its first span.
    const root = state.id.slice(19).replace('-', '')
    if (operation === 'accept') return toSpan(event, operation, { id: root })

    const id = event.id.slice(0, 16)
    if (operation === 'resend' || !isMade(event)) return toSpan(event, operation, { id, parent: root })

    // From the id the provider gets, so that a call to it can name this span in `traceparent`.
    const own = ids.attemptId({ messageId: state.id, cycle, attempt }).slice(0, 16)
    if (operation === 'receipt' || !isNewest(event) || told.has(own)) {
      return toSpan(event, operation, { id, parent: own })
    }
    if (told.size === MEMORY) told.clear()
    if (!isHandoffOver(state.handoffState)) told.add(own)
    return toSpan(event, 'attempt', { id: own, parent: root })
  }
}

/** A cycle that has not made an attempt yet goes by the number of the last one before it. */
const isMade = ({ cycle, attempt, state }: MessageEvent): boolean =>
  attempt > (cycle === state.cycle ? state.attemptsBefore : 0)

const isNewest = ({ cycle, attempt, state }: MessageEvent): boolean =>
  cycle === state.cycle && attempt === state.attempt

function toSpan(event: MessageEvent, operation: Operation, place: Pick<Span, 'id' | 'parent'>): Span {
  const { at, attempt, fact, state } = event
  const isAttempt = operation === 'attempt'
  const code = codeOf(fact)
  return {
    ...place,
    traceId: state.traceId,
    name: isAttempt ? `attempt ${attempt}` : operation,
    isCall: isAttempt,
    // A clock that was set back must not make a span that ends before it starts.
    start: isAttempt ? instant(Math.min(state.attemptedAt ?? at, at)) : at,
    end: at,
    failed: OPERATIONS[fact.kind].includes('failed'),
    ...(code === undefined ? {} : { code }),
    attributes: toAttributes(event, operation, code),
  }
}

function codeOf(fact: Fact): string | undefined {
  if (fact.kind === 'MessageExpired') return 'EXPIRED'
  return 'code' in fact ? fact.code : undefined
}

function toAttributes(event: MessageEvent, operation: Operation, code: string | undefined): Span['attributes'] {
  const { cycle, attempt, fact, state } = event
  const provider = isNewest(event) && isMade(event) ? state.provider : undefined
  return {
    'messaging.system': 'pombo',
    'messaging.message.id': state.id,
    'messaging.operation.name': operation,
    'pombo.message_id': state.id,
    'pombo.tenant_id': state.tenantId,
    'pombo.cycle': cycle,
    'pombo.attempt': attempt,
    'pombo.event': fact.kind,
    'pombo.status': toStatus(state),
    ...(provider === undefined ? {} : { 'pombo.provider': provider }),
    ...(code === undefined ? {} : { 'pombo.error_code': code }),
  }
}
