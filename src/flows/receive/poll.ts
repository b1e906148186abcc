/** Asks providers about messages they took and have not reported on since; in the end says `timed_out`. */
import type { MessageId, ProviderName } from '../../domain/ids.ts'
import { silentSince } from '../../domain/message/overdue.ts'
import { isSilentTooLong, toStretches } from '../../domain/message/polling.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isProviderOver } from '../../domain/message/states.ts'
import { type Instant, seconds } from '../../lib/time.ts'
import type { MessageIndex } from '../../ports/message-index.ts'
import type { Known, LookupResult, Provider } from '../../ports/provider.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { advance, type RecordDeps, toSeen } from '../record.ts'
import { applyReceipt } from './apply-receipt.ts'

export type PollDeps = RecordDeps & Readonly<{ index: MessageIndex; providers: ReadonlyMap<ProviderName, Provider> }>

const PAGE = 500
/** How many are asked about at once. */
const HANDS = 32
/** Whoever takes longer to answer is not asked again in this round: else it would hold up all others. */
const SLOW = seconds(5)

type Round = Readonly<{ now: Instant; slow: Set<ProviderName>; endsBy: (error: unknown) => boolean }>

/** The index cannot tell which messages are silent; the log may be there. */
export class IndexAway extends Unavailable {}

/**
 * Asks about every message whose time for it came after `lastLook`, up to `now`, however many there are. A fault
 * with one does not keep the others from being asked about; where the log or the index is away the round ends.
 */
export function poll(deps: PollDeps, lastLook: Instant, now = deps.clock()): Promise<number> {
  return askAll(deps, silentBetween(deps, lastLook, now), {
    now,
    slow: new Set(),
    endsBy: (error) => error instanceof Unavailable,
  })
}

/**
 * The same for messages that are known to be due. What is set up besides messages may be away as the index is, and
 * one that cannot be settled without it does not hold up the others.
 */
export function pollMessages(deps: PollDeps, ids: readonly MessageId[], now: Instant): Promise<number> {
  return askAll(deps, silentAmong(deps, ids), { now, slow: new Set(), endsBy: () => false })
}

async function askAll(deps: PollDeps, due: AsyncGenerator<MessageState>, round: Round): Promise<number> {
  let asked = 0
  let fault: unknown
  const hand = async (): Promise<void> => {
    for await (const state of due) {
      asked += 1
      await ask(deps, state, round).catch((error: unknown) => {
        if (round.endsBy(error)) throw error
        fault ??= error
      })
    }
  }
  const hands = await Promise.allSettled(Array.from({ length: HANDS }, hand))
  const broken = hands.find((ended) => ended.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  if (fault !== undefined) throw fault
  return asked
}

/** Page by page: a million of them are never in memory at once. */
async function* silentBetween({ index }: PollDeps, lastLook: Instant, now: Instant): AsyncGenerator<MessageState> {
  for (const stretch of toStretches(lastLook, now)) {
    let cursor: string | undefined
    do {
      const next = cursor === undefined ? {} : { cursor }
      const page = await index.overdue({ kind: 'silent', ...stretch, limit: PAGE, ...next }).catch(toIndexAway)
      yield* page.states
      cursor = page.nextCursor
    } while (cursor !== undefined)
  }
}

function toIndexAway(error: unknown): never {
  if (error instanceof Unavailable) throw new IndexAway('the index is away', { cause: error })
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
  // What is erased is nobody's any more, and its provider is told no more of it.
  const answer = state.erased ? undefined : await lookUp(deps, state, provider)
  if (provider !== undefined && deps.clock() - begunAt > SLOW) slow.add(provider.name)
  if (answer?.kind === 'found' && answer.receipt.state !== state.providerState) {
    await applyReceipt(deps, answer.receipt, 'lookup')
  } else if (isSilentTooLong(silentSince(state) ?? state.updatedAt, now)) {
    await giveUp(deps, state)
  }
}

/** A provider that took a message has named it, and knows it by that. */
async function lookUp(
  { ids }: PollDeps,
  { id: messageId, cycle, attempt, providerMessageId }: MessageState,
  provider: Provider | undefined,
): Promise<LookupResult | undefined> {
  const ref = { messageId, cycle, attempt }
  const known: Known = providerMessageId === undefined ? {} : { providerMessageId }
  return provider?.lookup?.(ref, ids.attemptId(ref), known)
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
