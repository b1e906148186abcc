/** Numbers and names that several sentences about a message need. */
import { type Instant, instant, later, type Millis, millis } from '../../lib/time.ts'
import { silentSince } from '../message/overdue.ts'
import { nextPoll, SILENCE_LIMIT } from '../message/polling.ts'
import type { MessageState } from '../message/state.ts'
import { giveUpAt } from '../routing/unknown.ts'
import { lastFact, providerOf } from './attempts.ts'
import { type Circumstances, firstCallableAt } from './circumstances.ts'

export const providerName = ({ state }: Circumstances): string => state.provider ?? 'the provider'

/** The provider that reported something, which may be that of an earlier attempt. */
export function reporterOf({ state, events }: Circumstances, kind: 'ProviderDelivered' | 'ProviderDropped'): string {
  const report = lastFact(events, state.cycle, kind)
  return (report && providerOf(events, report)) ?? state.provider ?? 'the provider'
}

/** The attempts that were made in this cycle. Not all of them use up one that the cycle has. */
export const attemptsMade = ({ state, events }: Circumstances): number =>
  events.filter(({ cycle, fact }) => cycle === state.cycle && fact.kind === 'HandoffAttempted').length

/** The attempts of this cycle that count. */
export const attemptsCounted = ({ state }: Pick<Circumstances, 'state'>): number =>
  Math.max(0, state.attempt - state.attemptsBefore)

/** `attempt 3 of 5`, of the attempt that comes next. */
export const nextAttempt = (circumstances: Circumstances): string =>
  `attempt ${attemptsCounted(circumstances) + 1} of ${Math.max(attemptsCounted(circumstances) + 1, circumstances.maxAttempts)}`

/** When its work is due, now at the earliest. */
export const dueOf = ({ dueAt }: MessageState, now: Instant): Instant => instant(Math.max(dueAt ?? now, now))

/** When a provider can be called and the message is due; undefined while nobody knows. */
export function nextCallAt({ state, providers, now }: Circumstances): Instant | undefined {
  const at = firstCallableAt(providers)
  return at === undefined ? undefined : instant(Math.max(at, dueOf(state, now)))
}

/** From the beginning of the newest cycle to the delivery, or to the handoff. */
export function tookOf({ state, events }: Pick<Circumstances, 'state' | 'events'>): Millis | undefined {
  const { cycle } = state
  const end = lastFact(events, cycle, 'ProviderDelivered')?.at ?? state.handedOffAt
  const begin = lastFact(events, cycle, 'ResendRequested')?.at ?? state.createdAt
  return end === undefined ? undefined : millis(Math.max(0, end - begin))
}

/** When the wait for a delivery report began, when Pombo asks next, and when it ends. */
export type ReportWait = Readonly<{ since: Instant; nextPollAt: Instant; timesOutAt: Instant }>

/** Undefined where no report is awaited. */
export function reportWaitOf({ state, now }: Pick<Circumstances, 'state' | 'now'>): ReportWait | undefined {
  const since = silentSince(state)
  if (since === undefined) return undefined
  const limit = later(since, SILENCE_LIMIT)
  return { since, nextPollAt: nextPoll(since, now), timesOutAt: nextPoll(since, later(limit, millis(-1))) }
}

/** When an unknown outcome is checked next, and when the message is given up. */
export type UnknownWait = Readonly<{ nextCheckAt: Instant; givesUpAt: Instant }>

/** Undefined where the outcome is known. The first check is due when the wait for evidence is over. */
export function unknownWaitOf({ state, now, unknownRule }: Circumstances): UnknownWait | undefined {
  if (state.phase !== 'unknown' || state.handoffState === 'failed') return undefined
  const givesUpAt = giveUpAt(state, unknownRule)
  const check = state.dueAt !== undefined && state.dueAt > now ? state.dueAt : nextPoll(state.updatedAt, now)
  return { nextCheckAt: check < givesUpAt ? check : givesUpAt, givesUpAt }
}
