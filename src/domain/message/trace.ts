/** W3C trace context, from the caller through the queue to the provider. */
import type { TraceId } from '../ids.ts'

// Version ff is forbidden, version 00 ends after its flags, and an id of zeros is invalid.
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/

/** The trace id of a `traceparent` header; undefined when it is missing or malformed. */
export const parseTraceparent = (header: string | undefined): TraceId | undefined =>
  TRACEPARENT.exec(header ?? '')?.[1] as TraceId | undefined

/** `spanId` has sixteen hexadecimal digits. */
export const toTraceparent = (traceId: TraceId, spanId: string): string => `00-${traceId}-${spanId}-01`
