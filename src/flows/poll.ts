/** Asks providers about messages they took and have not reported on since; in the end says `timed_out`. */
import type { ProviderName } from '../domain/ids.ts'
import { isPollDue, isSilentTooLong } from '../domain/polling.ts'
import type { MessageState } from '../domain/state.ts'
import { isProviderOver } from '../domain/states.ts'
import { type Instant, later, millis, seconds } from '../domain/time.ts'
import type { MessageIndex } from '../ports/message-index.ts'
import type { Provider } from '../ports/provider.ts'
import { advance, type RecordDeps, toSeen } from './record.ts'
import { settle } from './settle.ts'

export type PollDeps = RecordDeps & Readonly<{ index: MessageIndex; providers: ReadonlyMap<ProviderName, Provider> }>

const PAGE = 1000
const FIRST_POLL = seconds(30)

/** Looks at every message that is silent; `lastLook` is when this was done before. */
export async function poll(deps: PollDeps, lastLook: Instant): Promise<number> {
  const now = deps.clock()
  // A message that has been silent for exactly that long is to be asked about now: it is not due at the next look.
  const silent = await deps.index.neglected('silent', later(now, millis(1 - FIRST_POLL)), PAGE)
  const due = silent.filter((state) => isPollDue(since(state), lastLook, now))
  await Promise.all(due.map((state) => ask(deps, state, now)))
  return due.length
}

const since = ({ handedOffAt, updatedAt }: MessageState): Instant => handedOffAt ?? updatedAt

async function ask(deps: PollDeps, state: MessageState, now: Instant): Promise<void> {
  const { id: messageId, cycle, attempt, provider: name, providerMessageId } = state
  const ref = { messageId, cycle, attempt }
  const provider = name === undefined ? undefined : deps.providers.get(name)
  const known = providerMessageId === undefined ? {} : { providerMessageId }
  const answer = await provider?.lookup?.(ref, deps.ids.attemptId(ref), known)
  if (answer?.kind === 'found' && answer.receipt.state !== state.providerState) {
    await settle(deps, answer.receipt, 'lookup')
  } else if (isSilentTooLong(since(state), now)) {
    await giveUp(deps, state)
  }
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
