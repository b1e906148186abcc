/** W3C trace context: which trace a message belongs to, from the caller through the queue to the provider. */
import type { TraceId } from './ids.ts'

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/

/** The trace named by a `traceparent` header; undefined when there is none or it is malformed. */
export function parseTraceparent(header: string | undefined): TraceId | undefined {
  const [, traceId, parentId] = TRACEPARENT.exec(header ?? '') ?? []
  if (traceId === undefined || /^0+$/.test(traceId) || /^0+$/.test(parentId ?? '')) return undefined
  return traceId as TraceId
}

/** `spanId` is sixteen hexadecimal digits. */
export const toTraceparent = (traceId: TraceId, spanId: string): string => `00-${traceId}-${spanId}-01`
