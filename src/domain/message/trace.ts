/** W3C trace context, from the caller through the queue to providers and webhooks. */
import type { AttemptId, MessageId, TraceId } from '../ids.ts'

/** A span, as others refer to it. Span ids have sixteen hexadecimal digits. */
export type SpanContext = Readonly<{ traceId: TraceId; spanId: string }>

/** What a caller says about the trace that its call belongs to. */
export type Traceparent = SpanContext & Readonly<{ sampled: boolean }>

// Version ff is forbidden, version 00 ends after its flags, and an id of zeros is invalid.
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/
/** The lowest bit of the flags; the others are no concern of ours. */
const SAMPLED = 1

/** Undefined when the header is missing or malformed. */
export function parseTraceparent(header: string | undefined): Traceparent | undefined {
  const [, traceId, spanId = '', flags = ''] = TRACEPARENT.exec(header ?? '') ?? []
  if (traceId === undefined) return undefined
  return { traceId: traceId as TraceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 }
}

/** The caller of a message decides whether its trace is recorded. */
export const toTraceparent = ({ traceId, unsampled }: Traced, spanId: string): string =>
  `00-${traceId}-${spanId}-${unsampled === true ? '00' : '01'}`

type Traced = Readonly<{ traceId: TraceId; unsampled?: true }>

/*
 * Ids of spans that several processes refer to are derived from ids that all of them know.
 */

/** The first span of a message: the random half of its UUID. */
export const acceptSpanOf = (id: MessageId): string => id.slice(19).replace('-', '')

/** The call to the provider, and the attempt around it. */
export const callSpanOf = (id: AttemptId): string => id.slice(0, 16)
export const attemptSpanOf = (id: AttemptId): string => id.slice(16, 32)
