/** What an event says of the provider that the message was with. Statistics, by which providers are compared with themselves. */
import { isTestTenant } from '../access/test-mode.ts'
import type { MessageEvent } from '../message/events.ts'

export type ResultCounts = Readonly<{ succeeded: number; failed: number; deadLettered: number }>

export const NO_RESULTS: ResultCounts = { succeeded: 0, failed: 0, deadLettered: 0 }
const SUCCEEDED: ResultCounts = { ...NO_RESULTS, succeeded: 1 }
const FAILED: ResultCounts = { ...NO_RESULTS, failed: 1 }

export const addResults = (one: ResultCounts, other: ResultCounts): ResultCounts => ({
  succeeded: one.succeeded + other.succeeded,
  failed: one.failed + other.failed,
  deadLettered: one.deadLettered + other.deadLettered,
})

/** Undefined for events that say nothing, and for test mode, which says nothing of providers. */
export function toResult({ fact, state }: MessageEvent): ResultCounts | undefined {
  if (isTestTenant(state.tenantId)) return undefined
  switch (fact.kind) {
    case 'HandoffAccepted':
    case 'ProviderDelivered':
      return SUCCEEDED
    case 'HandoffUnknown':
    case 'HandoffFailed':
    case 'RetryScheduled':
    case 'ProviderBounced':
    case 'ProviderDropped':
    case 'ProviderTimedOut':
      return FAILED
    case 'DeadLettered':
      // The unknown outcome has been counted.
      return { ...(fact.outcome === undefined ? FAILED : NO_RESULTS), deadLettered: 1 }
    case 'MessageCreated':
    case 'MessageValidated':
    case 'ValidationFailed':
    case 'HandoffAttempted':
    case 'MessageExpired':
    case 'ResendRequested':
    case 'ProviderAccepted':
    case 'ProviderComplaint':
    case 'MessageErased':
      return undefined
  }
}
