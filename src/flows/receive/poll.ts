/** Polls providers about messages without a delivery report, and records `timed_out` in the end. */
import type { MessageId, ProviderName } from '../../domain/ids.ts'
import { silentSince } from '../../domain/message/overdue.ts'
import { isSilentTooLong, type Stretch, toStretches } from '../../domain/message/polling.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isProviderOver } from '../../domain/message/states.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, seconds } from '../../lib/time.ts'
import type { MessageIndex } from '../../ports/message-index.ts'
import type { LookupResult, Provider } from '../../ports/provider.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { advance, type RecordDeps, toSeen } from '../record.ts'
import { applyReceipt } from './apply-receipt.ts'

export type PollDeps = RecordDeps & Readonly<{ index: MessageIndex; providers: ReadonlyMap<ProviderName, Provider> }>

const PAGE = 500
/** Concurrent look-ups. */
const CONCURRENCY = 32
/** A provider that responds more slowly is skipped for the rest of the round, so that it does not delay the others. */
const SLOW = seconds(5)

type Round = Readonly<{ now: Instant; slow: Set<ProviderName>; endsBy: (error: unknown) => boolean }>

/** The index is unavailable; the log may still be available. */
export class IndexUnavailable extends Unavailable {}

/**
 * Polls every message whose poll became due after `lastLook`, up to `now`. A fault with one message does not affect the
 * others; the round ends when the log or the index is unavailable.
 */
export function poll(deps: PollDeps, lastLook: Instant, now = deps.clock()): Promise<number> {
  return askAll(deps, silentBetween(deps, lastLook, now), {
    now,
    slow: new Set(),
    endsBy: (error) => error instanceof Unavailable,
  })
}

/**
 * The same for given messages. Other stores may be unavailable with the index, so a message that needs them does not
 * end the round.
 */
export function pollMessages(deps: PollDeps, ids: readonly MessageId[], now: Instant): Promise<number> {
  return askAll(deps, silentAmong(deps, ids), { now, slow: new Set(), endsBy: () => false })
}

async function askAll(deps: PollDeps, due: AsyncGenerator<MessageState>, round: Round): Promise<number> {
  let asked = 0
  let fault: unknown
  const work = async (): Promise<void> => {
    for await (const state of due) {
      asked += 1
      await ask(deps, state, round).catch((error: unknown) => {
        if (round.endsBy(error)) throw error
        fault ??= error
      })
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: CONCURRENCY }, work))
  const broken = workers.find((ended) => ended.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  if (fault !== undefined) throw fault
  return asked
}

/**
 * Longest waiting first. There are some forty ranges, and hardly any message waits for so long: those without any are
 * skipped.
 */
async function* silentBetween({ index }: PollDeps, lastLook: Instant, now: Instant): AsyncGenerator<MessageState> {
  const ranges = toStretches(lastLook, now).toSorted((one, other) => one.after - other.after)
  const end = ranges.at(-1)?.through ?? now
  let next: Instant | undefined
  for (const range of ranges) {
    if (next === undefined || next <= range.after) {
      next = await nextSilent(index, { after: range.after, through: end })
      if (next === undefined) return
    }
    if (next <= range.through) yield* silentIn(index, range)
  }
}

/** Since when the longest waiting message of a range has been silent. */
async function nextSilent(index: MessageIndex, range: Stretch): Promise<Instant | undefined> {
  const { states } = await index.overdue({ kind: 'silent', ...range, limit: 1 }).catch(toIndexUnavailable)
  return states[0] && silentSince(states[0])
}

/** Page by page, to bound memory. */
async function* silentIn(index: MessageIndex, range: Stretch): AsyncGenerator<MessageState> {
  let cursor: string | undefined
  do {
    const page = await index
      .overdue({ kind: 'silent', ...range, limit: PAGE, ...omitUndefined({ cursor }) })
      .catch(toIndexUnavailable)
    yield* page.states
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

function toIndexUnavailable(error: unknown): never {
  if (error instanceof Unavailable) throw new IndexUnavailable('the index is unavailable', { cause: error })
  throw error
}

async function* silentAmong({ log }: PollDeps, ids: readonly MessageId[]): AsyncGenerator<MessageState> {
  for (const id of ids) {
    const latest = await log.latest(id)
    if (latest !== undefined && silentSince(latest.event.state) !== undefined) yield latest.event.state
  }
}

async function ask(deps: PollDeps, state: MessageState, { now, slow }: Round): Promise<void> {
  const provider = state.provider === undefined ? undefined : deps.providers.get(state.provider)
  if (provider !== undefined && slow.has(provider.name)) return
  const begunAt = deps.clock()
  // The provider is not asked about an erased message.
  const answer = state.erased ? undefined : await lookUp(deps, state, provider)
  if (provider !== undefined && deps.clock() - begunAt > SLOW) slow.add(provider.name)
  if (answer?.kind === 'found' && answer.receipt.state !== state.providerState) {
    await applyReceipt(deps, answer.receipt, 'lookup')
  } else if (isSilentTooLong(silentSince(state) ?? state.updatedAt, now)) {
    await giveUp(deps, state)
  }
}

/** A provider that took a message knows it by its own id. */
async function lookUp(
  { ids }: PollDeps,
  { id: messageId, cycle, attempt, providerMessageId }: MessageState,
  provider: Provider | undefined,
): Promise<LookupResult | undefined> {
  const ref = { messageId, cycle, attempt }
  return provider?.lookup?.(ref, ids.attemptId(ref), omitUndefined({ providerMessageId }))
}

async function giveUp(deps: PollDeps, { id, cycle, attempt }: MessageState): Promise<void> {
  const latest = await deps.log.latest(id)
  if (latest === undefined) return
  const fact = { kind: 'ProviderTimedOut', reportId: 'silence' } as const
  await advance(deps, toSeen(latest), (state) =>
    state.cycle === cycle && !isProviderOver(state.providerState)
      ? { fact, ref: { messageId: id, cycle, attempt } }
      : undefined,
  )
}
