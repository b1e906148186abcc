/**
 * When a message waited: for its due time, for capacity, or for the outcome of an attempt. Waiting for an open circuit
 * breaker or a busy provider leaves no event; it shows as a wait longer than planned.
 */
import { isSameAttempt, payloadText, type TimelineEntry } from './timeline-entries.ts'

export type Wait = Readonly<{
  kind: 'pause' | 'unknown'
  row?: string | undefined
  from: TimelineEntry
  /** When it should have ended, if known. */
  planned?: number | undefined
  /** The event that ended it; missing while it lasts. */
  end?: TimelineEntry | undefined
  /** When it ended or will end; missing if unknown. */
  until?: number | undefined
}>

/** Queueing and clock differences take less. */
const SLACK_MS = 2_000

/** When it ended, or the current end while it lasts. */
export const endOf = ({ from, end, until }: Wait, now: number | undefined): number =>
  end?.at ?? Math.max(until ?? from.at, now ?? from.at)

/** How much longer than planned, if significantly. */
export function overdueOf(wait: Wait, now?: number): number | undefined {
  if (wait.planned === undefined) return undefined
  const overdue = endOf(wait, now) - wait.planned
  return overdue >= SLACK_MS ? overdue : undefined
}

/** A wait with no planned delay is only shown when it is overdue. */
export const isShown = (wait: Wait, now?: number): boolean =>
  wait.planned !== wait.from.at || overdueOf(wait, now) !== undefined

export const toWaits = (entries: readonly TimelineEntry[]): readonly Wait[] =>
  entries.flatMap((from) => toWait(from, entries) ?? []).filter((wait) => !wait.end || isShown(wait))

function toWait(from: TimelineEntry, entries: readonly TimelineEntry[]): Wait | undefined {
  const next = (ends: (one: TimelineEntry) => boolean): TimelineEntry | undefined =>
    entries.find((one) => one.index > from.index && ends(one))
  switch (from.kind) {
    case 'MessageCreated':
      return toPause(from, next(endsWait), from.at)
    case 'ResendRequested':
      return toPause(from, next(endsWait), from.at)
    case 'RetryScheduled':
      return toPause(from, next(endsWait), parseTime(payloadText(from, 'due_at')))
    case 'HandoffUnknown': {
      const end = next((one) => endsWait(one) || (ENDS_UNKNOWN.has(one.kind) && isSameAttempt(from, one)))
      return { kind: 'unknown', row: from.provider, from, end, until: end?.at }
    }
    default:
      return undefined
  }
}

function toPause(from: TimelineEntry, end: TimelineEntry | undefined, due: number | undefined): Wait {
  const planned = due === undefined ? undefined : Math.max(due, from.at)
  return { kind: 'pause', from, planned, end, until: end?.at ?? planned }
}

const parseTime = (at: string | null | undefined): number | undefined =>
  typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? Date.parse(at) : undefined

/** End an unknown outcome, together with the events of `ENDS_WAIT`. */
const ENDS_UNKNOWN = new Set(['HandoffAccepted', 'RetryScheduled', 'HandoffUnknown'])

const endsWait = ({ kind }: TimelineEntry): boolean => ENDS_WAIT.has(kind)
const ENDS_WAIT = new Set([
  'HandoffAttempted',
  'ResendRequested',
  'MessageExpired',
  'HandoffFailed',
  'DeadLettered',
  'MessageValidated',
  'ValidationFailed',
])
