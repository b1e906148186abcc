/**
 * Turns the events of a message into spans. The event that ends a span creates it, so no span is ever open. Events have
 * neither recipient nor body; error details are left out, because providers write them.
 */

import { hash } from 'node:crypto'
import { type EventId, isHashed } from '../domain/ids.ts'
import type { Fact, FactKind, MessageEvent } from '../domain/message/events.ts'
import { isHandoffOver, toStatus } from '../domain/message/states.ts'
import { acceptSpanOf, attemptSpanOf, callSpanOf } from '../domain/message/trace.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { instant } from '../lib/time.ts'
import type { Ids } from '../ports/world.ts'
import type { Span } from './span.ts'

type Operation = 'accept' | 'attempt' | 'outcome' | 'receipt' | 'resend'

/** The operation of each fact, and whether it is a failure. */
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

/** How many attempts with a preliminary outcome are remembered. */
const MAX_REMEMBERED = 10_000

/**
 * The first outcome of an attempt creates the span of the attempt, a later one a span within it. If the first is not
 * remembered (after a restart, or because another process stored it), the span of the attempt is exported again.
 */
export function openSpans(ids: Pick<Ids, 'attemptId'>): (event: MessageEvent) => Span | undefined {
  const exported = new Set<string>()

  return (event) => {
    const { cycle, attempt, fact, state } = event
    const [operation] = OPERATIONS[fact.kind]
    if (operation === 'none' || state.unsampled === true) return undefined
    const root = acceptSpanOf(state.id)
    if (operation === 'accept') return toSpan(event, operation, { id: root })

    const id = toSpanId(event.id)
    if (operation === 'resend' || !hasAttempt(event)) return toSpan(event, operation, { id, parent: root })

    const attemptId = ids.attemptId({ messageId: state.id, cycle, attempt })
    if (operation === 'receipt') return toSpan(event, operation, { id, parent: callSpanOf(attemptId) })
    const own = attemptSpanOf(attemptId)
    if (!isNewest(event) || exported.has(own)) return toSpan(event, operation, { id, parent: own })
    if (exported.size === MAX_REMEMBERED) exported.clear()
    if (!isHandoffOver(state.handoffState)) exported.add(own)
    return toSpan(event, 'attempt', { id: own, parent: root })
  }
}

/** The span that an event belongs to, wherever it was exported: what follows from the event is a span within it. */
export function spanWith(event: MessageEvent, ids: Pick<Ids, 'attemptId'>): string {
  const { cycle, attempt, fact, state } = event
  const [operation] = OPERATIONS[fact.kind]
  if (operation === 'receipt' || operation === 'resend') return toSpanId(event.id)
  if (operation === 'accept') return acceptSpanOf(state.id)
  if (hasAttempt(event)) return attemptSpanOf(ids.attemptId({ messageId: state.id, cycle, attempt }))
  return operation === 'outcome' ? toSpanId(event.id) : acceptSpanOf(state.id)
}

/** The same whenever the event is exported. */
const toSpanId = (id: EventId): string => (isHashed(id) ? id : hash('sha256', id)).slice(0, 16)

/** Before the first attempt of a cycle, `attempt` is the number of the last attempt of the previous cycle. */
export const hasAttempt = ({ cycle, attempt, state }: MessageEvent): boolean =>
  attempt > (cycle === state.cycle ? state.attemptsBefore : 0)

const isNewest = ({ cycle, attempt, state }: MessageEvent): boolean =>
  cycle === state.cycle && attempt === state.attempt

function toSpan(event: MessageEvent, operation: Operation, ids: Pick<Span, 'id' | 'parent'>): Span {
  const { at, attempt, cause, fact, state } = event
  const isAttempt = operation === 'attempt'
  const isWithin = cause?.traceId === state.traceId
  const code = codeOf(fact)
  return {
    id: ids.id,
    ...omitUndefined({ parent: isWithin ? cause.spanId : ids.parent, link: isWithin ? undefined : cause }),
    traceId: state.traceId,
    name: isAttempt ? `attempt ${attempt}` : operation,
    kind: 'internal',
    // After the clock was set back, a span must not end before it starts.
    start: isAttempt ? instant(Math.min(state.attemptedAt ?? at, at)) : at,
    end: at,
    failed: OPERATIONS[fact.kind].includes('failed'),
    ...omitUndefined({ code }),
    attributes: toAttributes(event, operation, code),
  }
}

function codeOf(fact: Fact): string | undefined {
  if (fact.kind === 'MessageExpired') return 'EXPIRED'
  return 'code' in fact ? fact.code : undefined
}

function toAttributes(event: MessageEvent, operation: Operation, code: string | undefined): Span['attributes'] {
  const { cycle, attempt, fact, state } = event
  const provider = isNewest(event) && hasAttempt(event) ? state.provider : undefined
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
    ...omitUndefined({ 'pombo.provider': provider, 'pombo.error_code': code }),
  }
}
