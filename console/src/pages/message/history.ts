/** Derives the attempts, waits and cycles of a message from its events. */
import type { MessageDetails } from '../../api/client.ts'
import type { Tone } from '../../ui/parts.tsx'
import { isSameAttempt, payloadText, type TimelineEntry, toEntries } from './timeline-entries.ts'
import { overdueOf, toWaits, type Wait } from './waits.ts'

type Ending = 'accepted' | 'retry' | 'excluded' | 'unknown' | 'failed' | 'dead' | 'expired' | 'open'

export const TONES: Readonly<Record<Ending, Tone>> = {
  accepted: 'good',
  retry: 'warn',
  excluded: 'warn',
  unknown: 'warn',
  failed: 'bad',
  dead: 'bad',
  expired: 'bad',
  open: 'info',
}

export type Attempt = Readonly<{
  cycle: number
  attempt: number
  provider: string
  begin: TimelineEntry
  /** Missing while the provider is being called. */
  end?: TimelineEntry | undefined
  ending: Ending
  /** How much longer than planned it waited before this attempt, if significantly. */
  overdueMs?: number | undefined
}>

export type Cycle = Readonly<{ cycle: number; first: number; last: number }>

export type History = Readonly<{
  entries: readonly TimelineEntry[]
  attempts: readonly Attempt[]
  waits: readonly Wait[]
  cycles: readonly Cycle[]
  providers: readonly string[]
}>

export function toHistory(details: MessageDetails): History {
  const inOrder = toEntries(details.events)
  const waits = toWaits(inOrder)
  const entries = withOverdue(inOrder, waits)
  const attempts = entries.filter(({ kind }) => kind === 'HandoffAttempted').map((begin) => toAttempt(begin, entries))
  return {
    entries,
    attempts,
    waits,
    cycles: toCycles(entries),
    providers: [...new Set(attempts.map(({ provider }) => provider))],
  }
}

/** Marks the event that ended an overdue wait. */
function withOverdue(entries: readonly TimelineEntry[], waits: readonly Wait[]): readonly TimelineEntry[] {
  const overdue = new Map(waits.flatMap((wait) => (isOverdue(wait) ? [[wait.end?.index, overdueOf(wait)]] : [])))
  return entries.map((one) => ({ ...one, overdueMs: overdue.get(one.index) }))
}

const isOverdue = (wait: Wait): boolean => overdueOf(wait) !== undefined

const ENDINGS: Readonly<Record<string, Ending>> = {
  HandoffAccepted: 'accepted',
  RetryScheduled: 'retry',
  HandoffUnknown: 'unknown',
  HandoffFailed: 'failed',
  DeadLettered: 'dead',
  MessageExpired: 'expired',
}

function toAttempt(begin: TimelineEntry, entries: readonly TimelineEntry[]): Attempt {
  const { cycle, attempt } = begin.event.payload
  const end = entries.find((one) => one.index > begin.index && one.kind in ENDINGS && isSameAttempt(begin, one))
  const ending = end === undefined ? 'open' : (ENDINGS[end.kind] ?? 'open')
  const isExcluded = end !== undefined && payloadText(end, 'exclude') !== undefined
  const before = entries[begin.index - 1]
  return {
    cycle,
    attempt,
    provider: begin.provider ?? '',
    begin,
    end,
    ending: isExcluded ? 'excluded' : ending,
    // A retried message is validated again just before the attempt, so the validation may have ended the wait.
    overdueMs: begin.overdueMs ?? (before?.kind === 'MessageValidated' ? before.overdueMs : undefined),
  }
}

function toCycles(entries: readonly TimelineEntry[]): readonly Cycle[] {
  const cycles: Cycle[] = []
  // Reports on an old cycle may arrive late: a band starts with its cycle and ends where the next one starts.
  for (const { index, event } of entries) {
    const current = cycles.at(-1)
    const { cycle } = event.payload
    if (current === undefined || cycle > current.cycle) cycles.push({ cycle, first: index, last: index })
    else cycles[cycles.length - 1] = { ...current, last: index }
  }
  return cycles
}
