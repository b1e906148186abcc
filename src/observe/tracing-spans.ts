/**
 * Turns the events of a message into spans. The event that ends a span creates it, so no span is ever open. Events have
 * neither recipient nor body; error details are left out, because providers write them.
 */

import { hash } from 'node:crypto'
import { type EventId, isHashed, type TraceId } from '../domain/ids.ts'
import type { Fact, FactKind, MessageEvent } from '../domain/message/events.ts'
import { isHandoffOver, toStatus } from '../domain/message/states.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Instant, instant } from '../lib/time.ts'
import type { Ids } from '../ports/world.ts'

export type Span = Readonly<{
  traceId: TraceId
  /** Sixteen hexadecimal digits. */
  id: string
  /** Only the first span of a message has no parent. */
  parent?: string
  name: string
  /** Whether it is a call to a provider. */
  isCall: boolean
  start: Instant
  end: Instant
  failed: boolean
  code?: string
  attributes: Readonly<Record<string, string | number>>
}>

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
    if (operation === 'none') return undefined
    // The random half of the UUID, so that the first span can be derived from the message id.
    const root = state.id.slice(19).replace('-', '')
    if (operation === 'accept') return toSpan(event, operation, { id: root })

    const id = toSpanId(event.id)
    if (operation === 'resend' || !hasAttempt(event)) return toSpan(event, operation, { id, parent: root })

    // From the attempt id, so that a call to the provider can send this span in `traceparent`.
    const own = ids.attemptId({ messageId: state.id, cycle, attempt }).slice(0, 16)
    if (operation === 'receipt' || !isNewest(event) || exported.has(own)) {
      return toSpan(event, operation, { id, parent: own })
    }
    if (exported.size === MAX_REMEMBERED) exported.clear()
    if (!isHandoffOver(state.handoffState)) exported.add(own)
    return toSpan(event, 'attempt', { id: own, parent: root })
  }
}

/** The same whenever the event is exported. */
const toSpanId = (id: EventId): string => (isHashed(id) ? id : hash('sha256', id)).slice(0, 16)

/** Before the first attempt of a cycle, `attempt` is the number of the last attempt of the previous cycle. */
const hasAttempt = ({ cycle, attempt, state }: MessageEvent): boolean =>
  attempt > (cycle === state.cycle ? state.attemptsBefore : 0)

const isNewest = ({ cycle, attempt, state }: MessageEvent): boolean =>
  cycle === state.cycle && attempt === state.attempt

function toSpan(event: MessageEvent, operation: Operation, ids: Pick<Span, 'id' | 'parent'>): Span {
  const { at, attempt, fact, state } = event
  const isAttempt = operation === 'attempt'
  const code = codeOf(fact)
  return {
    ...ids,
    traceId: state.traceId,
    name: isAttempt ? `attempt ${attempt}` : operation,
    isCall: isAttempt,
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
