/** The title, detail and tone of an event. */
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import type { Tone } from '../../ui/parts.tsx'
import { toPreciseSpan } from './spans.ts'
import { payloadText, type TimelineEntry } from './timeline-entries.ts'

const T = MESSAGE_TEXTS.events

const TONES: Readonly<Record<string, Tone>> = {
  ValidationFailed: 'bad',
  HandoffAttempted: 'info',
  HandoffAccepted: 'good',
  HandoffUnknown: 'warn',
  RetryScheduled: 'warn',
  HandoffFailed: 'bad',
  DeadLettered: 'bad',
  MessageExpired: 'bad',
  ProviderAccepted: 'info',
  ProviderDelivered: 'good',
  ProviderBounced: 'bad',
  ProviderDropped: 'bad',
  ProviderComplaint: 'bad',
  ProviderTimedOut: 'warn',
}

export const toTone = ({ kind }: TimelineEntry): Tone => TONES[kind] ?? 'quiet'

export function toTitle(entry: TimelineEntry): string {
  const { kind } = entry
  switch (kind) {
    case 'HandoffAttempted':
      return T.HandoffAttempted(payloadText(entry, 'provider') ?? '')
    case 'RetryScheduled':
      return retryTitle(entry)
    case 'HandoffFailed':
      return isResolved(entry) ? T.resolvedFailed : T.HandoffFailed
    case 'HandoffAccepted':
    case 'ResendRequested': {
      const by: Readonly<Record<string, string>> = T[kind]
      return by[payloadText(entry, 'by') ?? ''] ?? kind
    }
    default: {
      const words = (T as Readonly<Record<string, unknown>>)[kind]
      return typeof words === 'string' ? words : kind
    }
  }
}

/** An unknown outcome that a person resolved. */
const isResolved = (entry: TimelineEntry): boolean => payloadText(entry, 'resolved_by') !== undefined

function retryTitle(entry: TimelineEntry): string {
  if (isResolved(entry)) return T.resolvedAgain
  const excluded = payloadText(entry, 'exclude')
  if (excluded !== undefined) return T.excluded(excluded)
  const avoided = payloadText(entry, 'avoid')
  if (avoided !== undefined) return T.avoided(avoided)
  const dueAt = payloadText(entry, 'due_at')
  return T.RetryScheduled(toPreciseSpan(Math.max(0, Date.parse(dueAt ?? '') - entry.at)))
}

/** The checks, or the error code and detail. */
export function toDetail(entry: TimelineEntry): string {
  const { checks, check } = entry.event.payload
  const checked = Array.isArray(checks) ? checks.join(', ') : check
  const late = entry.isLate ? T.late : undefined
  const overdue = entry.overdueMs === undefined ? undefined : T.overdue(toPreciseSpan(entry.overdueMs))
  return [
    checked,
    late,
    overdue,
    payloadText(entry, 'code'),
    payloadText(entry, 'detail'),
    payloadText(entry, 'provider_message_id'),
  ]
    .filter((part) => typeof part === 'string')
    .join(' · ')
}
