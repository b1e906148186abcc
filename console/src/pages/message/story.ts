/** What happened to a message, put together from its events: attempts, waits and cycles. */
import type { MessageDetails } from '../../api/client.ts'
import type { Tone } from '../../ui/parts.tsx'
import { type Happening, isSameAttempt, said, toHappenings } from './happenings.ts'
import { overdueOf, toWaits, type Wait } from './waits.ts'

type Ending = 'accepted' | 'retry' | 'excluded' | 'unknown' | 'failed' | 'dead' | 'expired' | 'open'

/** How well each went. */
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
  begin: Happening
  /** Missing while the provider is being called. */
  end?: Happening | undefined
  ending: Ending
  /** How much longer than planned it was waited for, where that is long. */
  overdueMs?: number | undefined
}>

export type Cycle = Readonly<{ cycle: number; first: number; last: number }>

export type Story = Readonly<{
  happenings: readonly Happening[]
  attempts: readonly Attempt[]
  waits: readonly Wait[]
  cycles: readonly Cycle[]
  providers: readonly string[]
}>

export function toStory(details: MessageDetails): Story {
  const inOrder = toHappenings(details.events)
  const waits = toWaits(inOrder)
  const happenings = withOverdue(inOrder, waits)
  const attempts = happenings
    .filter(({ kind }) => kind === 'HandoffAttempted')
    .map((begin) => toAttempt(begin, happenings))
  return {
    happenings,
    attempts,
    waits,
    cycles: toCycles(happenings),
    providers: [...new Set(attempts.map(({ provider }) => provider))],
  }
}

/** What ended a wait that was to end earlier says so. */
function withOverdue(happenings: readonly Happening[], waits: readonly Wait[]): readonly Happening[] {
  const overdue = new Map(waits.flatMap((wait) => (isOverdue(wait) ? [[wait.end?.index, overdueOf(wait)]] : [])))
  return happenings.map((one) => ({ ...one, overdueMs: overdue.get(one.index) }))
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

function toAttempt(begin: Happening, happenings: readonly Happening[]): Attempt {
  const { cycle, attempt } = begin.event.payload
  const end = happenings.find((one) => one.index > begin.index && one.kind in ENDINGS && isSameAttempt(begin, one))
  const ending = end === undefined ? 'open' : (ENDINGS[end.kind] ?? 'open')
  const isExcluded = end !== undefined && said(end, 'exclude') !== undefined
  const before = happenings[begin.index - 1]
  return {
    cycle,
    attempt,
    provider: begin.provider ?? '',
    begin,
    end,
    ending: isExcluded ? 'excluded' : ending,
    // What is checked once more is checked just before it is tried.
    overdueMs: begin.overdueMs ?? (before?.kind === 'MessageValidated' ? before.overdueMs : undefined),
  }
}

function toCycles(happenings: readonly Happening[]): readonly Cycle[] {
  const cycles: Cycle[] = []
  // Reports on an old cycle may come late: a band begins where its cycle was opened, and ends where the next one begins.
  for (const { index, event } of happenings) {
    const current = cycles.at(-1)
    const { cycle } = event.payload
    if (current === undefined || cycle > current.cycle) cycles.push({ cycle, first: index, last: index })
    else cycles[cycles.length - 1] = { ...current, last: index }
  }
  return cycles
}
