/** What an event means, in words and in a tone. */
import { TEXTS } from '../../texts.ts'
import type { Tone } from '../../ui/parts.tsx'
import { type Happening, said } from './happenings.ts'
import { toPreciseSpan } from './spans.ts'

const T = TEXTS.message.events

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

export const toTone = ({ kind }: Happening): Tone => TONES[kind] ?? 'quiet'

export function toTitle(happening: Happening): string {
  const { kind } = happening
  switch (kind) {
    case 'HandoffAttempted':
      return T.HandoffAttempted(said(happening, 'provider') ?? '')
    case 'RetryScheduled':
      return retryTitle(happening)
    case 'HandoffFailed':
      return isResolved(happening) ? T.resolvedFailed : T.HandoffFailed
    case 'HandoffAccepted':
    case 'ResendRequested': {
      const by: Readonly<Record<string, string>> = T[kind]
      return by[said(happening, 'by') ?? ''] ?? kind
    }
    default: {
      const words = (T as Readonly<Record<string, unknown>>)[kind]
      return typeof words === 'string' ? words : kind
    }
  }
}

/** A person decided it, when nobody knew. */
const isResolved = (happening: Happening): boolean => said(happening, 'resolved_by') !== undefined

function retryTitle(happening: Happening): string {
  if (isResolved(happening)) return T.resolvedAgain
  const excluded = said(happening, 'exclude')
  if (excluded !== undefined) return T.excluded(excluded)
  const avoided = said(happening, 'avoid')
  if (avoided !== undefined) return T.avoided(avoided)
  const dueAt = said(happening, 'due_at')
  return T.RetryScheduled(toPreciseSpan(Math.max(0, Date.parse(dueAt ?? '') - happening.at)))
}

/** The code and the words of whoever refused, or what was looked at. */
export function toDetail(happening: Happening): string {
  const { checks, check } = happening.event.payload
  const looked = Array.isArray(checks) ? checks.join(', ') : check
  const late = happening.isLate ? T.late : undefined
  const overdue = happening.overdueMs === undefined ? undefined : T.overdue(toPreciseSpan(happening.overdueMs))
  return [
    looked,
    late,
    overdue,
    said(happening, 'code'),
    said(happening, 'detail'),
    said(happening, 'provider_message_id'),
  ]
    .filter((part) => typeof part === 'string')
    .join(' · ')
}
