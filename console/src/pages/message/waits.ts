/**
 * When a message waited: for its time, for its turn, or until somebody knew what became of an attempt. Nothing is
 * written where a breaker or a busy provider makes it wait on; that it came later than planned tells of it.
 */
import { type Happening, isSameAttempt, said } from './happenings.ts'

export type Wait = Readonly<{
  kind: 'pause' | 'unknown'
  row?: string | undefined
  from: Happening
  /** When it was to end, where that is told. */
  planned?: number | undefined
  /** What ended it; missing while it lasts. */
  end?: Happening | undefined
  /** When it ended, or is to end; missing where nobody knows. */
  until?: number | undefined
}>

/** Queues and clocks alone take less. */
const SLACK_MS = 2_000

/** Until when it lasted, or lasts by now. */
export const endOf = ({ from, end, until }: Wait, now: number | undefined): number =>
  end?.at ?? Math.max(until ?? from.at, now ?? from.at)

/** How much longer than planned, where that is long. */
export function overdueOf(wait: Wait, now?: number): number | undefined {
  if (wait.planned === undefined) return undefined
  const overdue = endOf(wait, now) - wait.planned
  return overdue >= SLACK_MS ? overdue : undefined
}

/** What is to go on at once waits only where it does not. */
export const isTold = (wait: Wait, now?: number): boolean =>
  wait.planned !== wait.from.at || overdueOf(wait, now) !== undefined

export const toWaits = (happenings: readonly Happening[]): readonly Wait[] =>
  happenings.flatMap((from) => toWait(from, happenings) ?? []).filter((wait) => !wait.end || isTold(wait))

function toWait(from: Happening, happenings: readonly Happening[]): Wait | undefined {
  const next = (ends: (one: Happening) => boolean): Happening | undefined =>
    happenings.find((one) => one.index > from.index && ends(one))
  switch (from.kind) {
    case 'MessageCreated':
      return toPause(from, next(isTurn), from.at)
    case 'ResendRequested':
      return toPause(from, next(isTurn), from.at)
    case 'RetryScheduled':
      return toPause(from, next(isTurn), parseTime(said(from, 'due_at')))
    case 'HandoffUnknown': {
      const end = next((one) => isTurn(one) || (SETTLING.has(one.kind) && isSameAttempt(from, one)))
      return { kind: 'unknown', row: from.provider, from, end, until: end?.at }
    }
    default:
      return undefined
  }
}

function toPause(from: Happening, end: Happening | undefined, due: number | undefined): Wait {
  const planned = due === undefined ? undefined : Math.max(due, from.at)
  return { kind: 'pause', from, planned, end, until: end?.at ?? planned }
}

const parseTime = (at: string | null | undefined): number | undefined =>
  typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? Date.parse(at) : undefined

/** Beside what begins a new turn. */
const SETTLING = new Set(['HandoffAccepted', 'RetryScheduled', 'HandoffUnknown'])

const isTurn = ({ kind }: Happening): boolean => TURNS.has(kind)
const TURNS = new Set([
  'HandoffAttempted',
  'ResendRequested',
  'MessageExpired',
  'HandoffFailed',
  'DeadLettered',
  'MessageValidated',
  'ValidationFailed',
])
