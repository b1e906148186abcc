/** A finished span, before it has the form of the SDK. */
import type { TraceId } from '../domain/ids.ts'
import type { SpanContext } from '../domain/message/trace.ts'
import type { Instant } from '../lib/time.ts'

export type Span = Readonly<{
  traceId: TraceId
  /** Sixteen hexadecimal digits. */
  id: string
  parent?: string
  name: string
  /** `server` answers a call, `client` makes one. */
  kind: 'internal' | 'server' | 'client'
  start: Instant
  end: Instant
  failed: boolean
  code?: string
  /** A span of another trace that led to this one. */
  link?: SpanContext
  attributes: Readonly<Record<string, string | number>>
}>

/** Hands a span to the exporter. Never throws, never waits. */
export type EmitSpan = (span: Span) => void
