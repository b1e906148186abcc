/** What happened to a message, put together from its events: attempts, waits and cycles. */
import type { MessageDetails, TimelineEvent } from '../../api/client.ts'
import type { Tone } from '../../ui/parts.tsx'

export type Happening = Readonly<{
  index: number
  kind: string
  /** Never before the one before it, whatever the clocks of two processes say. */
  at: number
  event: TimelineEvent
  /** Whom it is about, where an attempt was made. */
  provider?: string | undefined
  /** Of a cycle that was over by then: it changed nothing. */
  isLate: boolean
}>

type Ending = 'accepted' | 'retry' | 'passedOver' | 'unknown' | 'failed' | 'dead' | 'expired' | 'open'

/** How well each went. */
export const TONES: Readonly<Record<Ending, Tone>> = {
  accepted: 'good',
  retry: 'warn',
  passedOver: 'warn',
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
}>

/** `until` is missing where nobody knows when it ends. */
type Wait = Readonly<{ kind: 'pause' | 'doubt'; row?: string | undefined; from: Happening; until?: number }>

export type Cycle = Readonly<{ cycle: number; first: number; last: number }>

export type Story = Readonly<{
  happenings: readonly Happening[]
  attempts: readonly Attempt[]
  waits: readonly Wait[]
  cycles: readonly Cycle[]
  providers: readonly string[]
}>

export function toStory(details: MessageDetails): Story {
  const happenings = toHappenings(details.events)
  const attempts = happenings
    .filter(({ kind }) => kind === 'HandoffAttempted')
    .map((begin) => toAttempt(begin, happenings))
  return {
    happenings,
    attempts,
    waits: toWaits(details, happenings),
    cycles: toCycles(happenings),
    providers: [...new Set(attempts.map(({ provider }) => provider))],
  }
}

/** A text of the payload, or nothing. */
export function said({ event }: Happening, name: string): string | undefined {
  const value = event.payload[name]
  return typeof value === 'string' ? value : undefined
}

function toHappenings(events: readonly TimelineEvent[]): readonly Happening[] {
  const providers = new Map<string, string>()
  let [latest, newest] = [0, 0]
  return events.map((event, index) => {
    const { cycle, attempt, provider } = event.payload
    const key = `${cycle}/${attempt}`
    if (event.event_type === 'HandoffAttempted' && typeof provider === 'string') providers.set(key, provider)
    latest = Math.max(latest, Date.parse(event.at))
    newest = Math.max(newest, cycle)
    return { index, kind: event.event_type, at: latest, event, provider: providers.get(key), isLate: cycle < newest }
  })
}

const isSameAttempt = (one: Happening, other: Happening): boolean =>
  one.event.payload.cycle === other.event.payload.cycle && one.event.payload.attempt === other.event.payload.attempt

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
  const isPassedOver = end !== undefined && said(end, 'pass_over') !== undefined
  return { cycle, attempt, provider: begin.provider ?? '', begin, end, ending: isPassedOver ? 'passedOver' : ending }
}

/** Until the next attempt, or for as long as one was planned. */
function toWaits(details: MessageDetails, happenings: readonly Happening[]): readonly Wait[] {
  const [first] = happenings
  const starts: readonly Wait[] =
    first !== undefined && first.event.payload.status === 'accepted'
      ? [{ kind: 'pause', from: first, ...until(first, happenings, details.due_at ?? undefined, isAnything) }]
      : []
  const others = happenings.flatMap((from): Wait[] => {
    if (from.kind === 'RetryScheduled') {
      return [{ kind: 'pause', from, ...until(from, happenings, said(from, 'due_at'), isNewTurn) }]
    }
    if (from.kind !== 'HandoffUnknown') return []
    const settles = (one: Happening): boolean => isNewTurn(one) || (one.kind in ENDINGS && isSameAttempt(from, one))
    const isSettled = happenings.some((one) => one.index > from.index && settles(one))
    const planned = isSettled ? said(from, 'reconcile_at') : undefined
    return [{ kind: 'doubt', row: from.provider, from, ...until(from, happenings, planned, settles) }]
  })
  return [...starts, ...others]
}

const isAnything = (): boolean => true
const isNewTurn = ({ kind }: Happening): boolean => TURNS.has(kind)
const TURNS = new Set([
  'HandoffAttempted',
  'ResendRequested',
  'MessageExpired',
  'HandoffFailed',
  'DeadLettered',
  'MessageValidated',
])

function until(
  from: Happening,
  happenings: readonly Happening[],
  planned: string | undefined,
  ends: (one: Happening) => boolean,
): Readonly<{ until?: number }> {
  const end = happenings.find((one) => one.index > from.index && ends(one))?.at ?? (planned && Date.parse(planned))
  return typeof end === 'number' && end >= from.at ? { until: end } : {}
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
